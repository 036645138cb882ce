/**
 * Compaction of an interval that has just been delivered: the files of its parts become few, and many small manifests one. It changes no
 * row: the row groups are copied as they are, and the snapshot, of the operation `replace`, has the summary of the delivery.
 *
 * The rules are those of a delivery: each attempt reads our ledger first, and the compare-and-swap of the main branch fails if any commit
 * came between, so a compaction that was frozen undoes nothing. The snapshot id is fixed, so a lost answer is settled by looking for it.
 */
import { randomBytes } from 'node:crypto';
import { DestinationRejected, DestinationUnavailable, Superseded } from '../../../../platform/errors.ts';
import { joinFiles } from '../../../formats/parquet/join.ts';
import { UnreadableFile } from '../../../formats/unreadable.ts';
import type { Delivery } from '../../delivery.ts';
import { openUpload, reveal, stage } from '../../object-store/staging.ts';
import type { Snapshot, TableMetadata } from '../catalog.ts';
import { icebergFault } from '../faults.ts';
import type { Lake } from '../lake.ts';
import type { DataFile } from '../manifest-schemas.ts';
import { hasLiveFiles, type NewFile } from '../manifests.ts';
import { digestOfFiles, fileName, summaryValue, withValues } from '../present.ts';
import { commitSnapshot, compactionIdOf, waitBeforeAttempt } from '../snapshot.ts';
import { replacedColumns } from '../table.ts';
import { compactionPrefix, readTable, type TableSession, type TableState } from '../table-state.ts';
import { recordCompaction } from './clean.ts';
import { hasManyManifests, usualMergeCount, type MergeCount } from './merge.ts';

const MAX_ATTEMPTS = 10;
/** Iceberg's own default. */
const USUAL_FILE_BYTES = 512 * 1024 * 1024;
/** Limit of files that become one, because the footers of all are in memory. */
const MAX_FILES = 1000;
/** Limit of bytes that one compaction copies, because the run is not over before. */
const MAX_BYTES = 2 * 1024 * 1024 * 1024;
/** So many small manifests of the compacted export become one. Deliveries alone merge them by the table's own limit, which is 100. */
const MANIFESTS = 10;

type Merged = {
  /** Digest of the interval's files before. */
  of: string;
  removed: DataFile[];
  added: NewFile[];
};

/** @returns the size of the interval's files afterwards; undefined if there was nothing to do, or others have changed the interval */
export async function compactInterval(session: TableSession): Promise<{ bytes: number } | undefined> {
  const { catalog, delivery, context } = session;
  const snapshotId = compactionIdOf(delivery.runId);
  const token = randomBytes(4).toString('hex');
  let recordId: string | undefined;
  let merged: Merged | undefined;
  let isInDoubt = false;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (attempt > 0) await waitBeforeAttempt(attempt, context.signal);
    const metadata = await catalog.load();
    if (!metadata) return undefined;
    const made = metadata.snapshots?.find((snapshot) => BigInt(snapshot['snapshot-id']) === snapshotId);
    if (made) return { bytes: Number(summaryValue(made, 'bytes')) };
    // The ledger is read after the table, as for a delivery.
    await context.ownership.assertNotSuperseded();
    const held = await readTable(session, metadata);
    const of = digestOfFiles(held.files.map(({ file_path }) => file_path));
    const snapshot = ownSnapshot(held, delivery, of);
    if (!snapshot || (merged && merged.of !== of)) return undefined;
    const groups = mergeable(held.files, delivery, targetBytes(metadata));
    const mergeCount = mergeCountOf(metadata, delivery);
    if (groups.length === 0 && !hasManyManifests(metadata, held.list.filter(hasLiveFiles), mergeCount))
      return undefined;

    recordId = await recordCompaction(session, metadata, token, recordId);
    try {
      merged ??= { of, removed: groups.flat(), added: await mergeFiles(session, groups) };
      const files = filesAfter(held, merged);
      const answer = await commitSnapshot(session, held, {
        snapshotId,
        prefix: compactionPrefix(metadata, delivery.runId, token),
        added: merged.added,
        removed: merged.removed,
        operation: 'replace',
        mergeCount,
        summary: withValues(snapshot, { files: digestOfFiles(files.urls), bytes: String(files.bytes) }),
        step: 'compact',
      });
      if (answer === 'committed') return { bytes: files.bytes };
      if (answer === 'unknown') isInDoubt = true;
    } catch (error) {
      // No commit of ours is under way any more, so the files can go.
      if (!isInDoubt) await context.artifacts.discard([recordId]);
      throw error;
    }
  }
  throw icebergFault('concurrent_commits');
}

/** Says for a run's log why a compaction failed. Messages of other errors than ours may contain hosts, so they are left out. */
export function whyNotMerged(error: unknown): string {
  if (error instanceof UnreadableFile)
    return `Files could not be merged: one of them cannot be read (${error.message}).`;
  if (error instanceof Superseded) return 'Files were not merged: a later run has taken the data interval.';
  if (error instanceof DestinationRejected || error instanceof DestinationUnavailable)
    return `Files could not be merged. ${error.message}`;
  return 'Files could not be merged, because of an unknown error.';
}

/** Other exports in the table have not chosen to be compacted: to their manifests, this is a commit like any other. */
function mergeCountOf(metadata: TableMetadata, { exportId }: Delivery): MergeCount {
  const usual = usualMergeCount(metadata);
  // tooth: iceberg-compact-own-manifests
  return (id) => (id === exportId ? MANIFESTS : usual(id));
}

/** The snapshot of the interval's delivery, if it is ours, and readers see all of its files and nothing else. */
function ownSnapshot(
  { metadata, present, deletes }: TableState,
  { runId, epoch, columns }: Delivery,
  files: string,
): Snapshot | undefined {
  const { snapshot, receipt } = present ?? {};
  const isOurs = receipt?.run_id === runId && receipt.epoch === epoch;
  // Rows that another writer has deleted beside the files would come back in a new file.
  // tooth: iceberg-compact-deletes
  if (!isOurs || deletes.length > 0) return undefined;
  if (!snapshot || summaryValue(snapshot, 'files') !== files) return undefined;
  return replacedColumns(metadata, snapshot, columns).length === 0 ? snapshot : undefined;
}

/**
 * None where files of an earlier run would stay beside merged ones: the names of an interval's files say which run delivered it, and if they
 * name two, the snapshot of the delivery can never expire.
 */
function mergeable(files: readonly DataFile[], { runId }: Delivery, target: number): DataFile[][] {
  const groups = groupsOf(files, target);
  const merged = new Set(groups.flat());
  return files.every((file) => merged.has(file) || file.file_path.includes(runId)) ? groups : [];
}

/** The files of which each group becomes one. A file that is large enough stays alone. */
function groupsOf(files: readonly DataFile[], target: number): DataFile[][] {
  const groups: DataFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const size = Number(file.file_size_in_bytes);
    const group = groups.at(-1);
    const fits = group && group.length < MAX_FILES && bytes + size <= target;
    if (fits) group.push(file);
    else groups.push([file]);
    bytes = fits ? bytes + size : size;
  }
  let total = 0;
  return groups.filter((group) => {
    if (group.length === 1) return false;
    total += group.reduce((sum, file) => sum + Number(file.file_size_in_bytes), 0);
    return total <= MAX_BYTES;
  });
}

function targetBytes({ properties = {} }: TableMetadata): number {
  return Number(properties['write.target-file-size-bytes']) || USUAL_FILE_BYTES;
}

/** Writes one file for each group, which no snapshot names yet. */
async function mergeFiles(
  { lake, delivery, context }: TableSession,
  groups: readonly (readonly DataFile[])[],
): Promise<NewFile[]> {
  const { store, keyOf } = lake;
  const added: NewFile[] = [];
  for (const [index, group] of groups.entries()) {
    const [{ file_path: first }] = group as [DataFile];
    const url =
      first.slice(0, first.lastIndexOf('/') + 1) + fileName(delivery, `m${index}`, randomBytes(8).toString('hex'));
    const opened = await openUpload({ store, context }, keyOf(url));
    const joined = joinFiles(
      group.map(
        ({ file_path }) =>
          async () =>
            contentOf(lake, file_path),
      ),
    );
    const rows = group.reduce((sum, file) => sum + Number(file.record_count), 0);
    const staged = await stage({ store, context }, opened, joined.bytes, () => {
      if (joined.rows() !== rows) throw new UnreadableFile(`it has ${joined.rows()} rows instead of ${rows}`);
    });
    await context.step(`merged-${index}`);
    await reveal(lake, staged);
    added.push({ url, rows, bytes: staged.bytes });
  }
  return added;
}

async function contentOf({ store, keyOf }: Lake, url: string): Promise<AsyncIterable<Uint8Array>> {
  const content = await store.get(keyOf(url));
  if (!content) throw new UnreadableFile('it is missing');
  return content;
}

function filesAfter({ files }: TableState, { removed, added }: Merged): { urls: string[]; bytes: number } {
  const gone = new Set(removed.map(({ file_path }) => file_path));
  const stay = files
    .filter(({ file_path }) => !gone.has(file_path))
    .map((file) => ({ url: file.file_path, bytes: Number(file.file_size_in_bytes) }));
  const all = [...stay, ...added];
  return { urls: all.map(({ url }) => url), bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) };
}
