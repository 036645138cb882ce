/** Queries for an export's failure window, and for the backfills that a pause ends. */
import type { Knex } from '../../platform/db/connection.ts';
import { AWAITING_DECISION } from '../domain/failure-window.ts';
import { OPEN_STATUSES } from '../domain/statuses.ts';

/** Whether the run found fewer rows than it planned because persons were erased meanwhile: its interval is delivered again. */
const BY_ERASURE = `(run.error_code = 'interval_shrank' and exists (
  select from erased_deliveries as delivery where delivery.batch_export_id = run.batch_export_id
    and delivery.data_interval_start = run.data_interval_start and delivery.data_interval_end = run.data_interval_end))`;

export function failureStore(db: Knex) {
  return {
    /**
     * Counts the newest runs that ended `Failed`. Leaves out runs that ended before the export was last paused or unpaused, because the
     * person who did that knew of them, and runs that wait for a decision, or whose rows were erased.
     */
    async countRecentFailures(exportId: string, runs: number): Promise<number> {
      // tooth: decisions-pause-nothing
      const { rows } = await db.raw<{ rows: { failed: number }[] }>(
        `select count(*) filter (where status = 'Failed')::int as failed from (
           select status from batch_export_runs as run
           where batch_export_id = :exportId and not status = any (:open)
             and not (status = 'Failed' and (coalesce(error_type, '') = any (:awaiting) or ${BY_ERASURE}))
             and finished_at > coalesce((select greatest(max(paused_at), max(unpaused_at)) from batch_export_pauses
               where batch_export_id = :exportId), '-infinity')
           order by created_at desc limit :runs
         ) as newest`,
        { exportId, runs, open: [...OPEN_STATUSES], awaiting: [...AWAITING_DECISION] },
      );
      return rows[0]!.failed;
    },

    /** Whether a closed run failed because persons were erased while it read them. */
    async isByErasure(runId: string): Promise<boolean> {
      return (
        (await db('batch_export_runs as run').where('run.id', runId).whereRaw(BY_ERASURE).first('run.id')) !== undefined
      );
    },

    /** Backfills and retries that have not ended. */
    async listLiveBackfills(exportId: string): Promise<string[]> {
      const rows = (await db('batch_export_backfills')
        .where({ batch_export_id: exportId })
        .whereNull('finished_at')
        .select('id')) as { id: string }[];
      return rows.map(({ id }) => id);
    },
  };
}
