/** A run's statuses as the contract spells them, and the consequences of each. */
export const RUN_STATUSES = [
  'Starting',
  'Running',
  'Completed',
  'Failed',
  'FailedRetryable',
  'Cancelled',
  'Terminated',
  'TimedOut',
  'ContinuedAsNew',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Statuses of runs that may still change. */
export const OPEN_STATUSES = ['Starting', 'Running'] as const satisfies readonly RunStatus[];

export function isOpen(status: RunStatus): boolean {
  return (OPEN_STATUSES as readonly RunStatus[]).includes(status);
}

/** Reasons for which runs are started. */
export const RUN_KINDS = ['scheduled', 'retry', 'backfill', 'gap', 'stale'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/** `Starting`: the requests of its runs are being written; some may run already. */
export const BACKFILL_STATUSES = ['Starting', 'Running', 'Completed', 'Failed', 'Cancelled'] as const;
export type BackfillStatus = (typeof BACKFILL_STATUSES)[number];

/** A backfill that may still change, and can be cancelled. */
export function isLive(status: BackfillStatus): boolean {
  return status === 'Starting' || status === 'Running';
}

/** Final statuses whose cause may be temporary, so Sluice retries the interval, with back-off and a limit. */
export const RETRIED_STATUSES = ['FailedRetryable', 'Terminated', 'TimedOut'] as const satisfies readonly RunStatus[];

function isRetried(status: RunStatus): boolean {
  return (RETRIED_STATUSES as readonly RunStatus[]).includes(status);
}

/** Whether an interval whose newest run ended with the status can become a gap again automatically. */
export function mayBecomeGap(status: RunStatus): boolean {
  return isRetried(status) || status === 'ContinuedAsNew';
}

const MINUTE = 60_000;
/** Minutes from each failed run of an interval until the interval is a gap again; later retries are hourly, for a day. */
const RETRY_AFTER_MINUTES = [1, 5, 15, 60];
const GIVE_UP_AFTER_FAILURES = RETRY_AFTER_MINUTES.length + 23;

/**
 * Whether an interval without an open run or request is a gap, which is delivered automatically.
 * @param last the newest run of the interval, if there is any
 * @param failures how many of its runs ended in one of `RETRIED_STATUSES` since it was last delivered, the newest included
 * @param sinceMillis how long ago the newest one finished
 */
export function isGap(last: RunStatus | undefined, failures: number, sinceMillis: number): boolean {
  if (last === undefined || last === 'ContinuedAsNew') return true;
  if (!isRetried(last) || failures > GIVE_UP_AFTER_FAILURES) return false;
  return sinceMillis >= retryDelay(failures);
}

/** Milliseconds from the end of a retried run to the next try. @param failures see `isGap` */
export function retryDelay(failures: number): number {
  return (RETRY_AFTER_MINUTES[failures - 1] ?? 60) * MINUTE;
}

/** Seconds until an interval whose run ended with the status is a gap; undefined if it never is. For parameters see `isGap`. */
export function nextTryInSeconds(last: RunStatus, failures: number): number | undefined {
  if (last === 'ContinuedAsNew') return 0;
  return isRetried(last) && !isGivenUp(last, failures) ? retryDelay(failures) / 1000 : undefined;
}

/** Whether automatic retries of an interval have ended, because its runs failed too often. For parameters see `isGap`. */
export function isGivenUp(last: RunStatus, failures: number): boolean {
  return isRetried(last) && failures > GIVE_UP_AFTER_FAILURES;
}
