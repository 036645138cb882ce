/**
 * Removes what attempts left. A staged file is deleted only once a later delivery has moved the table's branch, because a frozen commit
 * might name it until then; and never when a snapshot names it. The same holds for the metadata that a commit wrote. What a compaction wrote
 * goes once any commit has moved the branch, because the compaction expects the branch where it was.
 */
import type { Artifact, RecordedArtifact } from '../../artifacts.ts';
import { severalAtOnce } from '../../at-once.ts';
import { isIntent } from '../../object-store/staging.ts';
import type { Upload } from '../../object-store/store.ts';
import { sweep } from '../../object-store/sweep.ts';
import type { Snapshot, TableMetadata } from '../catalog.ts';
import { isExpiry, settleExpiry } from './expire.ts';
import { withReadCache, type Lake } from '../lake.ts';
import { findManifests, readManifestList } from '../manifests.ts';
import { isMergedFile, summaryValue } from '../present.ts';
import { compactionIdOf, deliveryIdOf } from '../snapshot.ts';
import { compactionPrefix, metadataPrefix, readTable, type TableSession } from '../table-state.ts';

/** Above so many snapshots none is read, and the file stays. */
const MAX_SNAPSHOTS_READ = 1_000;

/** Record of a run that is about to write manifests under names of its own. */
type MetadataRecord = { place: string; metadata: string };

const isMetadata = (artifact: Artifact): artifact is MetadataRecord => artifact['metadata'] !== undefined;

/** Record of a run that is about to compact its delivery, if the main branch still is where it was. */
type CompactionRecord = { place: string; compaction: string; attempt: string; branch: string };

const isCompaction = (artifact: Artifact): artifact is CompactionRecord => artifact['compaction'] !== undefined;

const isUploadIntent = (artifact: Artifact) =>
  isIntent(artifact) && !isMetadata(artifact) && !isCompaction(artifact) && !isExpiry(artifact);

/** Records that manifests are about to be written, so that a later delivery removes them if this one is killed before its snapshot is made. */
export async function recordMetadata({ lake, delivery, context }: TableSession): Promise<void> {
  const record: MetadataRecord = { place: lake.store.place, metadata: delivery.runId };
  await context.artifacts.record(record);
}

const branchOf = (metadata: TableMetadata) => String(metadata['current-snapshot-id'] ?? null);

/**
 * Records that files and manifests are about to be written.
 * @param attempt of the run, in the names of its manifests: two attempts may be under way, because a lost heartbeat ends none
 * @param instead an earlier record, of another state of the branch @throws Superseded if that was discarded
 */
export async function recordCompaction(
  { lake, delivery, context }: TableSession,
  metadata: TableMetadata,
  attempt: string,
  instead: string | undefined,
): Promise<string> {
  const record: CompactionRecord = {
    place: lake.store.place,
    compaction: delivery.runId,
    attempt,
    branch: branchOf(metadata),
  };
  return context.artifacts.record(record, instead);
}

/**
 * @param metadata of the table, read after the records: a compaction that is under way then is recorded for the branch as it is there
 * @param records all of the data interval, of which those at other places stay
 * @returns ids of records that stay, because the files may still become the table's
 */
export async function cleanUp(
  session: TableSession,
  metadata: TableMetadata,
  records: readonly RecordedArtifact[],
): Promise<string[]> {
  const { lake, context } = session;
  const { store } = lake;
  const recorded = records.filter(({ artifact }) => artifact['place'] === store.place);
  if (recorded.length === 0) return [];
  const intents = recorded.filter(({ artifact }) => isUploadIntent(artifact));
  await sweep(
    { store, context },
    intents.map(({ id, artifact }) => ({ id, key: String(artifact['key']) })),
  );

  const { files, present } = await readTable(session, metadata);
  const inTable = runsOf(metadata);
  const live = new Set(files.map(({ file_path }) => lake.keyOf(file_path)));
  const isUnderWay = (artifact: Artifact) => isCompaction(artifact) && artifact.branch === branchOf(metadata);
  const mayBeCompacted = recorded.some(({ artifact }) => isUnderWay(artifact));
  const hasLaterDelivery = (epoch: number, run: string) =>
    present !== undefined && present.receipt.epoch >= epoch && present.receipt.run_id !== run;

  /** @returns whether nothing is left that a frozen commit might still name */
  async function removeFile(file: Upload, epoch: number): Promise<boolean> {
    await store.abort(file);
    const head = await store.head(file.key);
    const run = /e\d+-([0-9a-f-]{36})-/.exec(file.key)?.[1] ?? '';
    const isMerged = isMergedFile(file.key);
    if (head?.identity !== file.token || live.has(file.key) || (inTable.has(run) && !isMerged)) return true;
    // tooth: iceberg-compaction-under-way
    if (isMerged ? mayBeCompacted : !hasLaterDelivery(epoch, run)) return false;
    // tooth: iceberg-others-name
    if (await isNamed(session, metadata, file.key)) return true;
    if ((await store.remove(file.key)) === 'denied')
      context.log('warning', 'A staged file that no snapshot names may not be deleted; it takes up space.');
    return true;
  }

  /** @returns whether the record is not needed any more */
  async function remove(artifact: Artifact, epoch: number): Promise<boolean> {
    if (!isMetadata(artifact)) return removeFile(artifact as Upload, epoch);
    const { metadata: run } = artifact;
    if (!inTable.has(run) && !hasLaterDelivery(epoch, run)) return false;
    await removeUnusedMetadata(session, metadata, metadataPrefix(metadata, run), deliveryIdOf(run));
    return true;
  }

  const kept: string[] = [];
  for (const { id, artifact } of recorded) {
    if (!isCompaction(artifact)) continue;
    if (isUnderWay(artifact)) kept.push(id);
    else {
      // The record goes first: without it, the attempt can neither begin again at another state of the branch nor name what is removed here.
      // tooth: iceberg-compaction-ended-first
      await context.artifacts.discard([id]);
      const { compaction: run, attempt } = artifact;
      await removeUnusedMetadata(session, metadata, compactionPrefix(metadata, run, attempt), compactionIdOf(run));
    }
  }
  for (const { id, epoch, artifact } of recorded) {
    if (isUploadIntent(artifact) || isCompaction(artifact)) continue;
    if (isExpiry(artifact)) {
      await settleExpiry(session, metadata, { id, artifact });
      continue;
    }
    const isOver = await remove(artifact, epoch);
    if (isOver) await context.artifacts.discard([id]);
    else kept.push(id);
  }
  return kept;
}

/** Runs with a snapshot in the table, on any branch. */
function runsOf({ snapshots = [] }: TableMetadata): ReadonlySet<string> {
  return new Set(snapshots.flatMap((snapshot) => summaryValue(snapshot, 'run') ?? []));
}

/** Whether a snapshot names the file: the one of the run may have expired, and later ones have the file too. */
async function isNamed({ lake, interval }: TableSession, metadata: TableMetadata, key: string) {
  const { snapshots = [] } = metadata;
  if (snapshots.length > MAX_SNAPSHOTS_READ) return true;
  const remembering = withReadCache(lake);
  const named = await severalAtOnce(snapshots, async (snapshot) => {
    const list = await readManifestList(lake, snapshot);
    const manifests = await findManifests(remembering, metadata, list, interval);
    return manifests.some(({ ours }) => ours.some(({ file_path }) => lake.keyOf(file_path) === key));
  });
  return named.includes(true);
}

/**
 * Removes the manifests of failed attempts to commit a snapshot.
 * @param snapshotId of a commit that has succeeded or can no longer succeed @param prefix of the addresses of its manifests
 */
async function removeUnusedMetadata(
  { lake }: TableSession,
  { snapshots = [] }: TableMetadata,
  prefix: string,
  snapshotId: bigint,
): Promise<void> {
  const folder = lake.keyOf(prefix);
  const keys = await Array.fromAsync(lake.store.list(folder));
  const unused = new Set(keys.map((key) => prefix + key.slice(folder.length)));
  if (unused.size === 0) return;
  const own = snapshots.filter((snapshot) => BigInt(snapshot['snapshot-id']) === snapshotId);
  // Later snapshots name these manifests only if their own named them first. That one tells, unless it has expired.
  // tooth: iceberg-metadata-in-use
  await severalAtOnce(own.length > 0 ? own : snapshots, (snapshot) => forgetNamed(lake, snapshot, unused));
  await severalAtOnce([...unused], (url) => lake.remove(url));
}

/** Takes the manifests that a snapshot names out of a set. Keeps no others: a table may name millions. */
async function forgetNamed(lake: Lake, snapshot: Snapshot, unused: Set<string>): Promise<void> {
  unused.delete(snapshot['manifest-list']);
  for (const { manifest_path } of await readManifestList(lake, snapshot)) unused.delete(manifest_path);
}
