/** The end of a run's row and what follows from it, in the caller's transaction. */
import type { Receipt } from '../../src/exports/destinations/contract.ts';
import { mayBecomeGap } from '../../src/exports/domain/statuses.ts';
import { runEnded } from '../../src/exports/runs/run-ended.ts';
import type { Run, RunEnd } from '../../src/exports/runs/runs.store.ts';
import type { ExportStores } from '../../src/exports/stores.ts';

type Stores = Omit<ExportStores, 'inTransaction'>;

/** `closed`: the run was still open; what ended it first stands. `paused`: the export has failed too often. */
export type Closing = { closed: boolean; paused: boolean };

/** @param options.answers false: requests of the interval stay open, for another run */
export async function closeRun(stores: Stores, run: Run, end: RunEnd, { answers = true } = {}): Promise<Closing> {
  await stores.batchExports.lockRow(run.batchExportId);
  if (!(await stores.runs.close(run.id, end))) return { closed: false, paused: false };
  // The run that superseded this one answers what was asked.
  const superseded = end.status === 'Cancelled' && end.closedBy === 'run';
  if (answers && !superseded) await stores.runRequests.closeAnswered({ ...run, cutoff: run.plan?.cutoff ?? null });
  if (mayBecomeGap(end.status)) {
    await stores.gaps.unsettle(run.batchExportId, run.start);
    await stores.troubles.postponeRedelivery({ exportId: run.batchExportId, start: run.start, end: run.end });
  }
  return { closed: true, paused: await runEnded(stores, run, end) };
}

/** A run whose end was lost, or said otherwise, turns out to have delivered. */
export async function completeRun(stores: Stores, run: Run, receipt: Receipt, cursor: string): Promise<void> {
  await stores.batchExports.lockRow(run.batchExportId);
  await stores.runs.complete(run.id, receipt, cursor);
  await stores.backfills.countAgain(run.id);
  await runEnded(stores, run, { status: 'Completed', closedBy: 'reconciler' });
}
