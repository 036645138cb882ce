/** Keeps Temporal's schedules equal to the rows. */
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ExportSchedules } from '../temporal/schedules.ts';
import { adoptPause, recordRestoredSchedule } from './schedule-changes.ts';
import type { ExportStores } from '../stores.ts';

export type ScheduleSync = ReturnType<typeof scheduleSync>;

export function scheduleSync({
  stores,
  schedules,
  log,
}: {
  stores: ExportStores;
  schedules: ExportSchedules;
  log: Logger;
}) {
  /**
   * Sets one export's schedule from its row. The row stays locked meanwhile, so the last of several concurrent calls
   * applies the newest row; a deleted export's schedule is removed.
   */
  async function sync(id: string): Promise<void> {
    await stores.inTransaction(async (tx) => {
      const row = await tx.schedules.lock(id);
      if (!row) return;
      await (row.deleted ? schedules.remove(id) : schedules.set(row));
      await tx.schedules.markSet(id, row.version);
    });
  }

  return {
    set: sync,

    /** Like `set`, but logs a failure, for a caller whose change is stored already: the reconciler repeats it within a minute. */
    async trySync(id: string): Promise<void> {
      await sync(id).catch((error: unknown) =>
        log.warn({ err: error, batch_export_id: id }, 'the schedule could not be set: the reconciler tries again'),
      );
    },

    /**
     * Compares the schedule with the row. Copies a pause or an unpause made in Temporal to the row. Undoes every other
     * change or deletion that was made in Temporal, with a notice.
     * @returns whether this paused or unpaused the row
     */
    async verify(id: string): Promise<boolean> {
      const row = await stores.schedules.find(id);
      if (!row || row.deleted || row.scheduleVersion !== row.version) {
        await sync(id);
        return false;
      }
      const { difference, pause } = await schedules.compare(row);
      if (pause) {
        const adopted = await adoptPause(stores, row, pause);
        if (adopted) log.info({ batch_export_id: id, ...pause }, 'a pause or unpause made in Temporal is adopted');
        if (difference !== 'no') await recordRestoredSchedule(stores, row, difference);
        await sync(id);
        return adopted;
      }
      if (difference === 'no') await stores.schedules.markSet(id, row.version);
      else {
        await sync(id);
        await recordRestoredSchedule(stores, row, difference);
        log.warn({ batch_export_id: id, difference }, 'a schedule that was changed in Temporal is set again');
      }
      return false;
    },
  };
}
