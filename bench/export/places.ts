/** The destinations that are compared, at servers of the tests. */
import { randomUUID } from 'node:crypto';
import { createEmptyDatabase, stopTestDatabases } from '../../test/support/database/database.ts';
import { connectionString, createTestContainer, stopTestAzurite } from '../../test/support/servers/azurite.ts';
import { createGcsBucket, stopTestGcs } from '../../test/support/servers/gcs/fake-gcs.ts';
import { startHttpReceiver } from '../../test/support/servers/http-receiver.ts';
import { createTestNamespace, stopTestIcebergCatalog } from '../../test/support/servers/iceberg-catalog.ts';
import { createTestBucket, OBJECT_STORE_KEYS, stopTestObjectStore } from '../../test/support/servers/object-store.ts';
import { toLocalFiles, type WantedDestination } from './export-once.ts';

export const LOCAL_FILE = 'baseline: LocalFile, JSON lines, gzip';
export const PARQUET_ON_S3 = 'S3, Parquet, zstd';
export const ICEBERG = 'Iceberg';

const FORGET_EVERY_MS = 100;

const newTable = () => `t_${randomUUID().replaceAll('-', '')}`;

export type Places = {
  /** A new place at each call. */
  destinations: Record<string, () => WantedDestination>;
  stop(): Promise<void>;
};

export async function startPlaces(): Promise<Places> {
  const [lake, gcs, azure, bucket, database, receiver] = await Promise.all([
    createTestNamespace(),
    createGcsBucket(),
    createTestContainer(),
    createTestBucket(),
    createEmptyDatabase(),
    startHttpReceiver(),
  ]);
  // The receiver keeps every request, which 2,000,000 rows would fill the memory with.
  const forgetting = setInterval(() => (receiver.received.length = 0), FORGET_EVERY_MS);
  const lines = { file_format: 'JSONLines', compression: 'gzip' };
  const keys = {
    aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
    aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
  };
  const postgres = new URL(database.url);

  const s3 = (format: object) => (): WantedDestination => ({
    type: 'S3Compatible',
    config: {
      endpoint_url: bucket.endpoint,
      bucket_name: bucket.bucket,
      region: bucket.region,
      prefix: randomUUID(),
      ...keys,
      ...format,
    },
  });
  return {
    destinations: {
      [LOCAL_FILE]: toLocalFiles,
      'S3, JSON lines, gzip': s3(lines),
      [PARQUET_ON_S3]: s3({ file_format: 'Parquet', compression: 'zstd' }),
      [ICEBERG]: () => ({
        type: 'Iceberg',
        config: {
          catalog_uri: lake.uri,
          namespace: lake.namespace,
          table_name: newTable(),
          region: lake.bucket.region,
          endpoint_url: lake.bucket.endpoint,
          ...keys,
        },
      }),
      'GCS, JSON lines, gzip': () => ({
        type: 'GCS',
        config: {
          bucket_name: gcs.bucket,
          prefix: randomUUID(),
          service_account_key: gcs.key,
          endpoint_url: gcs.gateway.origin,
          ...lines,
        },
      }),
      'AzureBlob, JSON lines, gzip': () => ({
        type: 'AzureBlob',
        config: {
          container_name: azure.client.containerName,
          prefix: randomUUID(),
          connection_string: connectionString(azure.endpoint),
          ...lines,
        },
      }),
      Postgres: () => ({
        type: 'Postgres',
        config: {
          host: postgres.hostname,
          port: Number(postgres.port),
          user: postgres.username,
          password: decodeURIComponent(postgres.password),
          database: postgres.pathname.slice(1),
          schema: 'public',
          table_name: newTable(),
        },
      }),
      'HTTP, gzip': () => ({
        type: 'HTTP',
        config: { url: `${receiver.url}/${randomUUID()}`, body_format: 'template', gzip: true },
      }),
      'NoOp, which counts rows': () => ({ type: 'NoOp', config: {} }),
    },
    async stop() {
      clearInterval(forgetting);
      await Promise.all([receiver.stop(), stopTestIcebergCatalog(), stopTestGcs(), stopTestAzurite()]);
      await Promise.all([stopTestObjectStore(), stopTestDatabases()]);
    },
  };
}
