/** Records failures that Temporal will retry, for people who look at the run meanwhile. */
import { ApplicationFailure } from '@temporalio/common';
import { faultOf } from '../src/exports/faults/fault-of.ts';
import type { Run } from '../src/exports/runs/runs.store.ts';
import { toFailure } from '../src/platform/temporal/failures.ts';
import type { Attempt } from './activity.ts';
import type { Engine } from './engine.ts';
import { addFaultField } from './runs/add-fault-field.ts';
import { runLog } from './runs/open-session.ts';

/** Does the work; records a failure that may pass in the run's row and log, then rethrows it. */
export async function withFailureRecorded<T>(
  engine: Engine,
  run: Run,
  { signal, number, nextTryInSeconds }: Attempt,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const failure = toFailure(error);
    if (!signal.aborted && failure instanceof ApplicationFailure && !failure.nonRetryable) {
      runLog(engine, run, number)('warning', `${failure.message} Sluice will retry.`);
      const failureRecord = { latestError: failure.message, nextTryInSeconds: nextTryInSeconds() };
      await addFaultField(engine.stores, run, faultOf(error))
        .then((fault) => engine.stores.runs.recordError(run.id, { ...failureRecord, fault }))
        .catch(() => {});
    }
    throw error;
  }
}
