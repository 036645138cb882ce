/** Finds the data intervals of an export whose newest run failed, or is being retried, and that another run may deliver. */
import { createHash } from 'node:crypto';
import { Conflict } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import { recordRun } from '../batch-exports/audit.ts';
import { attentionOf, type TroubledInterval } from '../monitoring/attention.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isoMicros } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import { isOpen, type RunStatus } from '../domain/statuses.ts';
import { sourceStartOfExport } from '../intervals/expired.ts';
import { explainNeed, type Reason } from '../intervals/interval-attention.ts';
import type { BoundStores, ExportStores } from '../stores.ts';
import { joinNeighbors } from './backfill-plan.ts';
import type { NewBackfill } from './backfills.store.ts';

/** Reasons for which another run would end like the last one, until a person decides, or Sluice settles the last run's delivery. */
const NOT_RETRIABLE: readonly Reason[] = ['delivered_elsewhere', 'would_shrink', 'unsettled'];

type Stores = Pick<ExportStores, 'troubledIntervals' | 'intervalFacts' | 'gaps' | 'backfills'>;

/** `plan`: the token of a dry run, of which exactly the data intervals are to be retried. */
export type RetryOptions = { includeRetrying?: boolean | undefined; plan?: string | undefined };

/** A run in progress, whose attempts fail. */
export type RetryingRun = DataInterval & { id: string; status: RunStatus };

/** `intervals`: oldest first, those of `runs` included. `plan`: a token for the intervals. */
export type Retriable = { intervals: DataInterval[]; runs: RetryingRun[]; plan: string };

const OUTDATED =
  'The data intervals to retry have changed since the dry run, and nothing was requested. Make another dry run, and send its `plan`.';

const isFailing = ({ facts }: TroubledInterval) => facts.some(({ fact }) => fact === 'failing');

/**
 * Intervals that Sluice will retry automatically are included, intervals with an open request or a run in progress are not.
 * Of each kind of trouble, only the newest `MAX_TROUBLED` intervals count.
 * @param options.includeRetrying whether to add intervals with a run in progress whose attempts fail, unless it is being replaced already
 * @throws Conflict if the intervals are not those of the plan
 */
export async function findRetriable(
  stores: Stores,
  batchExport: BatchExport,
  { includeRetrying = false, plan }: RetryOptions,
): Promise<Retriable> {
  const { id } = batchExport;
  const [troubled, pauses] = await Promise.all([stores.troubledIntervals.listFacts([id]), stores.gaps.listPauses(id)]);
  const { needsYou: waiting, retrying } = attentionOf(batchExport, pauses, troubled.get(id));
  const failing = includeRetrying ? retrying.filter(isFailing) : [];
  const looked = [...waiting, ...failing].map(({ end }) => ({ exportId: id, end }));
  const newest = new Map((await stores.intervalFacts.listNewestRuns(looked)).map((run) => [run.end, run]));
  const isRetriable = (interval: TroubledInterval) =>
    !NOT_RETRIABLE.includes(explainNeed(interval, interval.facts, newest.get(interval.end)).reason);
  const failed = [...waiting.filter(isRetriable), ...retrying.filter((interval) => !isFailing(interval))];

  const sourceStart = sourceStartOfExport(batchExport);
  const replaced = new Set(await stores.backfills.listReplaced(id));
  const runs = failing.filter(isRetriable).flatMap(({ start, end }): RetryingRun[] => {
    const run = newest.get(end);
    // A run that has ended since, or began since, is none whose attempts fail.
    if (!run || !isOpen(run.status) || run.latestError === null) return [];
    return start < sourceStart || replaced.has(run.runId) ? [] : [{ start, end, id: run.runId, status: run.status }];
  });

  const intervals = [...(await stores.backfills.listUnrequested(id, failed)), ...runs]
    .map(({ start, end }) => ({ start, end }))
    .sort((a, b) => a.start - b.start);
  const found = { intervals, runs, plan: tokenOf(id, intervals) };
  if (plan !== undefined && plan !== found.plan) throw new Conflict(OUTDATED);
  return found;
}

function tokenOf(exportId: string, intervals: readonly DataInterval[]): string {
  const hash = createHash('sha256').update(exportId);
  for (const { start, end } of intervals) hash.update(`\n${start}/${end}`);
  return hash.digest('base64url');
}

/**
 * Plans the backfill that retries what can be retried, and records the end of the runs that it replaces in the audit log. Call it in a
 * transaction that holds the export's lock.
 * @returns undefined if nothing can be retried
 * @throws Conflict if the intervals are not those of the plan
 */
export async function planRetry(
  tx: BoundStores,
  batchExport: BatchExport,
  author: Author,
  options: RetryOptions,
): Promise<NewBackfill | undefined> {
  const { intervals, runs } = await findRetriable(tx, batchExport, options);
  if (intervals.length === 0) return undefined;
  const { id: batchExportId, projectId } = batchExport;
  for (const { id, status, start, end } of runs)
    await recordRun(tx, author, { id, projectId, status, start: isoMicros(start), end: isoMicros(end) });
  return {
    projectId,
    batchExportId,
    kind: 'backfill',
    start: intervals[0]!.start,
    end: intervals.at(-1)!.end,
    wanted: joinNeighbors(intervals),
    totalRuns: intervals.length,
    replaces: runs.map(({ id }) => id),
  };
}
