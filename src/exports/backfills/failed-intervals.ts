/** Finds the data intervals of an export whose newest run failed and that another run may deliver. */
import { attentionOf } from '../monitoring/attention.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { DataInterval } from '../domain/intervals.ts';
import { explainNeed, type Reason } from '../intervals/interval-attention.ts';
import type { ExportStores } from '../stores.ts';

/** Reasons for which another run would end like the last one, until a person decides, or Sluice settles the last run's delivery. */
const NOT_RETRIABLE: readonly Reason[] = ['delivered_elsewhere', 'would_shrink', 'unsettled'];

type Stores = Pick<ExportStores, 'troubledIntervals' | 'intervalFacts' | 'gaps' | 'backfills'>;

/**
 * @returns oldest first; intervals that Sluice will retry automatically are included, intervals with a run in progress or an open request
 *   are not. Of each kind of trouble, only the newest `MAX_TROUBLED` intervals count.
 */
export async function findRetriableIntervals(stores: Stores, batchExport: BatchExport): Promise<DataInterval[]> {
  const { id } = batchExport;
  const [troubled, pauses] = await Promise.all([stores.troubledIntervals.listFacts([id]), stores.gaps.listPauses(id)]);
  const { needsYou: waiting, retrying } = attentionOf(batchExport, pauses, troubled.get(id));
  const newest = await stores.intervalFacts.listNewestRuns(waiting.map(({ end }) => ({ exportId: id, end })));
  const runs = new Map(newest.map((run) => [run.end, run]));
  const retriable = waiting.filter(
    (interval) => !NOT_RETRIABLE.includes(explainNeed(interval, interval.facts, runs.get(interval.end)).reason),
  );
  const idleRetrying = retrying.filter((interval) => interval.facts.every(({ fact }) => fact !== 'failing'));
  const failed = [...retriable, ...idleRetrying].map(({ start, end }) => ({ start, end }));
  return stores.backfills.listUnrequested(
    id,
    failed.sort((a, b) => a.start - b.start),
  );
}

/** Counts the data intervals that `retryFailed` would request now. */
export function countRetriable(stores: Stores & Pick<ExportStores, 'batchExports'>) {
  return async (projectId: number, exportId: string): Promise<number> =>
    (await findRetriableIntervals(stores, await stores.batchExports.get(projectId, exportId))).length;
}
