/** Changes of a table by other programs, not through the destination. */
import { CopyObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
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

export const setProperties = (place: IcebergPlace, updates: Record<string, string>) =>
  change(place, [{ action: 'set-properties', updates }]);

export async function dropColumn(place: IcebergPlace, dropped: string): Promise<void> {
  const metadata = (await place.metadata())!;
  const schema = schemaOf(metadata);
  const fields = schema.fields.filter(({ name }) => name !== dropped);
  await change(place, [
    { action: 'add-schema', schema: { ...schema, fields }, 'last-column-id': metadata['last-column-id'] },
    { action: 'set-current-schema', 'schema-id': -1 },
  ]);
}

const typeOf = (name: string) => (name === '_sluice_interval_time' ? 'timestamptz' : 'string');

export async function createTable(
  place: IcebergPlace,
  names: readonly string[],
  partition: readonly string[],
  formatVersion = '2',
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
    properties: { 'format-version': formatVersion },
  });
}

/** The state of the table before a change by another program. */
async function begin(place: IcebergPlace) {
  const metadata = (await place.metadata())!;
  const current = currentSnapshot(metadata)!;
  const manifests = await place.readAvro<ManifestFile>(current['manifest-list']);
  const sequence = BigInt(metadata['last-sequence-number']) + 1n;
  const url = (name: string) => `${metadata.location}/metadata/${sequence}-${name}`;
  return { place, metadata, current, manifests, sequence, url, snapshotId: 4_000_000_000_000_000_000n + sequence };
}
type Change = Awaited<ReturnType<typeof begin>>;

async function put({ place }: Change, url: string, Body: Buffer): Promise<void> {
  const { client, bucket: Bucket } = place.server.bucket;
  await client.send(new PutObjectCommand({ Bucket, Key: new URL(url).pathname.slice(1), Body }));
}

/** @returns the manifest of the entries, as the list names it */
async function writeManifest(
  one: Change,
  entries: readonly ManifestEntry[],
  content: 'data' | 'deletes',
): Promise<ManifestFile> {
  const { metadata, manifests, sequence, snapshotId } = one;
  const header = {
    schema: JSON.stringify(schemaOf(metadata)),
    'partition-spec': JSON.stringify(specOf(metadata, 0).fields),
    'partition-spec-id': '0',
    'format-version': '2',
    content,
  };
  const bytes = await writeAvro(manifestSchema(partitionFields(metadata, 0)), header, entries);
  const manifest_path = one.url(`${content}.avro`);
  await put(one, manifest_path, bytes);
  return {
    ...manifests[0]!,
    manifest_path,
    manifest_length: BigInt(bytes.length),
    content: content === 'data' ? 0 : 1,
    sequence_number: sequence,
    min_sequence_number: sequence,
    added_snapshot_id: snapshotId,
  };
}

async function commit(one: Change, manifests: readonly ManifestFile[], operation: string): Promise<void> {
  const { place, current, sequence, snapshotId } = one;
  const list = one.url('list.avro');
  await put(one, list, await writeAvro(MANIFEST_LIST_SCHEMA, { 'format-version': '2' }, manifests));
  const snapshot = {
    'snapshot-id': snapshotId,
    'parent-snapshot-id': BigInt(current['snapshot-id']),
    'sequence-number': sequence,
    'timestamp-ms': Date.now(),
    'manifest-list': list,
    'schema-id': one.metadata['current-schema-id'],
    summary: { operation },
  };
  await change(place, [
    { action: 'add-snapshot', snapshot },
    { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshotId },
  ]);
}

/** Adds a file of position deletes to the partition of the first data file, as engines with merge-on-read do. */
export async function deleteBeside(place: IcebergPlace): Promise<void> {
  const one = await begin(place);
  const [first] = await place.readAvro<ManifestEntry>(one.manifests[0]!.manifest_path);
  const entry = {
    status: 1,
    snapshot_id: one.snapshotId,
    sequence_number: null,
    file_sequence_number: null,
    data_file: { ...first!.data_file, content: 1, file_path: one.url('rows.parquet'), record_count: 1n },
  };
  await commit(one, [await writeManifest(one, [entry], 'deletes'), ...one.manifests], 'delete');
}

/** Copies every data file to a name of another program's, as compaction does. */
export async function renameFiles(place: IcebergPlace): Promise<void> {
  const one = await begin(place);
  const { client, bucket: Bucket } = place.server.bucket;
  const entries: ManifestEntry[] = [];
  for (const { manifest_path } of one.manifests)
    for (const { status, data_file } of await place.readAvro<ManifestEntry>(manifest_path)) {
      if (status === 2) continue;
      const file_path = `${one.metadata.location}/data/theirs-${one.sequence}-${entries.length}.parquet`;
      const [from, to] = [data_file.file_path, file_path].map((url) => new URL(url).pathname.slice(1));
      await client.send(new CopyObjectCommand({ Bucket, CopySource: encodeURI(`${Bucket}/${from}`), Key: to }));
      const numbers = { sequence_number: null, file_sequence_number: null };
      entries.push({ status: 1, snapshot_id: one.snapshotId, ...numbers, data_file: { ...data_file, file_path } });
    }
  const manifest = await writeManifest(one, entries, 'data');
  const counts = { added_files_count: entries.length, existing_files_count: 0 };
  await commit(one, [{ ...manifest, ...counts, partitions: null }], 'replace');
}

/** Writes one manifest in place of all, as engines that rewrite manifests do. @param changed the entries that it gets */
export async function mergeManifests(
  place: IcebergPlace,
  changed = (entries: readonly ManifestEntry[]) => entries,
): Promise<void> {
  const one = await begin(place);
  const read = one.manifests.map(async ({ manifest_path, sequence_number, added_snapshot_id }) => {
    const entries = await place.readAvro<ManifestEntry>(manifest_path);
    return entries
      .filter(({ status }) => status !== 2)
      .map((entry) => ({
        ...entry,
        status: 0,
        snapshot_id: entry.snapshot_id ?? added_snapshot_id,
        sequence_number: entry.sequence_number ?? sequence_number,
        file_sequence_number: entry.file_sequence_number ?? sequence_number,
      }));
  });
  const entries = changed((await Promise.all(read)).flat());
  const manifest = await writeManifest(one, entries, 'data');
  const counts = { added_files_count: 0, existing_files_count: entries.length };
  await commit(one, [{ ...manifest, ...counts, partitions: null }], 'replace');
}

/** Asserts that all snapshots of the table can be read. */
export async function assertWhole(place: IcebergPlace): Promise<void> {
  const { client, bucket: Bucket } = place.server.bucket;
  for (const { 'manifest-list': list } of (await place.metadata())!.snapshots!)
    for (const { manifest_path } of await place.readAvro<ManifestFile>(list))
      for (const { status, data_file } of await place.readAvro<ManifestEntry>(manifest_path))
        if (status !== 2)
          await client.send(new HeadObjectCommand({ Bucket, Key: new URL(data_file.file_path).pathname.slice(1) }));
}
