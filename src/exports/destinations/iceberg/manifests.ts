/** Finds and replaces the files of one data interval in the manifests of a snapshot, and keeps everything else as it is. */
import { parseIso } from '../../../platform/time/iso.ts';
import { MICROSECONDS_1970_TO_2000 } from '../../formats/parquet/values.ts';
import { UnreadableFile } from '../../formats/unreadable.ts';
import { severalAtOnce } from '../at-once.ts';
import { readAvro, writeAvro } from './avro.ts';
import type { Snapshot, TableMetadata } from './catalog.ts';
import { icebergFault } from './faults.ts';
import type { Lake } from './lake.ts';
import {
  FIELD_NAMES,
  MANIFEST_LIST_SCHEMA,
  manifestSchema,
  type DataFile,
  type ManifestEntry,
  type ManifestFile,
} from './manifest-schemas.ts';
import { EXPORT_COLUMN, INTERVAL_COLUMN, partitionFields, schemaOf, specOf } from './table.ts';

/** `end` is exclusive; both are microseconds since 1970. */
export type IntervalPartition = { exportId: string; start: bigint; end: bigint };

/** @returns nothing for what are not instants */
export function intervalPartition(exportId: string, start: string, end: string): IntervalPartition | undefined {
  const [from, until] = [parseIso(start), parseIso(end)];
  if (from === undefined || until === undefined) return undefined;
  return { exportId, start: from + MICROSECONDS_1970_TO_2000, end: until + MICROSECONDS_1970_TO_2000 };
}

export const DELETED = 2;

export function isOfInterval({ partition }: DataFile, { exportId, start, end }: IntervalPartition): boolean {
  const time = partition[INTERVAL_COLUMN.name];
  return partition[EXPORT_COLUMN.name] === exportId && typeof time === 'bigint' && time >= start && time < end;
}

/**
 * @returns an empty list without a snapshot
 * @throws DestinationUnavailable if it is damaged: a manifest that is not understood would be left out of the next snapshot
 */
export async function readManifestList(lake: Lake, snapshot: Snapshot | undefined): Promise<ManifestFile[]> {
  if (!snapshot) return [];
  const list = await readAvro<ManifestFile>(await lake.read(snapshot['manifest-list']), FIELD_NAMES).catch(
    throwUnreadable,
  );
  // A list that was cut off right behind its header is a valid file without manifests.
  const isCutOff = list.length === 0 && Number(snapshot.summary?.['total-data-files']) > 0;
  // tooth: iceberg-manifest-counts
  if (isCutOff || !list.every(isManifestFile)) throw icebergFault('metadata_unreadable');
  return list;
}

/** @throws DestinationUnavailable if it is damaged, or not as long as the list says */
export async function readManifest(
  lake: Lake,
  { manifest_path, manifest_length }: ManifestFile,
): Promise<ManifestEntry[]> {
  const bytes = await lake.read(manifest_path);
  const entries = await readAvro<ManifestEntry>(bytes, FIELD_NAMES).catch(throwUnreadable);
  if (bytes.length !== Number(manifest_length) || !entries.every(isManifestEntry))
    throw icebergFault('metadata_unreadable');
  return entries;
}

function throwUnreadable(error: unknown): never {
  throw error instanceof UnreadableFile ? icebergFault('metadata_unreadable', { cause: error }) : error;
}

/** Without its counts, it would not be known whether the manifest has files. Tables of format version 1 may lack them. */
function isManifestFile({ manifest_path, manifest_length, ...one }: ManifestFile): boolean {
  const numbers = [one.content, one.partition_spec_id, one.added_files_count, one.existing_files_count];
  const isWhole = typeof manifest_path === 'string' && typeof manifest_length === 'bigint';
  return isWhole && typeof one.sequence_number === 'bigint' && numbers.every((number) => typeof number === 'number');
}

function isManifestEntry({ status, data_file }: ManifestEntry): boolean {
  const { file_path, partition, record_count, file_size_in_bytes } = data_file ?? {};
  const isWhole =
    typeof status === 'number' && typeof file_path === 'string' && typeof partition === 'object' && partition !== null;
  return isWhole && [record_count, file_size_in_bytes].every((number) => typeof number === 'bigint');
}

export type HeldManifest = { manifest: ManifestFile; live: ManifestEntry[]; ours: DataFile[] };

/** Manifests with live files of the interval, read whole. */
export async function findManifests(
  lake: Lake,
  metadata: TableMetadata,
  list: readonly ManifestFile[],
  interval: IntervalPartition,
): Promise<HeldManifest[]> {
  const candidates = list.filter((manifest) => manifest.content === 0 && mayHold(metadata, manifest, interval));
  const read = await severalAtOnce(candidates, async (manifest) => {
    const entries = await readManifest(lake, manifest);
    const live = entries.filter(({ status }) => status !== DELETED);
    const ours = live.map((entry) => entry.data_file).filter((file) => isOfInterval(file, interval));
    return { manifest, live, ours };
  });
  return read.filter(({ ours }) => ours.length > 0);
}

/** Whether the manifest has live files. A manifest that only lists what an earlier snapshot removed is not needed any more. */
export function hasLiveFiles(one: Pick<ManifestFile, 'added_files_count' | 'existing_files_count'>): boolean {
  return one.added_files_count > 0 || one.existing_files_count > 0;
}

/** Whether the bounds of the manifest's partitions include the interval. */
export function mayHold(
  metadata: TableMetadata,
  manifest: Pick<ManifestFile, 'partitions' | 'partition_spec_id' | 'added_files_count' | 'existing_files_count'>,
  { exportId, start, end }: IntervalPartition,
): boolean {
  if (!hasLiveFiles(manifest)) return false;
  const fields = partitionFields(metadata, manifest.partition_spec_id);
  if (!manifest.partitions) return true;
  return fields.every(({ name }, index) => {
    const { lower_bound: lower, upper_bound: upper } = manifest.partitions![index]!;
    if (!lower || !upper) return false;
    if (name === EXPORT_COLUMN.name) return lower.toString() <= exportId && exportId <= upper.toString();
    return lower.readBigInt64LE() < end && upper.readBigInt64LE() >= start;
  });
}

export type NewFile = { url: string; rows: number; bytes: number };

export type Writing = {
  lake: Lake;
  metadata: TableMetadata;
  snapshotId: bigint;
  sequence: bigint;
  /** @returns the URL of the next manifest */
  nameManifest(): string;
};

/** Writes a manifest of the interval's new files. */
export async function writeManifestOfNewFiles(
  writing: Writing,
  files: readonly NewFile[],
  interval: IntervalPartition,
): Promise<ManifestFile> {
  const entries = files.map(({ url, rows, bytes }): ManifestEntry => {
    const partition = { [EXPORT_COLUMN.name]: interval.exportId, [INTERVAL_COLUMN.name]: interval.start };
    return {
      status: 1,
      snapshot_id: writing.snapshotId,
      sequence_number: null,
      file_sequence_number: null,
      data_file: {
        content: 0,
        file_path: url,
        file_format: 'PARQUET',
        partition,
        record_count: BigInt(rows),
        file_size_in_bytes: BigInt(bytes),
        ...NO_STATISTICS,
      },
    };
  });
  return writeManifest(writing, writing.metadata['default-spec-id'], entries);
}

const NO_STATISTICS = Object.fromEntries(
  [
    'column_sizes',
    'value_counts',
    'null_value_counts',
    'nan_value_counts',
    'lower_bounds',
    'upper_bounds',
    'key_metadata',
    'split_offsets',
    'equality_ids',
    'sort_order_id',
  ].map((name) => [name, null]),
);

/** Writes the manifest again without these files; the format requires them to be listed as deleted. @param gone their URLs */
export async function rewriteWithout(
  writing: Writing,
  { manifest, live }: HeldManifest,
  gone: ReadonlySet<string>,
): Promise<ManifestFile> {
  const entries = live.map((entry): ManifestEntry => {
    const existing = existingEntry(entry, manifest);
    const isGone = gone.has(entry.data_file.file_path);
    return isGone ? { ...existing, status: DELETED, snapshot_id: writing.snapshotId } : existing;
  });
  return writeManifest(writing, manifest.partition_spec_id, entries);
}

/** Returns the entry as another manifest lists it: it may inherit numbers from its own manifest, but a copy must name them. */
export function existingEntry(entry: ManifestEntry, manifest: ManifestFile): ManifestEntry {
  return {
    ...entry,
    status: 0,
    snapshot_id: entry.snapshot_id ?? manifest.added_snapshot_id,
    sequence_number: entry.sequence_number ?? manifest.sequence_number,
    file_sequence_number: entry.file_sequence_number ?? manifest.sequence_number,
  };
}

export async function writeManifest(
  { lake, metadata, snapshotId, sequence, nameManifest }: Writing,
  specId: number,
  entries: readonly ManifestEntry[],
): Promise<ManifestFile> {
  const fields = partitionFields(metadata, specId);
  const schema = schemaOf(metadata);
  const header = {
    schema: JSON.stringify(schema),
    'schema-id': String(schema['schema-id']),
    'partition-spec': JSON.stringify(specOf(metadata, specId).fields),
    'partition-spec-id': String(specId),
    'format-version': '2',
    content: 'data',
  };
  const bytes = await writeAvro(manifestSchema(fields), header, entries);
  const url = nameManifest();
  await lake.write(url, bytes);
  const counts = (status: number) => {
    const found = entries.filter((entry) => entry.status === status);
    return { files: found.length, rows: found.reduce((sum, entry) => sum + entry.data_file.record_count, 0n) };
  };
  const [existing, added, deleted] = [counts(0), counts(1), counts(DELETED)];
  const sequences = entries.flatMap((entry) => (entry.status === 0 ? [entry.sequence_number!] : []));
  return {
    manifest_path: url,
    manifest_length: BigInt(bytes.length),
    partition_spec_id: specId,
    content: 0,
    sequence_number: sequence,
    min_sequence_number: sequences.reduce((least, one) => (one < least ? one : least), sequence),
    added_snapshot_id: snapshotId,
    added_files_count: added.files,
    existing_files_count: existing.files,
    deleted_files_count: deleted.files,
    added_rows_count: added.rows,
    existing_rows_count: existing.rows,
    deleted_rows_count: deleted.rows,
    partitions: fields.map(({ name }) => boundsOf(entries.map(({ data_file }) => data_file.partition[name] ?? null))),
    key_metadata: null,
  };
}

function boundsOf(values: readonly (string | bigint | null)[]) {
  const bytes = values.flatMap((value) => (value === null ? [] : [{ value, bytes: bytesOf(value) }]));
  // Texts are compared as bytes.
  const order = (a: (typeof bytes)[number], b: (typeof bytes)[number]) =>
    typeof a.value === 'bigint' ? (a.value < (b.value as bigint) ? -1 : 1) : Buffer.compare(a.bytes, b.bytes);
  bytes.sort(order);
  return {
    contains_null: bytes.length < values.length,
    contains_nan: null,
    lower_bound: bytes[0]?.bytes ?? null,
    upper_bound: bytes.at(-1)?.bytes ?? null,
  };
}

function bytesOf(value: string | bigint): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

export async function writeManifestList(
  lake: Lake,
  url: string,
  manifests: readonly ManifestFile[],
  ids: { snapshotId: bigint; parent: bigint | null; sequence: bigint },
): Promise<void> {
  const header = {
    'snapshot-id': String(ids.snapshotId),
    'parent-snapshot-id': String(ids.parent),
    'sequence-number': String(ids.sequence),
    'format-version': '2',
  };
  await lake.write(url, await writeAvro(MANIFEST_LIST_SCHEMA, header, manifests));
}
