/** Keeps Temporal's schedules equal to the rows. */
import type { Logger } from '../telemetry/logger.ts';
import type { ExportSchedules } from '../temporal/schedules.ts';
import type { ExportStores } from './stores.ts';

export type ScheduleSetter = ReturnType<typeof scheduleSetter>;

export function scheduleSetter({
  stores,
  schedules,
  log,
}: {
  stores: ExportStores;
  schedules: ExportSchedules;
  log: Logger;
}) {
  /**
   * Sets one export's schedule from its row. The row stays locked meanwhile, so that of several setters the last one sets what
   * the row says last; a deleted export's schedule is removed.
   */
  async function set(id: string): Promise<void> {
    await stores.inTransaction(async (inside) => {
      const row = await inside.schedules.lock(id);
      if (!row) return;
      await (row.deleted ? schedules.remove(id) : schedules.set(row));
      await inside.schedules.markSet(id, row.version);
    });
  }

  return {
    set,

    /** Like `set`, for a caller whose change is stored already: what fails now, the reconciler does within a minute. */
    async follow(id: string): Promise<void> {
      await set(id).catch((error: unknown) =>
        log.warn({ err: error, batch_export_id: id }, 'the schedule follows later'),
      );
    },

    /** Sets the schedule only when it differs from the row: somebody changed or deleted it in Temporal. */
    async verify(id: string): Promise<void> {
      const row = await stores.schedules.read(id);
      if (!row || row.deleted || row.scheduleVersion !== row.version || !(await schedules.follows(row))) return set(id);
      await stores.schedules.markSet(id, row.version);
    },
  };
}
