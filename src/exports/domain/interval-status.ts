/** A data interval's status, from its runs, requests and last delivery. */
import { isOpen, type RunStatus } from './statuses.ts';

/**
 * `missing`: nothing was delivered, and nothing is under way. `failed`: its last run did not deliver. `stale`: delivered, and rows
 * have joined it since. `running`: a run is under way, asked for, or due this moment.
 */
export const INTERVAL_STATUSES = ['missing', 'failed', 'stale', 'delivered', 'running'] as const;
export type IntervalStatus = (typeof INTERVAL_STATUSES)[number];

const FAILURES: readonly RunStatus[] = ['Failed', 'FailedRetryable', 'TimedOut', 'Terminated'];

export type IntervalFacts = {
  /** Status of the newest run. */
  status: RunStatus | null;
  delivered: boolean;
  stale: boolean;
  /** Whether a request for it is open. */
  requested: boolean;
  /** Whether its schedule may start its run any moment. */
  due: boolean;
};

export function intervalStatus({ status, delivered, stale, requested, due }: IntervalFacts): IntervalStatus {
  if (requested || (status && isOpen(status))) return 'running';
  if (status && FAILURES.includes(status)) return 'failed';
  if (delivered || status === 'Completed') return stale ? 'stale' : 'delivered';
  return due && status === null ? 'running' : 'missing';
}
