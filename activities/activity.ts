/** Wraps every activity: sends heartbeats from a timer, passes cancellation on, translates errors. */
import { Context } from '@temporalio/activity';
import { forLog, toFailure } from '../src/platform/temporal/failures.ts';
import { faultOf } from '../src/exports/faults/fault-of.ts';
import type { Engine } from './engine.ts';
import { nextTryInSeconds } from './next-try.ts';

/** One attempt, and the execution that it belongs to. */
export type Attempt = {
  workflowId: string;
  workflowRunId: string;
  /** From 1. */
  number: number;
  signal: AbortSignal;
  /** Seconds from a failure to Temporal's next attempt; undefined if this attempt is the last. */
  nextTryInSeconds(): number | undefined;
};

const BEAT_EVERY_MS = 1_000;

/** Turns `attemptWork(engine, attempt, input)` into the function that Temporal calls with the input. */
export function activity<I extends unknown[], O>(
  engine: Engine,
  attemptWork: (engine: Engine, attempt: Attempt, ...input: I) => Promise<O>,
) {
  return async (...input: I): Promise<O> => {
    const context = Context.current();
    const { info } = context;
    const { workflowExecution, activityType, attempt } = info;
    const heartbeat = setInterval(() => context.heartbeat(), BEAT_EVERY_MS);
    try {
      return await attemptWork(
        engine,
        {
          workflowId: workflowExecution?.workflowId ?? '',
          workflowRunId: workflowExecution?.runId ?? '',
          number: attempt,
          signal: context.cancellationSignal,
          nextTryInSeconds: () => nextTryInSeconds(info, Date.now()),
        },
        ...input,
      );
    } catch (error) {
      // An aborted read or upload fails with its own error, but the attempt was cancelled.
      if (context.cancellationSignal.aborted) return context.cancelled;
      engine.log.warn(
        {
          ...forLog(error),
          activity: activityType,
          attempt,
          workflow_id: workflowExecution?.workflowId,
          workflow_run_id: workflowExecution?.runId,
        },
        'attempt failed',
      );
      throw toFailure(error, faultOf(error));
    } finally {
      clearInterval(heartbeat);
    }
  };
}
