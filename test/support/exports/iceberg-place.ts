/** A table in a catalog, with a reader's view of it: the reader follows the manifests of the current snapshot, and reads their files. */
import {
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { iceberg } from '../../../src/exports/destinations/iceberg/iceberg.ts';
import { currentSnapshot } from '../../../src/exports/destinations/iceberg/present.ts';
import type { TableMetadata } from '../../../src/exports/destinations/iceberg/catalog.ts';
import { OBJECT_STORE_KEYS } from '../servers/object-store.ts';
import { createTestNamespace, type TestNamespace } from '../servers/iceberg-catalog.ts';
import type { TestPlace } from './destination-contract.ts';
import { keyOf, lakeReader, type ManifestPath } from './lake-reader.ts';
import { LOOPBACK_ENVIRONMENT } from './test-place.ts';

export type IcebergPlace = TestPlace & {
  server: TestNamespace;
  metadata(): Promise<TableMetadata | undefined>;
  readAvro<T>(url: string): Promise<T[]>;
};

export async function makeIcebergPlace(config: Record<string, unknown> = {}): Promise<IcebergPlace> {
  const server = await createTestNamespace();
  const { client, bucket: Bucket, endpoint, region } = server.bucket;
  const { loadTable, bytesOf, readAvro, filesOf, rowsOf } = lakeReader(server);
  const folder = `lake/${server.namespace}/`;

  const metadata = async () => loadTable('events');
  async function liveFiles(): Promise<string[] | undefined> {
    const table = await metadata();
    const snapshot = table && currentSnapshot(table);
    return snapshot && (await filesOf(snapshot['manifest-list'])).sort();
  }
  async function rows(): Promise<Record<string, unknown>[] | undefined> {
    const files = await liveFiles();
    if (!files) return undefined;
    return (await Promise.all(files.map((url) => rowsOf(url)))).flat();
  }
  async function firstFile(): Promise<string> {
    return keyOf((await liveFiles())![0]!);
  }
  return {
    server,
    metadata,
    readAvro,
    destination: iceberg,
    config: {
      catalog_uri: server.uri,
      warehouse: null,
      token: null,
      region,
      aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
      aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      endpoint_url: endpoint,
      namespace: server.namespace,
      table_name: 'events',
      use_virtual_style_addressing: false,
      ...config,
    },
    environment: LOOPBACK_ENVIRONMENT,
    /** The data files of the table's current snapshot. */
    async snapshot() {
      const files = (await liveFiles()) ?? [];
      const found = await Promise.all(
        files.map(async (url) => [url, (await bytesOf(url)).toString('base64')] as const),
      );
      return Object.fromEntries(found);
    },
    read: async () => (await rows())?.map(({ uuid }) => String(uuid)).sort(),
    /** Open uploads, and data files and manifests that no snapshot names. */
    async leftovers() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      const open = Uploads.filter(({ Key }) => Key!.startsWith(folder)).length;
      const named = new Set<string>();
      for (const { 'manifest-list': list } of (await metadata())?.snapshots ?? []) {
        const manifests = await readAvro<ManifestPath>(list);
        const urls = [list, ...manifests.map(({ manifest_path }) => manifest_path), ...(await filesOf(list))];
        for (const url of urls) named.add(keyOf(url));
      }
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: folder }));
      const stray = Contents.filter(({ Key }) => /\.(parquet|avro)$/.test(Key!) && !named.has(Key!));
      return open + stray.length;
    },
    damages: [
      {
        name: 'missing file',
        inflict: async () => void (await client.send(new DeleteObjectCommand({ Bucket, Key: await firstFile() }))),
      },
      {
        name: 'changed file',
        inflict: async () =>
          void (await client.send(new PutObjectCommand({ Bucket, Key: await firstFile(), Body: randomBytes(100) }))),
      },
    ],
    async stop() {},
  };
}
