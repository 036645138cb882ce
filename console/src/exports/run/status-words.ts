import type { Run } from './run-data.ts';

export const STATUS_WORDS: Readonly<Record<Run['status'], string>> = {
  Starting: 'waiting to start',
  Running: 'running',
  Completed: 'delivered',
  Failed: 'failed',
  FailedRetryable: 'failed, to be retried',
  Cancelled: 'cancelled',
  Terminated: 'terminated',
  TimedOut: 'timed out',
  ContinuedAsNew: 'continued by another run',
};
