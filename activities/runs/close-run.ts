/** Closes a run's row, and applies the consequences, in the caller's transaction. */
import { mayBecomeGap, nextTryInSeconds } from '../../src/exports/domain/statuses.ts';
import { handleRunEnd } from '../../src/exports/runs/run-ended.ts';
import type { RunDelivery, Run, RunEnd } from '../../src/exports/runs/runs.store.ts';
import type { ExportStores } from '../../src/exports/stores.ts';

type Stores = Omit<ExportStores, 'inTransaction'>;

/** `closed`: the run was still open; otherwise its first end stays recorded. `paused`: the export was paused, because it failed too often. */
export type CloseResult = { closed: boolean; paused: boolean };

/** @param options.settlesRequests false: requests of the interval stay open, for another run */
export async function closeRun(
  stores: Stores,
  run: Run,
  end: RunEnd,
  { settlesRequests = true } = {},
): Promise<CloseResult> {
  await stores.batchExports.lockRow(run.batchExportId);
  // The run that superseded this one answers the requests.
  const superseded = end.status === 'Cancelled' && end.closedBy === 'run';
  const isCancelled = end.status === 'Cancelled' && !superseded;
  const recorded =
    isCancelled && (await stores.backfills.isToBeDelivered(run.batchExportId, run.end)) ? asTerminated(run, end) : end;
  const nextTryInSeconds = await secondsToNextTry(stores, run, recorded);
  if (!(await stores.runs.close(run.id, { ...recorded, nextTryInSeconds }))) return { closed: false, paused: false };
  if (settlesRequests && !superseded)
    await stores.runRequests.closeAnswered({ ...run, status: end.status, cutoff: run.plan?.cutoff ?? null });
  const interval = { exportId: run.batchExportId, start: run.start, end: run.end };
  if (end.status === 'Completed') await stores.backfills.removeInterval(interval, run.id);
  if (mayBecomeGap(end.status)) {
    await stores.gaps.rewindGapFreeUntil(run.batchExportId, run.start);
    await stores.troubles.postponeRedelivery(interval);
  }
  return { closed: true, paused: await handleRunEnd(stores, run, end) };
}

/**
 * The end of a cancelled run whose interval was being retried. Unless another run delivers, the interval counts as failed, with the error of
 * the last attempt, and a person can retry it.
 */
function asTerminated(
  { latestError, errorCode: code, errorOwner: owner, errorField: field }: Run,
  end: RunEnd,
): RunEnd {
  const attempt = {
    ...(latestError !== null && { latestError }),
    ...(code !== null && owner !== null && { fault: { code, owner, field } }),
  };
  return { ...end, ...attempt, status: 'Terminated', closedBy: 'api' };
}

/** When the reconciler would deliver the interval of a run that ends like this. */
async function secondsToNextTry(stores: Stores, run: Run, end: RunEnd): Promise<number | undefined> {
  if (!mayBecomeGap(end.status) || end.closedBy === 'api') return undefined;
  if (!(await stores.gaps.isWatched(run.batchExportId, run.start, run.end))) return undefined;
  return nextTryInSeconds(end.status, (await stores.gaps.countFailures(run.batchExportId, run.end)) + 1);
}

/** Completes a run that turns out to have delivered, although its end was lost or recorded otherwise. */
export async function completeRun(stores: Stores, run: Run, delivered: RunDelivery): Promise<void> {
  await stores.batchExports.lockRow(run.batchExportId);
  await stores.runs.complete(run.id, delivered);
  await stores.backfills.clearResults(run.id);
  await handleRunEnd(stores, run, { status: 'Completed', closedBy: 'reconciler' });
}
