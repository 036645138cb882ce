/** Changes of a table by other programs, not through the destination. */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import assert from 'node:assert/strict';
import { writeAvro } from '../../../src/exports/destinations/iceberg/avro.ts';
import {
  MANIFEST_LIST_SCHEMA,
  manifestSchema,
  type ManifestEntry,
  type ManifestFile,
} from '../../../src/exports/destinations/iceberg/manifest-schemas.ts';
import { currentSnapshot } from '../../../src/exports/destinations/iceberg/present.ts';
import { partitionFields, schemaOf, specOf } from '../../../src/exports/destinations/iceberg/table.ts';
import type { IcebergPlace } from './iceberg-place.ts';

async function send(place: IcebergPlace, path: string, body: object): Promise<void> {
  const { uri, namespace } = place.server;
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value)) : value,
  );
  const answer = await fetch(`${uri}/v1/namespaces/${namespace}/tables${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  });
  assert.ok(answer.ok, `${answer.status}`);
}

export const change = (place: IcebergPlace, updates: object[]) => send(place, '/events', { requirements: [], updates });

const typeOf = (name: string) => (name === '_sluice_interval_time' ? 'timestamptz' : 'string');

export async function createTable(
  place: IcebergPlace,
  names: readonly string[],
  partition: readonly string[],
): Promise<void> {
  const fields = names.map((name, index) => ({ id: index + 1, name, type: typeOf(name), required: false }));
  await send(place, '', {
    name: 'events',
    schema: { type: 'struct', 'schema-id': 0, fields },
    'partition-spec': {
      'spec-id': 0,
      fields: partition.map((name, index) => ({
        name,
        transform: 'identity',
        'source-id': names.indexOf(name) + 1,
        'field-id': 1000 + index,
      })),
    },
    properties: { 'format-version': '2' },
  });
}

/** Adds a file of position deletes to the partition of the first data file, as engines with merge-on-read do. */
export async function deleteBeside(place: IcebergPlace): Promise<void> {
  const metadata = (await place.metadata())!;
  const current = currentSnapshot(metadata)!;
  const manifests = await place.readAvro<ManifestFile>(current['manifest-list']);
  const [first] = await place.readAvro<ManifestEntry>(manifests[0]!.manifest_path);
  const sequence = BigInt(metadata['last-sequence-number']) + 1n;
  const snapshotId = 4_000_000_000_000_000_001n;
  const url = (name: string) => `${metadata.location}/metadata/deletes-${name}`;
  const put = async (name: string, Body: Buffer) => {
    const { client, bucket: Bucket } = place.server.bucket;
    await client.send(new PutObjectCommand({ Bucket, Key: new URL(url(name)).pathname.slice(1), Body }));
  };
  const entry = {
    status: 1,
    snapshot_id: snapshotId,
    sequence_number: null,
    file_sequence_number: null,
    data_file: { ...first!.data_file, content: 1, file_path: url('rows.parquet'), record_count: 1n },
  };
  const header = {
    schema: JSON.stringify(schemaOf(metadata)),
    'partition-spec': JSON.stringify(specOf(metadata, 0).fields),
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'deletes',
  };
  const bytes = await writeAvro(manifestSchema(partitionFields(metadata, 0)), header, [entry]);
  await put('manifest.avro', bytes);
  const manifest = {
    ...manifests[0]!,
    manifest_path: url('manifest.avro'),
    manifest_length: BigInt(bytes.length),
    content: 1,
    sequence_number: sequence,
    min_sequence_number: sequence,
    added_snapshot_id: snapshotId,
  };
  await put('list.avro', await writeAvro(MANIFEST_LIST_SCHEMA, { 'format-version': '2' }, [manifest, ...manifests]));
  const parent = current['snapshot-id'];
  const snapshot = {
    'snapshot-id': snapshotId,
    'parent-snapshot-id': parent,
    'sequence-number': sequence,
    'timestamp-ms': Date.now(),
    'manifest-list': url('list.avro'),
    'schema-id': metadata['current-schema-id'],
    summary: { operation: 'delete' },
  };
  await change(place, [
    { action: 'add-snapshot', snapshot },
    { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshotId },
  ]);
}
