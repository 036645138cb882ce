/** Finds the interval's delivery in the table: by its snapshot's summary or, once the snapshot has expired, by the names of its files. */
import { createHash } from 'node:crypto';
import type { Column } from '../../../conditions/rows/columns.ts';
import { RowsDigester } from '../../../conditions/rows/rows-digest.ts';
import { readExportedFile } from '../../formats/read-file.ts';
import { SoughtRows } from '../../formats/sought-rows.ts';
import type { IntervalBounds, Receipt } from '../contract.ts';
import type { Delivery, Search } from '../delivery.ts';
import { compactInstant, instantOfCompact } from '../object-store/prefix-variables.ts';
import type { Ownership } from '../ownership.ts';
import type { Snapshot, TableMetadata } from './catalog.ts';
import { icebergFault } from './faults.ts';
import type { Lake } from './lake.ts';
import type { DataFile } from './manifest-schemas.ts';

/** Prefix of the properties of our snapshots' summaries. */
const OURS = 'sluice.';

export type PresentDelivery = {
  receipt: Receipt & { run_id: string };
  /** Undefined once the snapshot has expired. */
  snapshot: Snapshot | undefined;
};

export type Summary = Record<string, string>;

export function summaryOf(
  delivery: Delivery,
  receipt: Receipt,
  { content, files }: { content: string; files: string },
): Summary {
  const values = {
    export: delivery.exportId,
    'interval-start': delivery.start,
    'interval-end': delivery.end,
    run: delivery.runId,
    timeline: receipt.timeline ?? '',
    epoch: String(receipt.epoch),
    cutoff: receipt.cutoff,
    rows: String(receipt.rows),
    digest: receipt.digest,
    bytes: String(receipt.bytes),
    content,
    files,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [OURS + name, value]));
}

/** Our properties of a snapshot, with other values for some. */
export function withValues({ summary = {} }: Snapshot, values: Readonly<Record<string, string>>): Summary {
  const ours = Object.entries(summary).filter(([name]) => name.startsWith(OURS));
  const changed = Object.entries(values).map(([name, value]) => [OURS + name, value]);
  return Object.fromEntries([...ours, ...changed]) as Summary;
}

export const summaryValue = ({ summary }: Snapshot, name: string): string | undefined => summary?.[OURS + name];

/** Identifies a set of data files, in any order. */
export function digestOfFiles(urls: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(urls.toSorted())).digest('hex');
}

export function currentSnapshot(metadata: TableMetadata): Snapshot | undefined {
  const id = metadata['current-snapshot-id'] ?? -1;
  return metadata.snapshots?.find((snapshot) => BigInt(snapshot['snapshot-id']) === BigInt(id));
}

/** Snapshots from the current one back, as far as the table still knows them. */
export function* ancestors(metadata: TableMetadata): Generator<Snapshot> {
  const byId = new Map(metadata.snapshots?.map((snapshot) => [BigInt(snapshot['snapshot-id']), snapshot]));
  let snapshot = currentSnapshot(metadata);
  while (snapshot) {
    yield snapshot;
    const parent = snapshot['parent-snapshot-id'];
    snapshot = parent === undefined || parent === null ? undefined : byId.get(BigInt(parent));
  }
}

export function findInSnapshots(
  metadata: TableMetadata,
  { exportId, start, end }: Pick<Delivery, 'exportId' | 'start' | 'end'>,
  location: string,
): PresentDelivery | undefined {
  for (const snapshot of ancestors(metadata)) {
    const value = (name: string) => summaryValue(snapshot, name);
    if (value('export') !== exportId || value('interval-start') !== start || value('interval-end') !== end) continue;
    const receipt = {
      rows: Number(value('rows')),
      digest: value('digest') ?? '0',
      bytes: Number(value('bytes')),
      location,
      epoch: Number(value('epoch')),
      cutoff: value('cutoff') ?? '',
      run_id: value('run') ?? '',
      timeline: value('timeline') || null,
    };
    return { receipt, snapshot };
  }
  return undefined;
}

/** The interval's start is in the partition's folder, and the end in the name. */
const FILE_NAME = /=([\dTZ.]+)\/e(\d+)-([0-9a-f-]{36})-(?:\d+|m\d+)-([\dTZ.]+)-[0-9a-f]{16}\.parquet$/;

/** @param part its index; `m0`, … for a file in which the rows of several parts were merged */
export function fileName({ epoch, runId, end }: Delivery, part: number | `m${number}`, token: string): string {
  return `e${String(epoch).padStart(7, '0')}-${runId}-${part}-${compactInstant(end)}-${token}.parquet`;
}

/** @param key of a file of a delivery */
export function isMergedFile(key: string): boolean {
  return /-[0-9a-f]{12}-m\d+-[\dTZ.]+-[0-9a-f]{16}\.parquet$/.test(key);
}

/** @returns nothing for a file that another program has written */
export function boundsOfFile(path: string): IntervalBounds | undefined {
  const named = FILE_NAME.exec(path);
  const [start, end] = [instantOfCompact(named?.[1]), instantOfCompact(named?.[4])];
  return start && end ? { start, end } : undefined;
}

/**
 * Finds the delivery by its files, whose names contain the run. Compaction gives files other names: then the delivery is the last that our
 * database knows, if the number of rows agrees.
 * @throws DestinationRejected when neither explains the files
 */
export async function findInFiles(
  lake: Lake,
  files: readonly DataFile[],
  { ownership, delivery, location }: { ownership: Ownership; delivery: Delivery; location: string },
): Promise<PresentDelivery | undefined> {
  if (files.length === 0) return undefined;
  const rows = files.reduce((sum, file) => sum + Number(file.record_count), 0);
  const last = await ownership.findLastReceipt();
  const bytes = files.reduce((sum, file) => sum + Number(file.file_size_in_bytes), 0);
  const name = nameOfFiles(files);
  if (!name) {
    if (last?.rows !== rows || !last.run_id) throw icebergFault('files_unattributed');
    return { receipt: { ...last, run_id: last.run_id }, snapshot: undefined };
  }
  const { epoch, runId } = name;
  if (last?.run_id === runId) return { receipt: { ...last, run_id: runId }, snapshot: undefined };
  // A later run that found its content there already has left the files of the earlier one.
  const isKept = last?.run_id && last.epoch > epoch && last.rows === rows && (rows === 0 || last.bytes === bytes);
  if (isKept && (await ownership.knowsRun(runId)))
    return { receipt: { ...last, run_id: last.run_id! }, snapshot: undefined };
  const { digest = '0' } = await readFiles(lake, files, delivery.columns);
  const cutoff = runId === delivery.runId ? delivery.cutoff : '';
  const receipt = { rows, digest, bytes, location, epoch, cutoff, run_id: runId, timeline: null };
  return { receipt, snapshot: undefined };
}

/** The delivery that all the files name; nothing if there are none, or they do not agree. */
export function nameOfFiles(files: readonly DataFile[]): { epoch: number; runId: string } | undefined {
  const named = new Set(files.map(({ file_path }) => FILE_NAME.exec(file_path)?.slice(2, 4).join('/')));
  const [name] = named;
  if (named.size !== 1 || name === undefined) return undefined;
  const [epoch, runId] = name.split('/') as [string, string];
  return { epoch: Number(epoch), runId };
}

const FILE_KIND = { format: 'Parquet', compression: null } as const;

/** Reads every row of the files. @returns no digest if the rows have no uuid @throws UnreadableFile */
export async function readFiles(
  lake: Lake,
  files: readonly DataFile[],
  columns: readonly Column[],
): Promise<{ rows: number; digest: string | undefined }> {
  const hasUuid = columns.some(({ name, hidden }) => name === 'uuid' && !hidden);
  const digester = hasUuid ? new RowsDigester() : undefined;
  let rows = 0;
  for (const { file_path } of files) {
    const content = await lake.store.get(lake.keyOf(file_path));
    if (!content) continue;
    rows += (await readExportedFile(content, FILE_KIND, digester)).rows;
  }
  return { rows, digest: digester?.digest() };
}

/** Counts the rows with one of the texts in each file, in the order of the files' names. @throws UnreadableFile */
export async function* searchRows(
  lake: Lake,
  files: readonly DataFile[],
  columns: readonly Column[],
  { texts, skip }: Pick<Search, 'texts' | 'skip'>,
): AsyncGenerator<number> {
  const urls = files.map(({ file_path: url }) => url).sort();
  for (const url of urls.slice(skip)) {
    const sought = new SoughtRows(texts, columns);
    const content = await lake.store.get(lake.keyOf(url));
    if (content) await readExportedFile(content, FILE_KIND, undefined, sought);
    yield sought.found;
  }
}
