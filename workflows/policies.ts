/** Timeouts and retry policies of activities, each with the reason for its numbers. */
import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { TASK_QUEUES } from '../src/exports/domain/task-queues.ts';

/** Short: another worker takes over a killed or frozen worker's work after this long. Beats come from a timer, several in this time. */
const HEARTBEAT = '10 seconds';

/** Planning and small steps. What fails passes later (a database that restarts); there is nothing better to do than to try again. */
export const PLANNING: ActivityOptions = {
  startToCloseTimeout: '30 minutes',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '500 milliseconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** Rows on their way. An unfinished part starts over; a destination that stays away ends the run as `FailedRetryable`. */
export const MOVING: ActivityOptions = {
  taskQueue: TASK_QUEUES.parts,
  startToCloseTimeout: '2 hours',
  scheduleToCloseTimeout: '12 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 20 },
};

/**
 * A range of parts, which goes on where its last attempt ended: more attempts than one part has, and no attempt is cut off that still
 * moves. What a cancelled range has staged is taken back once it has stopped.
 */
export const MOVING_RANGE: ActivityOptions = {
  ...MOVING,
  startToCloseTimeout: '12 hours',
  scheduleToCloseTimeout: '24 hours',
  retry: { ...MOVING.retry, maximumAttempts: 40 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/** Commit and close. Tried longer than parts are: what is staged is lost otherwise. */
export const FINISHING: ActivityOptions = {
  startToCloseTimeout: '2 hours',
  scheduleToCloseTimeout: '24 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute', maximumAttempts: 30 },
};

/** Asking for runs. The next round is this one again: it is tried until it is done. */
export const ASKING: ActivityOptions = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/** Looking after things, every minute anyway: a failed round is replaced by the next one. */
export const CARETAKING: ActivityOptions = { ...ASKING, retry: { ...ASKING.retry, maximumAttempts: 3 } };

/** Parts, or ranges of parts, of one run at once. */
export const PARTS_AT_ONCE = 4;
/**
 * Larger runs stage a range of parts in each activity: an activity adds about five events to the history, which Temporal
 * ends at 51,200.
 */
export const MAX_SINGLE_PARTS = 1_000;
export const PARTS_IN_RANGE = 50;
