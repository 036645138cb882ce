/**
 * How backfills end: when their last request is closed, or when they are cancelled. While a backfill runs, its result is
 * counted from its requests. When it ends the result is stored, so listing old backfills needs no counting.
 */
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts';
import type { Knex } from '../../platform/db/connection.ts';
import type { PastBackfill } from './backfill-estimate.ts';

/** Query for the result of a backfill so far, one row. @param backfill the alias of a row of `batch_export_backfills` */
export const resultSql = (backfill: string) => `
  select count(request.closed_at) as finished_runs,
    count(*) filter (where request.closed_at is not null and run.status is distinct from 'Completed') as failed_runs,
    sum(run.records_completed) as total_records, max(request.closed_at) as last_closed_at
  from batch_export_backfill_requests as link
  join batch_export_requests as request on request.id = link.request_id
  left join batch_export_runs as run on run.id = request.run_id
  where link.backfill_id = ${backfill}.id
`;

/** Query for one open request of a backfill. The limits keep the planner from reading all requests of a large backfill. */
const openRequestSql = (backfill: string) => `
  select from batch_export_requests as request cross join lateral (
    select from batch_export_backfill_requests
    where backfill_id = ${backfill}.id and request_id = request.id limit 1
  ) as link
  where request.batch_export_id = ${backfill}.batch_export_id and request.closed_at is null limit 1
`;

export function backfillEnds(db: Knex) {
  const table = () => db('batch_export_backfills');

  /** Stores the result of each backfill of the export that has ended. */
  async function storeResults(batchExportId: string): Promise<void> {
    await db.raw(
      `update batch_export_backfills as backfill set finished_at = coalesce(ended.last_closed_at, backfill.created_at),
         finished_runs = ended.finished_runs, failed_runs = ended.failed_runs, total_records = ended.total_records
       from batch_export_backfills as live cross join lateral (${resultSql('live')}) as ended
       where backfill.id = live.id and live.batch_export_id = ? and live.finished_at is null and live.planned_until is null
         and not exists (${openRequestSql('live')})
         and ended.finished_runs = live.total_runs and backfill.finished_at is null`,
      [batchExportId],
    );
  }

  return {
    storeResults,

    /**
     * Clears the stored results of the backfills that a run served, so that Sluice counts them again: the run's status was corrected. The
     * result stays if some requests were deleted since, because of their age: without them the backfill would never end.
     */
    async clearResults(runId: string): Promise<void> {
      await table()
        .whereNull('cancelled_at')
        .whereRaw(
          'total_runs = (select count(*) from batch_export_backfill_requests where backfill_id = batch_export_backfills.id)',
        )
        .whereIn(
          'id',
          db('batch_export_backfill_requests as link')
            .join('batch_export_requests as request', 'request.id', 'link.request_id')
            .where('request.run_id', runId)
            .select('link.backfill_id'),
        )
        .update({ finished_at: null });
    },

    /** The newest backfills of an export that had several runs and ended with all of them completed. */
    async listPast(batchExportId: string, limit: number): Promise<PastBackfill[]> {
      const { rows } = await db.raw<{ rows: PastBackfill[] }>(
        `select total_runs::float8 as runs, extract(epoch from finished_at - created_at)::float8 as seconds
         from batch_export_backfills
         where batch_export_id = ? and kind = 'backfill' and finished_at is not null and cancelled_at is null
           and failed_runs = 0 and total_runs > 1
         order by created_at desc limit ?`,
        [batchExportId, limit],
      );
      return rows;
    },

    /**
     * Counts a project's backfills under way, without those that wait for their turn. Takes a lock until the transaction ends, so other
     * callers for the project wait.
     */
    async countLive(projectId: number): Promise<number> {
      await db.raw('select pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.backfillsOfProject, projectId]);
      // Results are not stored here, because that would wait for transactions that hold rows of other exports.
      const { rows } = await db.raw<{ rows: { live: number }[] }>(
        `select count(*)::int as live from batch_export_backfills as live
         where project_id = ? and kind = 'backfill' and finished_at is null and not waits
           and (planned_until is not null or exists (${openRequestSql('live')}))`,
        [projectId],
      );
      return rows[0]!.live;
    },

    /**
     * Ends a backfill under way, and the requests that no other backfill shares; call it in a transaction.
     * @returns ends of the data intervals whose run may have started, and that no other backfill needs: the caller cancels these runs
     */
    async cancel(id: string): Promise<string[]> {
      await db.raw(
        `update batch_export_backfills as backfill set cancelled_at = clock_timestamp(), finished_at = clock_timestamp(),
           planned_until = null, finished_runs = counted.finished_runs, failed_runs = counted.failed_runs,
           total_records = counted.total_records
         from batch_export_backfills as live cross join lateral (${resultSql('live')}) as counted
         where backfill.id = live.id and live.id = ?`,
        [id],
      );
      const { rows } = await db.raw<{ rows: { end: string }[] }>(
        `with closed as (
           update batch_export_requests as request set closed_at = clock_timestamp()
           from batch_export_backfill_requests as link
           where link.backfill_id = ? and request.id = link.request_id and request.closed_at is null
             and request.kind not in ('gap', 'stale')
             -- Requests stay open if an operator has allowed a foreign delivery to be replaced meanwhile.
             and not exists (
               select from foreign_deliveries as found
               where found.batch_export_id = request.batch_export_id and found.data_interval_start = request.data_interval_start
                 and found.data_interval_end = request.data_interval_end
                 and found.accepted = 'ours' and found.accepted_at >= request.created_at
             )
             and not exists (
               select from batch_export_backfill_requests as other join batch_export_backfills as wanting on wanting.id = other.backfill_id
               where other.request_id = request.id and wanting.finished_at is null
             )
           returning request.batch_export_id, request.data_interval_start, request.data_interval_end, request.claimed_at
         ), stale as (
           -- A retry had taken the place of the re-delivery that was requested.
           update batch_export_troubles as trouble set requested_at = null from closed
           where kind = 'stale' and trouble.batch_export_id = closed.batch_export_id
             and trouble.data_interval_start = closed.data_interval_start and trouble.data_interval_end = closed.data_interval_end
         )
         select data_interval_end as "end" from closed where claimed_at is not null`,
        [id],
      );
      return rows.map(({ end }) => end);
    },
  };
}
