/** A place in a container of azurite, with a reader's view of it. */
import { randomBytes } from 'node:crypto';
import { RestError } from '@azure/storage-blob';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { connectionString, createTestContainer, type TestContainer } from '../servers/azurite.ts';
import { buildRows, testInterval, type Place } from './deliveries.ts';
import type { TestPlace } from './destination-contract.ts';
import { readInterval, snapshotOf, type Objects } from './file-reader.ts';
import { LOOPBACK_ENVIRONMENT } from './test-place.ts';

export const CLOSED = 'http://127.0.0.1:1/account';
/** Whether the blob is an upload, which readers ignore. */
const isUpload = (name: string) => /(^|\/)_sluice-upload-/.test(name);
/** The mark of a delivered interval, which is empty; other empty blobs are of uploads. */
const isMark = (name: string) => name.endsWith('/_SUCCESS');

export async function makeAzurePlace(
  config: { layout?: 'stable' | 'versioned' } & Record<string, unknown> = {},
): Promise<TestPlace & { container: TestContainer }> {
  const container = await createTestContainer();
  const { client, endpoint } = container;

  /** Reads a blob in one request, because it may be replaced between two. */
  async function contentOf(name: string): Promise<Buffer> {
    const { readableStreamBody } = await client.getBlobClient(name).download();
    return Buffer.concat((await Array.fromAsync(readableStreamBody!)) as Buffer[]);
  }
  async function listed(isWanted: (name: string) => boolean): Promise<Objects> {
    const entries: [string, Buffer][] = [];
    for await (const { name } of client.listBlobsFlat())
      if (!isUpload(name) && isWanted(name)) entries.push([name, await contentOf(name)]);
    return new Map(entries);
  }
  /** All files. Lists them again if one disappears between the list and its download. */
  async function files(isWanted = (_name: string) => true): Promise<Objects> {
    return listed(isWanted).catch((error: unknown) => {
      if (error instanceof RestError && error.statusCode === 404) return files(isWanted);
      throw error;
    });
  }
  async function dataKey(): Promise<string> {
    return [...(await files()).keys()].find((key) => key.includes('-0.jsonl'))!;
  }
  return {
    container,
    destination: destinationOf('AzureBlob', LOOPBACK_ENVIRONMENT),
    config: {
      container_name: client.containerName,
      prefix: 'web/{year}',
      file_format: 'JSONLines',
      compression: 'gzip',
      max_file_size_mb: null,
      connection_string: connectionString(endpoint),
      blob_endpoint: endpoint,
      ...config,
    },
    environment: LOOPBACK_ENVIRONMENT,
    snapshot: async () => snapshotOf(await files()),
    read: () => readInterval(files, config.layout),
    async leftovers() {
      let found = 0;
      for await (const { name, properties } of client.listBlobsFlat({ includeUncommitedBlobs: true }))
        if (isUpload(name) || (!properties.contentLength && !isMark(name))) found++;
      return found;
    },
    damages: [
      {
        name: 'missing file',
        inflict: async () => void (await client.getBlobClient(await dataKey()).delete()),
      },
      {
        name: 'changed file',
        inflict: async () => void (await client.getBlockBlobClient(await dataKey()).upload(randomBytes(100), 100)),
      },
    ],
    async stop() {},
  };
}

/** A place with another connection string or container. */
export async function azurePlaceWith(change: {
  sas?: string;
  key?: string;
  endpoint?: string;
  container_name?: string;
}) {
  const { container_name } = change;
  const place = await makeAzurePlace(container_name === undefined ? {} : { container_name });
  const endpoint = change.endpoint ?? place.container.endpoint;
  const text = change.sas
    ? `BlobEndpoint=${endpoint};SharedAccessSignature=${change.sas}`
    : connectionString(endpoint, change.key);
  return { ...place, config: { ...(place.config as object), connection_string: text, blob_endpoint: endpoint } };
}

export const deliverOneRow = async (place: Place) => testInterval(place).deliver([buildRows(1)]);
