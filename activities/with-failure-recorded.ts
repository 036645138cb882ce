/** Records failures that are tried again, for people who look at the run meanwhile. */
import { ApplicationFailure } from '@temporalio/common';
import type { Run } from '../src/exports/runs/runs.store.ts';
import { toFailure } from '../src/platform/temporal/failures.ts';
import type { Engine } from './engine.ts';
import { runLog } from './runs/open-session.ts';

/** Does the work; when it fails in a way that may pass, the run's row and log say so before the error goes on. */
export async function withFailureRecorded<T>(
  engine: Engine,
  run: Run,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = toFailure(error);
    if (!signal.aborted && failure instanceof ApplicationFailure && !failure.nonRetryable) {
      runLog(engine, run)('warning', `${failure.message} It is tried again.`);
      await engine.stores.runs.noteError(run.id, failure.message).catch(() => {});
    }
    throw error;
  }
}
