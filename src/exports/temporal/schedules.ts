/**
 * Sets, checks and asks the schedules of batch exports in Temporal. A schedule is always *set* completely from the row, under the row's lock,
 * and never patched, because a schedule keeps one pending patch and silently drops the others. Each method throws `Unavailable` when Temporal does
 * not answer in time, because callers hold locks, and clients wait for them.
 */
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleOptions,
  type ScheduleUpdateOptions,
} from '@temporalio/client';
import { isoSeconds } from '../domain/instants.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { withDeadline } from '../../platform/temporal/connection.ts';
import { CATCHUP_WINDOW_MS, compare, scheduleOptions, type Comparison, type ScheduledRow } from './schedule-options.ts';

/** Id of the reconciler’s schedule, and of its workflow. */
export const RECONCILER = 'sluice-reconciler';

export function exportSchedules(client: Client) {
  const { schedule } = client;

  async function updateOrCreate(options: ScheduleOptions): Promise<void> {
    const update = async () => schedule.getHandle(options.scheduleId).update(() => options as ScheduleUpdateOptions);
    try {
      await update();
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error;
      await schedule.create(options).catch((retryError: unknown) => {
        // Another call, whose answer was perhaps lost, has made the schedule meanwhile, perhaps from an earlier row: set it once more.
        if (!(retryError instanceof ScheduleAlreadyRunning)) throw retryError;
        return update();
      });
    }
  }

  return {
    /** Sets the schedule from the row. The caller holds the row's lock. */
    async set(row: ScheduledRow): Promise<void> {
      await withDeadline(client, () => updateOrCreate(scheduleOptions(row)));
    },

    /** Compares Temporal's schedule with the row. */
    async compare(row: ScheduledRow): Promise<Comparison> {
      try {
        return compare(await withDeadline(client, () => schedule.getHandle(row.id).describe()), row);
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return compare(undefined, row);
        throw error;
      }
    },

    /**
     * Ids of all paused schedules, by one query of Temporal's list, which may be seconds behind the schedules themselves.
     */
    async listPausedIds(signal: AbortSignal): Promise<Set<string>> {
      const ids = new Set<string>();
      await client.withAbortSignal(signal, async () => {
        for await (const { scheduleId } of schedule.list({ query: 'TemporalSchedulePaused = true' }))
          ids.add(scheduleId);
      });
      return ids;
    },

    /** Removes a schedule; succeeds if it is gone already. */
    async remove(id: string): Promise<void> {
      await withDeadline(client, () => schedule.getHandle(id).delete()).catch((error: unknown) => {
        if (!(error instanceof ScheduleNotFoundError)) throw error;
      });
    },

    /** Calls the schedule's own backfill once, for up to ten instants. An instant that its spec does not produce starts nothing. */
    async backfill(id: string, ends: readonly number[]): Promise<void> {
      const overlap = ScheduleOverlapPolicy.ALLOW_ALL;
      const instants = ends.map((end) => ({ start: new Date(end), end: new Date(end), overlap }));
      await withDeadline(client, () => schedule.getHandle(id).backfill(instants));
    },

    /** Creates the schedule of the reconciler, one per namespace, or updates an earlier version's. */
    async ensureReconciler(): Promise<void> {
      const options: ScheduleOptions = {
        scheduleId: RECONCILER,
        // Short, so a run that Temporal ended is closed within a minute.
        spec: { intervals: [{ every: '45 seconds' }] },
        action: {
          type: 'startWorkflow',
          workflowType: 'reconcile',
          workflowId: RECONCILER,
          taskQueue: TASK_QUEUES.control,
          args: [],
        },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCHUP_WINDOW_MS },
        state: { note: `Set ${isoSeconds(Date.now())}` },
      };
      await withDeadline(client, () => updateOrCreate(options));
    },

    /** @returns undefined if the reconciler has no schedule */
    async findReconciler(): Promise<{ paused: boolean } | undefined> {
      try {
        const { state } = await withDeadline(client, () => schedule.getHandle(RECONCILER).describe());
        return { paused: state.paused };
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return undefined;
        throw error;
      }
    },
  };
}

export type ExportSchedules = ReturnType<typeof exportSchedules>;
