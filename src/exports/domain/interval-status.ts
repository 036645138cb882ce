/** A data interval's status, from its runs, requests and last delivery. */
import { isOpen, type RunStatus } from './statuses.ts';

/**
 * `missing`: not delivered, without a run under way. `failed`: the last run did not deliver. `stale`: rows have joined the interval since
 * its delivery. `running`: a run is under way, requested or due. `expired`: not delivered, and rows of it may be gone at the source.
 */
export const INTERVAL_STATUSES = ['missing', 'failed', 'stale', 'delivered', 'running', 'expired'] as const;
export type IntervalStatus = (typeof INTERVAL_STATUSES)[number];

/** Statuses of intervals that a run, a request or a trouble shows. The others are known only after every interval was examined. */
const SHOWN = ['failed', 'running', 'stale'] as const satisfies readonly IntervalStatus[];
export type ShownStatus = (typeof SHOWN)[number];

export function areShown(statuses: readonly IntervalStatus[]): statuses is readonly ShownStatus[] {
  return statuses.length > 0 && statuses.every((status) => (SHOWN as readonly IntervalStatus[]).includes(status));
}

/** Statuses of a newest run that make its interval `failed`. */
export const FAILURES: readonly RunStatus[] = ['Failed', 'FailedRetryable', 'TimedOut', 'Terminated'];

export type IntervalFacts = {
  /** Status of the newest run. */
  status: RunStatus | null;
  delivered: boolean;
  stale: boolean;
  /** Whether a request for the interval is open. */
  requested: boolean;
  /** Whether the schedule may start the interval's run any moment. */
  due: boolean;
  /** Whether rows of the interval may be gone at the source. */
  expired: boolean;
};

export function intervalStatus({ status, delivered, stale, requested, due, expired }: IntervalFacts): IntervalStatus {
  if (requested || (status && isOpen(status))) return 'running';
  if (expired) return delivered || status === 'Completed' ? 'delivered' : 'expired';
  if (status && FAILURES.includes(status)) return 'failed';
  if (delivered || status === 'Completed') return stale ? 'stale' : 'delivered';
  return due && status === null ? 'running' : 'missing';
}
