/** One snapshot that changes which files a table has, made by compare-and-swap of the table's main branch. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { severalAtOnce } from '../at-once.ts';
import type { CommitAnswer } from './catalog.ts';
import type { DataFile } from './manifest-schemas.ts';
import { hasLiveFiles, rewriteWithout, writeManifestList, writeManifestOfNewFiles, type NewFile } from './manifests.ts';
import { currentSnapshot, type Summary } from './present.ts';
import type { TableSession, TableState } from './table-state.ts';
import { mergeManifests, type MergeCount } from './upkeep/merge.ts';

const MAX_WAIT_MS = 3000;
const FIRST_WAIT_MS = 60;

/** Id of the snapshot of a run's delivery. Ids are always the same, so a commit whose answer was lost can be found. */
export const deliveryIdOf = (runId: string): bigint => idOf(runId);

/** Id of the snapshot in which a run compacts its delivery. */
export const compactionIdOf = (runId: string): bigint => idOf(`${runId} compaction`);

function idOf(text: string): bigint {
  const id = createHash('sha256').update(text).digest().readBigUInt64BE() & 0x7fff_ffff_ffff_ffffn;
  return id === 0n ? 1n : id;
}

/** Waits for a random time, which lets others commit. @param attempt from 1 */
export async function waitBeforeAttempt(attempt: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)), undefined, { signal });
}

export type Change = {
  snapshotId: bigint;
  /** Beginning of the addresses of what it writes beside the data files. */
  prefix: string;
  added: readonly NewFile[];
  /** Live files of the interval. */
  removed: readonly DataFile[];
  /** Undefined for a change of rows. */
  operation?: 'replace';
  mergeCount: MergeCount;
  /** Properties beside those that Iceberg has for every snapshot. */
  summary: Summary;
  /** Name of the step before readers see the change. */
  step: string;
};

/** Attempts to commit one snapshot. @returns `unknown` if the commit may have been made, because the answer is lost or inconclusive */
export async function commitSnapshot(
  session: TableSession,
  held: TableState,
  { snapshotId, prefix, added, removed, operation, mergeCount, summary, step }: Change,
): Promise<CommitAnswer> {
  const { catalog, lake, interval, context } = session;
  const { metadata, list, manifests } = held;
  const current = currentSnapshot(metadata);
  const parent = current ? BigInt(current['snapshot-id']) : null;
  const sequence = BigInt(metadata['last-sequence-number']) + 1n;
  const attempt = `${prefix}${randomBytes(8).toString('hex')}`;
  const written: string[] = [];
  const newMetadataUrl = (ending: string) => {
    written.push(`${attempt}-${ending}.avro`);
    return written.at(-1)!;
  };
  const writing = { lake, metadata, snapshotId, sequence, nameManifest: () => newMetadataUrl(`m${written.length}`) };
  const removeWritten = () => severalAtOnce(written, (url) => lake.remove(url));

  const gone = new Set(removed.map(({ file_path }) => file_path));
  const rewritten = manifests.filter(({ ours }) => ours.some(({ file_path }) => gone.has(file_path)));
  const replaced = new Set(rewritten.map(({ manifest }) => manifest));
  let answer: CommitAnswer;
  try {
    const others = list.filter((manifest) => hasLiveFiles(manifest) && !replaced.has(manifest));
    const kept = await mergeManifests(writing, others, mergeCount);
    for (const manifest of rewritten) kept.push(await rewriteWithout(writing, manifest, gone));
    if (added.length > 0) kept.unshift(await writeManifestOfNewFiles(writing, added, interval));
    const listUrl = newMetadataUrl('list');
    await writeManifestList(lake, listUrl, kept, { snapshotId, parent, sequence });
    const snapshot = {
      'snapshot-id': snapshotId,
      ...(parent !== null && { 'parent-snapshot-id': parent }),
      'sequence-number': sequence,
      // Catalogs refuse a time before the table's last change, which is a time of their own or of another writer's clock.
      'timestamp-ms': Math.max(Date.now(), metadata['last-updated-ms'] ?? 0),
      'manifest-list': listUrl,
      'schema-id': metadata['current-schema-id'],
      summary: {
        operation: operation ?? (removed.length > 0 ? (added.length > 0 ? 'overwrite' : 'delete') : 'append'),
        ...totals(current?.summary, added, removed),
        ...summary,
      },
    };
    await context.step(step);
    // tooth: iceberg-branch-condition
    answer = await catalog.commit({
      requirements: [
        { type: 'assert-table-uuid', uuid: metadata['table-uuid'] },
        { type: 'assert-current-schema-id', 'current-schema-id': metadata['current-schema-id'] },
        { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': parent },
      ],
      updates: [
        { action: 'add-snapshot', snapshot },
        { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': snapshotId },
      ],
    });
  } catch (error) {
    // The commit was not sent, or the catalog has refused it.
    await removeWritten();
    throw error;
  }
  // After an unknown outcome the files stay, because the table may have them. A later delivery removes them if it has not.
  if (answer === 'changed') await removeWritten();
  return answer;
}

function sum(values: readonly (number | bigint)[]): bigint {
  return values.reduce<bigint>((total, one) => total + BigInt(one), 0n);
}

function totals(
  before: Record<string, string> | undefined,
  added: readonly NewFile[],
  removed: readonly DataFile[],
): Record<string, string> {
  const rows = { plus: sum(added.map((file) => file.rows)), minus: sum(removed.map((file) => file.record_count)) };
  const bytes = {
    plus: sum(added.map((file) => file.bytes)),
    minus: sum(removed.map((file) => file.file_size_in_bytes)),
  };
  const total = (name: string, plus: bigint, minus: bigint) => String(BigInt(before?.[name] ?? 0) + plus - minus);
  return {
    'added-data-files': String(added.length),
    'added-records': String(rows.plus),
    'deleted-data-files': String(removed.length),
    'deleted-records': String(rows.minus),
    'total-records': total('total-records', rows.plus, rows.minus),
    'total-data-files': total('total-data-files', BigInt(added.length), BigInt(removed.length)),
    'total-files-size': total('total-files-size', bytes.plus, bytes.minus),
    'total-delete-files': total('total-delete-files', 0n, 0n),
    'total-position-deletes': total('total-position-deletes', 0n, 0n),
    'total-equality-deletes': total('total-equality-deletes', 0n, 0n),
  };
}
