/** Computes when Temporal retries an activity. */
import type { Info } from '@temporalio/activity';
import { msToNumber } from '@temporalio/common/lib/time.js';

type RetryInfo = Pick<Info, 'attempt' | 'retryPolicy' | 'scheduledTimestampMs' | 'scheduleToCloseTimeoutMs'>;

/**
 * First retry delay where Temporal omits the retry policy, as it does on a first attempt that was dispatched eagerly, to the worker that ran
 * the workflow task. At least as long as every `initialInterval` in `workflows/policies.ts`.
 */
const DEFAULT_INITIAL_INTERVAL_MS = 1_000;

/**
 * Computes the delay in seconds between this attempt's failure and the next attempt, from the activity's retry policy.
 * @returns undefined if this attempt is the last, or if the next would begin after the activity's schedule-to-close timeout
 */
export function nextTryInSeconds(
  { attempt, retryPolicy, scheduledTimestampMs, scheduleToCloseTimeoutMs }: RetryInfo,
  now: number,
): number | undefined {
  const { initialInterval = DEFAULT_INITIAL_INTERVAL_MS, backoffCoefficient = 2, maximumInterval } = retryPolicy ?? {};
  if (attempt >= (retryPolicy?.maximumAttempts || Infinity)) return undefined;
  const first = msToNumber(initialInterval);
  const longest = maximumInterval === undefined ? first * 100 : msToNumber(maximumInterval);
  const delay = Math.min(first * backoffCoefficient ** (attempt - 1), longest);
  if (scheduleToCloseTimeoutMs > 0 && now + delay >= scheduledTimestampMs + scheduleToCloseTimeoutMs) return undefined;
  return delay / 1000;
}
