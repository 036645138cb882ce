/** When Temporal tries an activity again. */
import type { Info } from '@temporalio/activity';
import { msToNumber } from '@temporalio/common/lib/time.js';

type RetryInfo = Pick<Info, 'attempt' | 'retryPolicy' | 'scheduledTimestampMs' | 'scheduleToCloseTimeoutMs'>;

/** At least the first pause in `workflows/policies.ts`, because Temporal omits the policy from a first attempt on the workflow's own worker. */
const FIRST_PAUSE_MS = 1_000;

/**
 * The pause after this attempt, by the policy that it was scheduled with.
 * @returns undefined when it was the last one, or when the next one would come too late
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
