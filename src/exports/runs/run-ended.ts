/**
 * Consequences of a run's end for its export, in the transaction that closes the run: the export fails, recovers, or
 * pauses after too many failures.
 */
import type { Notice } from '../../platform/notify/notice.ts';
import { AWAITING_DECISION, failureWindow } from '../domain/failure-window.ts';
import { isGivenUp, mayBecomeGap, type RunStatus } from '../domain/statuses.ts';
import type { Run, RunEnd } from './runs.store.ts';
import type { ExportStores } from '../stores.ts';

type Stores = Pick<
  ExportStores,
  'backfills' | 'batchExports' | 'failures' | 'gaps' | 'health' | 'logs' | 'outbox' | 'pauses' | 'troubles'
>;

/** Superseded, cancelled and terminated runs did not fail, because a person or another run ended them. */
const FAILURES: readonly RunStatus[] = ['Failed', 'FailedRetryable', 'TimedOut'];

/**
 * Call it with the export locked, so the second of two concurrent failures counts both.
 * @returns whether the export was paused, so its schedule must follow
 */
export async function handleRunEnd(stores: Stores, run: Run, end: RunEnd): Promise<boolean> {
  const exportId = run.batchExportId;
  const { status, latestError } = end;
  if (status === 'Completed' && (await stores.health.end(exportId, 'failing')))
    await stores.outbox.add(exportId, noticeOf('recovered', run, status, 'Runs succeed again.'));
  // A run that was ended through the API needs no notice, because its caller knows.
  if (mayBecomeGap(status) && end.closedBy !== 'api') await notifyGivenUp(stores, run, end);
  if (!FAILURES.includes(status)) return false;
  const error = latestError ?? status;
  if (await stores.health.begin(exportId, 'failing')) {
    const next = status === 'Failed' ? 'It waits for you.' : 'Sluice will retry it.';
    await stores.outbox.add(exportId, noticeOf('failed', run, status, `A run failed: ${error} ${next}`, error));
  }
  // Runs that wait for a decision do not pause an export. Nor do temporary failures: an outage of an hour would stop exports that work again
  // afterwards.
  if (end.errorType !== undefined && AWAITING_DECISION.includes(end.errorType)) return false;
  if (status !== 'Failed' || (await stores.failures.isByErasure(run.id))) return false;
  return pauseAfterFailures(stores, run, error);
}

/** Notifies, once for each interval, that automatic retries have ended. */
async function notifyGivenUp(stores: Stores, run: Run, { status, latestError = status }: RunEnd): Promise<void> {
  const { batchExportId: exportId, start, end } = run;
  const failures = await stores.gaps.countFailures(exportId, end);
  if (!isGivenUp(status, failures) || !(await stores.troubles.begin({ exportId, start, end }, 'gave_up'))) return;
  const summary = `Gave up a data interval after ${failures} runs; it waits for you. The last one said: ${latestError}`;
  await stores.logs.append({ batchExportId: exportId, runId: run.id, level: 'ERROR', message: summary });
  await stores.outbox.add(exportId, noticeOf('gave_up', run, status, summary, latestError));
}

async function pauseAfterFailures(stores: Stores, run: Run, error: string): Promise<boolean> {
  const exportId = run.batchExportId;
  const batchExport = await stores.batchExports.find(exportId);
  if (!batchExport) return false;
  const { paused, interval } = batchExport;
  const window = failureWindow(interval);
  const failedRuns = await stores.failures.countRecentFailures(exportId, window.runs);
  if (failedRuns < window.failures) return false;

  const cancelled = await cancelBackfills(stores, exportId);
  if (paused && cancelled === 0) return false;
  const reason = `${failedRuns} of the last ${window.runs} runs failed. The last one said: ${error}`;
  const backfillsEnded =
    cancelled > 0 ? ` Cancelled ${cancelled} unfinished backfill${cancelled === 1 ? '' : 's'}.` : '';
  const message = `${paused ? 'Still failing' : 'Paused'}: ${reason}${backfillsEnded}`;
  await stores.logs.append({ batchExportId: exportId, runId: run.id, level: 'ERROR', message });
  if (paused) return false;

  const lastPausedAt = await stores.batchExports.now();
  await stores.batchExports.update(exportId, { paused: true, lastPausedAt, pausedReason: reason });
  await stores.pauses.begin(exportId, { by: 'sluice', userId: null }, { reason });
  await stores.outbox.add(exportId, noticeOf('paused', run, run.status, message, error));
  return true;
}

/** Cancels the export's backfills; runs under way continue, as in every pause. @returns how many */
async function cancelBackfills(stores: Stores, exportId: string): Promise<number> {
  await stores.backfills.storeResults(exportId);
  const live = await stores.failures.listLiveBackfills(exportId);
  for (const id of live) await stores.backfills.cancel(id);
  return live.length;
}

function noticeOf(kind: Notice['kind'], run: Run, status: RunStatus, summary: string, error?: string): Notice {
  const { id, start, end } = run;
  const details = {
    run: { id, status, data_interval_start: start, data_interval_end: end },
    ...(error !== undefined && { error }),
  };
  return { kind, summary, details };
}
