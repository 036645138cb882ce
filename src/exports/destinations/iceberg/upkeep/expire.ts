/**
 * Expires the snapshots of deliveries once readers have had time to move on, so that the table's metadata stays small. Only snapshots of
 * Sluice are expired, and only those whose delivery is recorded elsewhere, too: by a later snapshot, or by the names of the interval's files.
 */
import type { Artifact, RecordedArtifact } from '../../artifacts.ts';
import type { CommitAnswer, Snapshot, TableMetadata } from '../catalog.ts';
import { withReadCache, type Lake } from '../lake.ts';
import { findLeftFiles, type ExpiringSnapshot } from './left-files.ts';
import { findManifests, intervalPartition, readManifestList } from '../manifests.ts';
import { ancestors, currentSnapshot, nameOfFiles, summaryValue } from '../present.ts';
import type { TableSession } from '../table-state.ts';

/** Iceberg's own default, for tables whose owner has set nothing: five days. */
const USUAL_AGE_MS = 5 * 86_400_000;
/** Limit of snapshots that expire with one delivery. */
const SNAPSHOTS_AT_ONCE = 100;

const METADATA_MISSING =
  'Another program has deleted metadata of old snapshots. They expire, but files that only this metadata names are not deleted.';

/** Record of snapshots that are about to expire, and of the files that only they reference. */
type ExpiryRecord = { place: string; expired: string[]; files: string[] };

export const isExpiry = (artifact: Artifact): artifact is ExpiryRecord => artifact['expired'] !== undefined;

/** @param metadata read after the delivery's commit */
export async function expireSnapshots(session: TableSession, metadata: TableMetadata): Promise<void> {
  const { catalog, lake, context } = session;
  const expiring = await findExpiring(lake, metadata, Date.now());
  if (expiring.length === 0) return;
  const ids = expiring.map(({ snapshot }) => BigInt(snapshot['snapshot-id']));
  const { files, isIncomplete } = await findLeftFiles(lake, metadata, expiring);
  if (isIncomplete) context.log('warning', METADATA_MISSING);
  // The record comes first, so that after a kill the files are still deleted.
  const record: ExpiryRecord = { place: lake.store.place, expired: ids.map(String), files };
  const id = await context.artifacts.record(record);
  await context.step('expire');
  const request = {
    requirements: [
      { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
      ...Object.entries(metadata.refs ?? {}).map(([ref, { 'snapshot-id': held }]) => {
        return { type: 'assert-ref-snapshot-id', ref, 'snapshot-id': BigInt(held) };
      }),
    ],
    updates: [{ action: 'remove-snapshots', 'snapshot-ids': ids }],
  };
  let answer: CommitAnswer;
  try {
    answer = await catalog.commit(request);
  } catch (error) {
    // The catalog has refused it.
    await context.artifacts.discard([id]);
    throw error;
  }
  // Snapshots that may yet expire are looked for by the next delivery, or when the interval is settled.
  if (answer === 'unknown') return;
  const after = await catalog.load();
  if (after) await settleExpiry(session, after, { id, artifact: record });
}

/** Schedules the files for deletion after the grace period if the catalog has removed the snapshots, and discards the record. */
export async function settleExpiry(
  { context }: TableSession,
  metadata: TableMetadata,
  { id, artifact: { expired, files } }: Pick<RecordedArtifact, 'id'> & { artifact: ExpiryRecord },
): Promise<void> {
  const known = new Set(metadata.snapshots?.map((snapshot) => String(snapshot['snapshot-id'])));
  // If the catalog still has one, the next delivery expires the same snapshots again.
  // tooth: iceberg-expired-first
  if (expired.every((one) => !known.has(one))) await context.recordSuperseded(files);
  await context.artifacts.discard([id]);
}

/** @returns the oldest first */
async function findExpiring(lake: Lake, metadata: TableMetadata, now: number): Promise<ExpiringSnapshot[]> {
  const { maxAgeMs, minKept } = retentionOf(metadata);
  const line = [...ancestors(metadata)];
  const referenced = referencedSnapshots(metadata);
  const newest = new Map<string, Snapshot>();
  for (const snapshot of line) {
    const key = intervalOf(snapshot)?.join();
    if (key && !newest.has(key)) newest.set(key, snapshot);
  }
  const isNamed = fileNameReader(lake, metadata);
  const found: ExpiringSnapshot[] = [];
  for (let at = line.length - 1; at >= minKept && found.length < SNAPSHOTS_AT_ONCE; at--) {
    const [snapshot, next] = [line[at]!, line[at - 1]!];
    // If the age in the table's properties is not a number, nothing is expired.
    if (!(next['timestamp-ms'] <= now - maxAgeMs)) break;
    const interval = intervalOf(snapshot);
    if (!interval) continue;
    // The only record of a delivery stays and, because records are found from child to parent, so do all later snapshots.
    // tooth: iceberg-only-record
    if (newest.get(interval.join()) === snapshot && !(await isNamed(interval))) break;
    if (referenced.has(String(snapshot['snapshot-id']))) continue;
    found.push({ snapshot, next });
  }
  return found;
}

/** @returns nothing for snapshots of others */
function intervalOf(snapshot: Snapshot): [exportId: string, start: string, end: string] | undefined {
  const [exportId, start, end] = ['export', 'interval-start', 'interval-end'].map((name) =>
    summaryValue(snapshot, name),
  );
  return exportId && start && end && summaryValue(snapshot, 'run') ? [exportId, start, end] : undefined;
}

/** Limits that the owner of the table has set for all engines; `minKept` is at least one, the current snapshot. */
function retentionOf({ properties = {}, refs }: TableMetadata): { maxAgeMs: number; minKept: number } {
  const main = refs?.['main'];
  const maxAge = main?.['max-snapshot-age-ms'] ?? properties['history.expire.max-snapshot-age-ms'];
  const kept = main?.['min-snapshots-to-keep'] ?? properties['history.expire.min-snapshots-to-keep'];
  const isOff = properties['gc.enabled'] === 'false';
  return { maxAgeMs: isOff ? Infinity : Number(maxAge ?? USUAL_AGE_MS), minKept: Math.max(1, Number(kept ?? 1)) };
}

/** Ids of the snapshots that tags, and branches other than main, name, and of all their ancestors. */
function referencedSnapshots(metadata: TableMetadata): ReadonlySet<string> {
  const heads = Object.entries(metadata.refs ?? {}).filter(([name]) => name !== 'main');
  const lines = heads.map(([, { 'snapshot-id': id }]) => [...ancestors({ ...metadata, 'current-snapshot-id': id })]);
  return new Set(lines.flat().map((snapshot) => String(snapshot['snapshot-id'])));
}

/** @returns a function that finds out whether the names of an interval's files say which run delivered them */
function fileNameReader(lake: Lake, metadata: TableMetadata) {
  const remembering = withReadCache(lake);
  return async (interval: [string, string, string]): Promise<boolean> => {
    const partition = intervalPartition(...interval);
    if (!partition) return false;
    const list = await readManifestList(remembering, currentSnapshot(metadata));
    const manifests = await findManifests(remembering, metadata, list, partition);
    return nameOfFiles(manifests.flatMap(({ ours }) => ours)) !== undefined;
  };
}
