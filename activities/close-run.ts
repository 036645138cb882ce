/** The end of a run's row and what follows from it, in the caller's transaction. */
import { isGap } from '../src/exports/domain/statuses.ts';
import type { Run, RunEnd } from '../src/exports/runs.store.ts';
import type { ExportStores } from '../src/exports/stores.ts';

type Stores = Pick<ExportStores, 'runs' | 'requests' | 'gaps'>;

/** @returns whether the run was still open: what ended it first stands */
export async function closeRun(stores: Stores, run: Run, end: RunEnd): Promise<boolean> {
  if (!(await stores.runs.close(run.id, end))) return false;
  // The run that superseded this one answers what was asked.
  const superseded = end.status === 'Cancelled' && end.closedBy === 'run';
  if (!superseded) await stores.requests.closeAnswered({ ...run, cutoff: run.plan?.cutoff ?? null });
  if (end.status === 'FailedRetryable' || isGap(end.status, 0, 0))
    await stores.gaps.unsettle(run.batchExportId, run.start);
  return true;
}
