/** Timeouts and retry policies of activities, each with the reason for its numbers. */
import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { TASK_QUEUES } from '../src/exports/domain/task-queues.ts';

/** Short: another worker takes over a killed or frozen worker's work after this long. Beats come from a timer, several in this time. */
const HEARTBEAT = '10 seconds';

/** Planning. Failures are temporary (such as a restarting database), so Temporal retries them without a limit of attempts. */
export const PLANNING: ActivityOptions = {
  startToCloseTimeout: '30 minutes',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** Staging of parts. An unfinished part starts over; a destination that stays unavailable ends the run as `FailedRetryable`. */
export const MOVING: ActivityOptions = {
  taskQueue: TASK_QUEUES.parts,
  startToCloseTimeout: '2 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 20 },
};

/**
 * Staging of a range of parts. Each attempt continues where the last one ended. A range has more attempts than a single part, and time to
 * make progress. The run waits until a cancelled range has stopped, and then removes its staged parts.
 */
export const MOVING_RANGE: ActivityOptions = {
  ...MOVING,
  startToCloseTimeout: '12 hours',
  scheduleToCloseTimeout: '24 hours',
  retry: { ...MOVING.retry, maximumAttempts: 40 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** Commit and close. More attempts than for a part, because giving up loses all staged parts. */
export const FINISHING: ActivityOptions = {
  startToCloseTimeout: '2 hours',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 30 },
};

/** Dispatcher's rounds. Temporal retries a failed round until it succeeds, because the next round would be the same. */
export const DISPATCHING: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/** Reconciler's rounds. Few attempts, because the next round within a minute replaces a failed one. */
export const RECONCILING: ActivityOptions = { ...DISPATCHING, retry: { ...DISPATCHING.retry, maximumAttempts: 3 } };

/** Parts, or ranges of parts, of one run at once. */
export const PARTS_AT_ONCE = 4;
/**
 * Larger runs stage a range of parts in each activity: an activity adds about five events to the history, which Temporal
 * ends at 51,200.
 */
export const MAX_SINGLE_PARTS = 1_000;
export const PARTS_IN_RANGE = 50;
