/** A place in a bucket of the emulated Google Cloud Storage, with a reader's view of it. */
import { randomBytes } from 'node:crypto';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { createGcsBucket, type GcsBucket } from '../servers/gcs/fake-gcs.ts';
import { buildRows, testInterval, type Place } from './deliveries.ts';
import type { TestPlace } from './destination-contract.ts';
import { readInterval, snapshotOf, type Objects } from './file-reader.ts';
import { LOOPBACK_ENVIRONMENT } from './test-place.ts';

/** Whether the object is of an upload, which readers ignore. */
const isUpload = (name: string) => /(^|\/)_sluice-upload-/.test(name);

export type GcsPlace = TestPlace & { at: GcsBucket; config: Record<string, unknown> };

export async function makeGcsPlace(
  config: { layout?: 'stable' | 'versioned' } & Record<string, unknown> = {},
): Promise<GcsPlace> {
  const at = await createGcsBucket();
  /** All files. An object that disappears between the list and its download was an upload, or was replaced: it lists again. */
  async function files(isWanted = (_name: string) => true): Promise<Objects> {
    const found: [string, Buffer][] = [];
    for (const { name } of await at.list()) {
      if (isUpload(name) || !isWanted(name)) continue;
      const content = await at.read(name);
      if (!content) return files(isWanted);
      found.push([name, content]);
    }
    return new Map(found);
  }
  async function dataKey(): Promise<string> {
    return [...(await files()).keys()].find((key) => key.includes('-0.jsonl'))!;
  }
  return {
    at,
    destination: destinationOf('GCS', LOOPBACK_ENVIRONMENT),
    config: {
      bucket_name: at.bucket,
      prefix: 'web/{year}',
      file_format: 'JSONLines',
      compression: 'gzip',
      max_file_size_mb: null,
      service_account_key: at.key,
      endpoint_url: at.gateway.origin,
      ...config,
    },
    environment: LOOPBACK_ENVIRONMENT,
    snapshot: async () => snapshotOf(await files()),
    read: () => readInterval(files, config.layout),
    leftovers: async () => (await at.list()).filter(({ name }) => isUpload(name)).length,
    damages: [
      { name: 'missing file', inflict: async () => at.remove(await dataKey()) },
      { name: 'changed file', inflict: async () => at.write(await dataKey(), randomBytes(100)) },
    ],
    async stop() {},
  };
}

export const deliverOneRow = async (place: Place) => testInterval(place).deliver([buildRows(1)]);
