/** A batch export's schedule in Temporal: made from the export, and compared with it. */
import { isDeepStrictEqual } from 'node:util';
import {
  ScheduleOverlapPolicy,
  type ScheduleDescription,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import { spanOf, type Cadence } from '../domain/cadence.ts';
import { millisOf } from '../domain/instants.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { calendarSpec } from './calendar-spec.ts';

/** A row's fields that its schedule must follow. */
export type ScheduledRow = Cadence & {
  id: string;
  jitterSeconds: number;
  model: string;
  destinationType: string;
  paused: boolean;
  startAt: string | null;
  endAt: string | null;
  /** Instant from which the current cadence holds, ISO, or `-infinity`. */
  validFrom: string;
  version: string;
};

/** Short, because the reconciler starts the runs that a stopped server has missed. */
export const CATCHUP_WINDOW_MS = 60_000;

export function scheduleOptions(row: ScheduledRow) {
  // `every 5 minutes` becomes `Every 5 minutes:`.
  const frequency = FREQUENCIES[row.interval] ?? `E${row.interval.slice(1)}:`;
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
      staticSummary: `${frequency} ${row.model} to ${row.destinationType}`,
    },
    policies: {
      overlap: ScheduleOverlapPolicy.ALLOW_ALL,
      catchupWindow: CATCHUP_WINDOW_MS,
      pauseOnFailure: false,
    },
    state: { paused: row.paused, note: row.paused ? 'Paused through the API' : 'Running' },
  } satisfies ScheduleOptions;
}

const FREQUENCIES: Record<string, string> = { hour: 'Hourly', day: 'Daily', week: 'Weekly', month: 'Monthly' };

function specOf(row: ScheduledRow): ScheduleSpec {
  const starts = [row.startAt, row.validFrom]
    .filter((at) => at !== null && at !== '-infinity')
    .map((at) => millisOf(at as string));
  return {
    ...(starts.length > 0 && { startAt: new Date(Math.max(...starts)) }),
    ...(row.endAt !== null && { endAt: new Date(millisOf(row.endAt)) }),
    ...(row.jitterSeconds > 0 && { jitter: row.jitterSeconds * 1000 }),
    ...timesOf(row),
  };
}

/** Times of the runs: fixed spans, counted from 1970, for hours and minutes, calendars for days, weeks and months. */
function timesOf(row: ScheduledRow): ScheduleSpec {
  const every = spanOf(row.interval);
  return every === undefined ? calendarSpec(row) : { intervals: [{ every }] };
}

/** Whether Temporal's schedule is exactly as the row says, so nothing was changed by hand. */
export function matchesRow(described: ScheduleDescription, row: ScheduledRow): boolean {
  return isDeepStrictEqual(comparedFields(described), comparedFields(scheduleOptions(row)));
}

/**
 * How a schedule compares with its row. `pause` is set if exactly one of the two is paused although the schedule's memo has the row's
 * version: then a person paused or unpaused it in Temporal. `since` is the earliest possible instant of that, in milliseconds.
 */
export type Comparison = {
  difference: 'no' | 'missing' | 'changed';
  pause?: { paused: boolean; note: string; since: number };
};

/** @param described undefined if there is no schedule */
export function compare(described: ScheduleDescription | undefined, row: ScheduledRow): Comparison {
  if (!described) return { difference: 'missing' };
  const { state, action, info } = described;
  const isCurrent = action.memo?.['version'] === row.version;
  if (!isCurrent || state.paused === row.paused) return { difference: matchesRow(described, row) ? 'no' : 'changed' };
  const asInRow = { ...described, state: { ...state, ...scheduleOptions(row).state } };
  // Temporal does not say when a schedule was paused, only that it was after the schedule was set and after its last started run.
  const started = info.recentActions.map(({ scheduledAt }) => scheduledAt.getTime());
  const since = Math.max((info.lastUpdatedAt ?? info.createdAt).getTime(), ...started) + 1;
  return {
    difference: matchesRow(asInRow, row) ? 'no' : 'changed',
    pause: { paused: state.paused, note: state.note ?? '', since },
  };
}

type ComparedSchedule = Pick<
  ReturnType<typeof scheduleOptions> | ScheduleDescription,
  'spec' | 'action' | 'policies' | 'state'
>;

/** All fields that decide when a schedule starts which run, with absent and empty values made equal. */
function comparedFields({ spec, action, policies, state }: ComparedSchedule) {
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
