/** Records when a step of a run was tried, and its outcome, for people who look at the run. */
import { ApplicationFailure } from '@temporalio/common';
import { faultOf } from '../../src/exports/faults/fault-of.ts';
import type { AttemptStep, StepError } from '../../src/exports/runs/attempts.store.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import { toFailure } from '../../src/platform/temporal/failures.ts';
import type { Attempt } from '../activity.ts';
import type { Engine } from '../engine.ts';
import { addFaultField } from './add-fault-field.ts';
import { traceStep } from './traced-step.ts';

/** Does the work. A record that cannot be stored is dropped, because it must not end the run. The record of an interrupted attempt has no end. */
export async function recordStep<T>(
  engine: Engine,
  run: Run,
  attempt: Attempt,
  step: AttemptStep,
  work: () => Promise<T>,
): Promise<T> {
  const { attempts } = engine.stores;
  const key = { runId: run.id, step, attempt: attempt.number };
  const logFailure = (writing: Promise<void>) =>
    writing.catch((error: unknown) =>
      engine.log.warn({ err: error, ...key }, 'the record of an attempt could not be written'),
    );
  // The work does not wait until the record is stored.
  const begin = logFailure(attempts.begin(key));
  const end = (error?: StepError) => begin.then(() => logFailure(attempts.end(key, error)));
  let result: T;
  try {
    result = await traceStep(engine, run, attempt, step, work);
  } catch (error) {
    if (attempt.signal.aborted) await begin;
    else await end(await errorOf(engine, run, attempt, error));
    throw error;
  }
  await end();
  return result;
}

async function errorOf({ stores }: Engine, run: Run, attempt: Attempt, error: unknown): Promise<StepError> {
  const failure = toFailure(error);
  const mayPass = failure instanceof ApplicationFailure && !failure.nonRetryable;
  const fault = faultOf(error);
  return {
    detail: failure.message,
    fault: await addFaultField(stores, run, fault).catch(() => fault),
    nextTryInSeconds: mayPass ? attempt.nextTryInSeconds() : undefined,
  };
}
