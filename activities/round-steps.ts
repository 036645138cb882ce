/** Runs the steps of a reconciler round: a step that fails or hangs must not stop the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../src/platform/errors.ts';
import { forLog } from '../src/platform/temporal/failures.ts';
import type { Attempt } from './activity.ts';
import type { Engine } from './engine.ts';

/** Limits of a round: all steps together end before an attempt's timeout, which is five minutes. */
const LIMITS = {
  stepMs: 30_000,
  roundMs: 270_000,
  /** Time for each step that begins after the round should have ended: if an early step hangs in every round, the later steps still run. */
  minStepMs: 1_000,
};

/**
 * Does the work within a deadline; work that ignores the deadline continues in the background.
 * @param work gets a signal that is aborted at the deadline
 * @throws Unavailable at the deadline; the reason of `signal` when that is aborted
 */
export async function runWithDeadline<T>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const finished = new AbortController();
  const timeout = sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, finished.signal]) }).then(
    () => {
      const error = new Unavailable(`It did not end within ${Math.round(milliseconds) / 1000} s.`);
      deadline.abort(error);
      throw error;
    },
    () => {
      signal.throwIfAborted();
      return new Promise<never>(() => {});
    },
  );
  try {
    return await Promise.race([work(AbortSignal.any([signal, deadline.signal])), timeout]);
  } finally {
    finished.abort();
  }
}

export type RoundSteps = {
  /** Does one step. @returns the work's result, or `fallback` when the work fails; @throws only when the attempt is cancelled */
  step<T>(name: string, work: (signal: AbortSignal) => Promise<T>, fallback: T): Promise<T>;
  /** Names of the steps that failed so far. */
  failed: string[];
};

export function roundSteps(
  { log }: Pick<Engine, 'log'>,
  { signal }: Pick<Attempt, 'signal'>,
  { stepMs, roundMs, minStepMs } = LIMITS,
): RoundSteps {
  const failedSteps: string[] = [];
  const end = performance.now() + roundMs;
  return {
    failed: failedSteps,
    async step(name, work, fallback) {
      signal.throwIfAborted();
      try {
        return await runWithDeadline(Math.max(minStepMs, Math.min(stepMs, end - performance.now())), signal, work);
      } catch (error) {
        signal.throwIfAborted();
        failedSteps.push(name);
        log.error({ ...forLog(error), step: name }, 'a step of the reconciler failed');
        return fallback;
      }
    },
  };
}

/** Log fields of an export. */
export const exportLogFields = (id: string) => ({ batch_export_id: id });

/** Returns the items in random order, so every export has its turn in some round even if a deadline ends a step early. */
export function shuffle<T>(items: readonly T[]): T[] {
  const order = [...items];
  for (let index = order.length - 1; index > 0; index -= 1) {
    const swapIndex = Math.floor(Math.random() * (index + 1));
    [order[index], order[swapIndex]] = [order[swapIndex]!, order[index]!];
  }
  return order;
}

/**
 * Does the work for each item in turn. A failure is logged, and the next item follows.
 * @param fieldsFor what the log line says of an item
 * @throws the signal's reason when it is aborted between two items
 */
export async function forEachLoggingFailures<T>(
  { log }: Pick<Engine, 'log'>,
  signal: AbortSignal,
  message: string,
  items: Iterable<T>,
  fieldsFor: (item: T) => object,
  work: (item: T) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    signal.throwIfAborted();
    try {
      await work(item);
    } catch (error) {
      log.warn({ ...forLog(error), ...fieldsFor(item) }, message);
    }
  }
}
