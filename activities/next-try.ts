/** Computes when Temporal retries an activity. */
import type { Info } from '@temporalio/activity';
import { msToNumber } from '@temporalio/common/lib/time.js';

type RetryInfo = Pick<Info, 'attempt' | 'retryPolicy' | 'scheduledTimestampMs' | 'scheduleToCloseTimeoutMs'>;

/**
 * Used where Temporal omits the retry policy, as from a first attempt on the workflow's own worker. Not shorter than the first pause of
 * `workflows/policies.ts`.
 */
const FIRST_PAUSE_MS = 1_000;

/**
 * Computes the pause in seconds between this attempt's failure and the next attempt, from the activity's retry policy.
 * @returns undefined if this attempt is the last, or if the next would begin after the activity's schedule-to-close timeout
 */
export function nextTryInSeconds(
  { attempt, retryPolicy, scheduledTimestampMs, scheduleToCloseTimeoutMs }: RetryInfo,
  now: number,
): number | undefined {
  const { initialInterval = FIRST_PAUSE_MS, backoffCoefficient = 2, maximumInterval } = retryPolicy ?? {};
  if (attempt >= (retryPolicy?.maximumAttempts || Infinity)) return undefined;
  const first = msToNumber(initialInterval);
  const longest = maximumInterval === undefined ? first * 100 : msToNumber(maximumInterval);
  const pause = Math.min(first * backoffCoefficient ** (attempt - 1), longest);
  if (scheduleToCloseTimeoutMs > 0 && now + pause >= scheduledTimestampMs + scheduleToCloseTimeoutMs) return undefined;
  return pause / 1000;
}
