/** Common work around every activity: beats from a timer, passes cancellation on, translates errors. */
import { Context } from '@temporalio/activity';
import { forLog, toFailure } from '../src/platform/temporal/failures.ts';
import type { Engine } from './engine.ts';

/** The execution that an attempt belongs to. */
export type Attempt = { workflowId: string; workflowRunId: string; signal: AbortSignal };

const BEAT_EVERY_MS = 1_000;

/** Turns `work(engine, attempt, input)` into the function that Temporal calls with the input. */
export function activity<I extends unknown[], O>(
  engine: Engine,
  work: (engine: Engine, attempt: Attempt, ...input: I) => Promise<O>,
) {
  return async (...input: I): Promise<O> => {
    const context = Context.current();
    const { workflowExecution, activityType, attempt } = context.info;
    const beating = setInterval(() => context.heartbeat(), BEAT_EVERY_MS);
    try {
      return await work(
        engine,
        {
          workflowId: workflowExecution?.workflowId ?? '',
          workflowRunId: workflowExecution?.runId ?? '',
          signal: context.cancellationSignal,
        },
        ...input,
      );
    } catch (error) {
      // An aborted read or upload fails in its own way; what it means is that the attempt was cancelled.
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
      throw toFailure(error);
    } finally {
      clearInterval(beating);
    }
  };
}
