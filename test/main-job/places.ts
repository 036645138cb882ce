/** Destinations of the main job beside those of the example: object stores at emulators, and a table that pyiceberg reads. */
import { createHash } from 'node:crypto';
import type { Content, Delivered } from '../../examples/access-log/content.ts';
import type { Target } from '../../examples/access-log/destinations.ts';
import { readFiles } from '../../examples/access-log/files.ts';
import { ancestors, currentSnapshot, summaryValue } from '../../src/exports/destinations/iceberg/present.ts';
import { readByPyiceberg } from '../support/exports/iceberg-reader.ts';
import { lakeReader } from '../support/exports/lake-reader.ts';
import { connectionString, createTestContainer } from '../support/servers/azurite.ts';
import { createGcsBucket } from '../support/servers/gcs/fake-gcs.ts';
import { createTestNamespace } from '../support/servers/iceberg-catalog.ts';
import { OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';

export async function startPlaces(): Promise<(name: string) => Target[]> {
  const targets = await Promise.all([gcsTarget(), azureTarget(), icebergTarget()]);
  return (name) => targets.map((target) => target(name));
}

async function gcsTarget(): Promise<(name: string) => Target> {
  const { bucket, key, gateway, list, read } = await createGcsBucket();
  return (name) => ({
    title: 'GCS',
    interval: 'day',
    destination: {
      type: 'GCS',
      config: {
        bucket_name: bucket,
        prefix: name,
        service_account_key: key,
        endpoint_url: gateway.origin,
        file_format: 'JSONLines',
        compression: 'gzip',
      },
    },
    read: (exportId) =>
      readFiles(
        { list: async () => (await list()).map((object) => object.name), read: async (one) => (await read(one))! },
        exportId,
      ),
  });
}

async function azureTarget(): Promise<(name: string) => Target> {
  const { endpoint, client } = await createTestContainer();
  const store = {
    list: async () => (await Array.fromAsync(client.listBlobsFlat())).map(({ name }) => name),
    read: async (key: string) => client.getBlobClient(key).downloadToBuffer(),
  };
  return (name) => ({
    title: 'AzureBlob',
    interval: 'day',
    destination: {
      type: 'AzureBlob',
      config: {
        container_name: client.containerName,
        prefix: name,
        connection_string: connectionString(endpoint),
        file_format: 'JSONLines',
        compression: 'zstd',
      },
    },
    read: (exportId) => readFiles(store, exportId),
  });
}

async function icebergTarget(): Promise<(name: string) => Target> {
  const server = await createTestNamespace();
  const { uri, namespace, bucket } = server;
  const { loadTable, filesOf } = lakeReader(server);

  /** The rows as pyiceberg reads them, and the deliveries as the snapshots tell of them. */
  async function read(table: string, exportId: string): Promise<Content> {
    const metadata = (await loadTable(table))!;
    const rows = await readByPyiceberg(server, table);
    const files = await filesOf(currentSnapshot(metadata)!['manifest-list']);
    const lines = rows.map((row) => JSON.stringify(row)).sort();
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([files.sort(), lines]))
      .digest('hex');

    const byInterval = Map.groupBy(rows, (row) => instantOf(row['_sluice_interval_time']));
    const delivered = new Map<string, Delivered>();
    for (const snapshot of ancestors(metadata)) {
      const value = (name: string) => summaryValue(snapshot, name) ?? '';
      const start = value('interval-start');
      if (value('export') !== exportId || delivered.has(start)) continue;
      delivered.set(start, {
        start,
        end: value('interval-end'),
        epoch: Number(value('epoch')),
        claimed: { rows: Number(value('rows')), digest: value('digest') },
        rows: (byInterval.get(start) ?? []).map((row) => {
          return { uuid: String(row['uuid']), timestamp: instantOf(row['timestamp']) };
        }),
      });
    }
    const strange = [...byInterval.keys()].filter((start) => !delivered.has(start));
    return {
      delivered: [...delivered.values()],
      differences: strange.map((start) => `no snapshot tells of the rows of the interval from ${start}`),
      fingerprint,
    };
  }

  return (name) => {
    const table = name.replaceAll('-', '_');
    return {
      title: 'Iceberg',
      interval: 'day',
      destination: {
        type: 'Iceberg',
        config: {
          catalog_uri: uri,
          namespace,
          table_name: table,
          region: bucket.region,
          endpoint_url: bucket.endpoint,
          aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
          aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
        },
      },
      read: (exportId) => read(table, exportId),
    };
  };
}

/** @param text an instant in UTC as Python prints it, which leaves out a fraction of zero */
function instantOf(text: unknown): string {
  const [, day, time, fraction = '000000'] = /^(\S+) ([\d:]{8})(?:\.(\d{6}))?\+00:00$/.exec(String(text))!;
  return `${day}T${time}.${fraction}Z`;
}
