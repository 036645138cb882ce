/** What the failure window of an export looks at, and what it ends. */
import type { Knex } from '../db/connection.ts';
import { OPEN_STATUSES } from './domain/statuses.ts';

export function failureStore(db: Knex) {
  return {
    /**
     * How many of the newest runs ended `Failed`. Runs that ended before the export was last paused or unpaused do not count:
     * whoever did that knew of them.
     */
    async failedOfLast(exportId: string, runs: number): Promise<number> {
      const { rows } = await db.raw<{ rows: { failed: number }[] }>(
        `select count(*) filter (where status = 'Failed')::int as failed from (
           select status from batch_export_runs
           where batch_export_id = :exportId and not status = any (:open)
             and finished_at > coalesce((select greatest(max(paused_at), max(unpaused_at)) from batch_export_pauses
               where batch_export_id = :exportId), '-infinity')
           order by created_at desc limit :runs
         ) as newest`,
        { exportId, runs, open: [...OPEN_STATUSES] },
      );
      return rows[0]!.failed;
    },

    /** Cancels backfills and retries that are not finished: nothing more is asked for them. @returns how many */
    async cancelBackfills(exportId: string): Promise<number> {
      const { rows } = await db.raw<{ rows: { cancelled: number }[] }>(
        `with asked as (
           select link.backfill_id, request.id from batch_export_requests as request
           join batch_export_backfill_requests as link on link.request_id = request.id
           where request.batch_export_id = :exportId and request.closed_at is null
         ), closed as (
           update batch_export_requests set closed_at = clock_timestamp() where id in (select id from asked)
         ), cancelled as (
           update batch_export_backfills set cancelled_at = clock_timestamp()
           where id in (select backfill_id from asked) and cancelled_at is null returning 1
         )
         select count(*)::int as cancelled from cancelled`,
        { exportId },
      );
      return rows[0]!.cancelled;
    },
  };
}

export type FailureStore = ReturnType<typeof failureStore>;
