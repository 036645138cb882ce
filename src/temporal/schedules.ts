/**
 * A batch export's schedule in Temporal. It is always *set* whole from the row, by whoever holds the row's lock, and never
 * patched: a schedule keeps one pending patch and silently drops the others.
 */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleSpec,
} from '@temporalio/client';
import { isoSeconds, millisOf } from '../exports/domain/instants.ts';
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

const WORKFLOW = 'exportRun';
/** What a paused or stopped server misses is found by the reconciler alone. */
const CATCHUP_WINDOW = '1 minute';

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

/** Hours and minutes are spans from 1970 on; days and weeks are of the calendar. */
function timesOf(interval: string): ScheduleSpec {
  if (interval === 'day') return { calendars: [{ hour: 0 }], timezone: 'UTC' };
  if (interval === 'week') return { calendars: [{ hour: 0, dayOfWeek: 'SUNDAY' }], timezone: 'UTC' };
  return { intervals: [{ every: periodOf(interval).every }] };
}

const EVERY: Record<string, string> = { hour: 'Hourly', day: 'Daily', week: 'Weekly' };

function optionsOf(row: ScheduledRow): ScheduleOptions {
  const often = EVERY[row.interval] ?? `E${row.interval.slice(1)}:`;
  return {
    scheduleId: row.id,
    spec: specOf(row),
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOW,
      workflowId: row.id,
      taskQueue: TASK_QUEUES.control,
      args: [{ exportId: row.id }],
      memo: { version: row.version },
      staticSummary: `${often} ${row.model} to ${row.destinationType}`,
    },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: CATCHUP_WINDOW, pauseOnFailure: false },
    state: { paused: row.paused, note: row.paused ? 'Paused through the API' : 'Running' },
  };
}

export function exportSchedules(client: Client) {
  const { schedule } = client;

  return {
    /** Makes the schedule what the row says. The caller holds the row's lock. */
    async set(row: ScheduledRow): Promise<void> {
      const options = optionsOf(row);
      try {
        await schedule.getHandle(row.id).update(() => options as never);
      } catch (error) {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
        await schedule.create(options).catch((again: unknown) => {
          // Made by a call whose answer was lost: it says what an earlier row said, so it is set once more.
          if (!(again instanceof ScheduleAlreadyRunning)) throw again;
          return schedule.getHandle(row.id).update(() => options as never);
        });
      }
    },

    /** Whether Temporal's schedule is there and says what the row says. */
    async follows(row: Pick<ScheduledRow, 'id' | 'version' | 'paused'>): Promise<boolean> {
      try {
        const described = await schedule.getHandle(row.id).describe();
        return described.state.paused === row.paused && described.action.memo?.['version'] === row.version;
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return false;
        throw error;
      }
    },

    /** Gone already is as good. */
    async remove(id: string): Promise<void> {
      await schedule
        .getHandle(id)
        .delete()
        .catch((error: unknown) => {
          if (!(error instanceof ScheduleNotFoundError)) throw error;
        });
    },

    /** One call of the schedule's own backfill for up to ten instants. An instant that its spec does not produce starts nothing. */
    async backfill(id: string, ends: readonly number[]): Promise<void> {
      await schedule
        .getHandle(id)
        .backfill(
          ends.map((end) => ({ start: new Date(end), end: new Date(end), overlap: ScheduleOverlapPolicy.ALLOW_ALL })),
        );
    },

    /** The reconciler is a schedule as well; there is one per namespace. */
    async ensureReconciler(): Promise<void> {
      const options: ScheduleOptions = {
        scheduleId: 'sluice-reconciler',
        spec: { intervals: [{ every: '1 minute' }] },
        action: {
          type: 'startWorkflow',
          workflowType: 'reconcile',
          workflowId: 'sluice-reconciler',
          taskQueue: TASK_QUEUES.control,
          args: [],
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW },
        state: { note: `Set ${isoSeconds(Date.now())}` },
      };
      await schedule.create(options).catch((error: unknown) => {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error;
      });
    },
  };
}

export type ExportSchedules = ReturnType<typeof exportSchedules>;
