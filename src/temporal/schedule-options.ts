/** What a batch export's schedule in Temporal says, and whether it still says so. */
import { isDeepStrictEqual } from 'node:util';
import {
  ScheduleOverlapPolicy,
  type ScheduleDescription,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import { millisOf } from '../exports/domain/instants.ts';
import { periodOf } from '../exports/domain/intervals.ts';
import { TASK_QUEUES } from '../exports/domain/task-queues.ts';

/** A row as its schedule must follow it. */
export type ScheduledRow = {
  id: string;
  interval: string;
  model: string;
  destinationType: string;
  paused: boolean;
  startAt: string | null;
  endAt: string | null;
  /** From when the present interval holds, ISO, or `-infinity`. */
  validFrom: string;
  version: string;
};

/** What a paused or stopped server misses is found by the reconciler alone. */
export const CATCHUP_WINDOW_MS = 60_000;

export function scheduleOptions(row: ScheduledRow) {
  const often = EVERY[row.interval] ?? `E${row.interval.slice(1)}:`;
  return {
    scheduleId: row.id,
    spec: specOf(row),
    action: {
      type: 'startWorkflow',
      workflowType: 'exportRun',
      workflowId: row.id,
      taskQueue: TASK_QUEUES.control,
      args: [{ exportId: row.id }],
      memo: { version: row.version },
      staticSummary: `${often} ${row.model} to ${row.destinationType}`,
    },
    policies: {
      overlap: ScheduleOverlapPolicy.ALLOW_ALL,
      catchupWindow: CATCHUP_WINDOW_MS,
      pauseOnFailure: false,
    },
    state: { paused: row.paused, note: row.paused ? 'Paused through the API' : 'Running' },
  } satisfies ScheduleOptions;
}

const EVERY: Record<string, string> = { hour: 'Hourly', day: 'Daily', week: 'Weekly' };

function specOf(row: ScheduledRow): ScheduleSpec {
  const starts = [row.startAt, row.validFrom]
    .filter((at) => at !== null && at !== '-infinity')
    .map((at) => millisOf(at as string));
  return {
    ...(starts.length > 0 && { startAt: new Date(Math.max(...starts)) }),
    ...(row.endAt !== null && { endAt: new Date(millisOf(row.endAt)) }),
    ...timesOf(row.interval),
  };
}

const only = <T>(value: T) => [{ start: value, end: value, step: 1 }];

/** Spelled out as Temporal describes it, so that the two can be compared. */
const MIDNIGHTS = {
  second: only(0),
  minute: only(0),
  hour: only(0),
  dayOfMonth: [{ start: 1, end: 31, step: 1 }],
  month: [{ start: 'JANUARY', end: 'DECEMBER', step: 1 }],
  year: [],
  dayOfWeek: [{ start: 'SUNDAY', end: 'SATURDAY', step: 1 }],
  comment: '',
} as const;

/** Hours and minutes are spans from 1970 on; days and weeks are of the calendar. */
function timesOf(interval: string): ScheduleSpec {
  if (interval === 'day') return { calendars: [MIDNIGHTS] as never, timezone: 'UTC' };
  if (interval === 'week')
    return { calendars: [{ ...MIDNIGHTS, dayOfWeek: only('SUNDAY') }] as never, timezone: 'UTC' };
  return { intervals: [{ every: periodOf(interval).every }] };
}

/** Whether Temporal's schedule does exactly what the row says, whatever was done to it by hand. */
export function follows(described: ScheduleDescription, row: ScheduledRow): boolean {
  return isDeepStrictEqual(essence(described), essence(scheduleOptions(row)));
}

type Said = Pick<ReturnType<typeof scheduleOptions> | ScheduleDescription, 'spec' | 'action' | 'policies' | 'state'>;

/** Everything that decides when something starts and what; absent and empty are the same. */
function essence({ spec, action, policies, state }: Said) {
  const { calendars, intervals, skip, startAt, endAt, jitter, timezone } = spec;
  const { workflowType, workflowId, taskQueue, args, memo, staticSummary } = action;
  const { remainingActions } = state as ScheduleDescription['state'];
  return {
    times: [calendars ?? [], (intervals ?? []).map(({ every, offset }) => [every, offset ?? 0]), skip ?? []],
    bounds: [startAt, endAt, jitter, timezone || undefined],
    action: [workflowType, workflowId, taskQueue, args, memo, staticSummary],
    policies: [policies.overlap, policies.catchupWindow, policies.pauseOnFailure],
    state: [state.paused, state.note, remainingActions],
  };
}
