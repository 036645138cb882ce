/**
 * Runs that backfills replace. Such a run is in progress, and its attempts fail. The dispatcher ends it, and then starts the run that
 * the backfill requested. If the replaced run delivers before it ends, its delivery answers the request.
 */
import type { Knex } from '../../platform/db/connection.ts';
import { OPEN_STATUSES } from '../domain/statuses.ts';

/** Whether an open request is to replace a run. SQL, over `request` and `:runId`. */
export const REPLACES_RUN = `exists (
  select from batch_export_backfill_requests as link join batch_export_backfills as backfill on backfill.id = link.backfill_id
  where link.request_id = request.id and backfill.finished_at is null and :runId = any (backfill.replaces))`;

/**
 * Whether a delivery is wanted that is newer than a replaced run's: by another backfill, or because of rows that have joined the interval. A
 * request that was renewed for such rows keeps its kind. SQL, over `request`, `:runId` and `:cutoff`.
 */
export const IS_WANTED_SINCE = `(request.kind = 'stale' or exists (
  select from batch_export_troubles as trouble
  where trouble.kind = 'stale' and trouble.batch_export_id = request.batch_export_id and trouble.requested_at > :cutoff
    and trouble.data_interval_start = request.data_interval_start and trouble.data_interval_end = request.data_interval_end
) or exists (
  select from batch_export_backfill_requests as link join batch_export_backfills as backfill on backfill.id = link.backfill_id
  where link.request_id = request.id and backfill.finished_at is null and backfill.created_at > :cutoff
    and :runId <> all (backfill.replaces)))`;

type ReplacedRun = { id: string; workflowId: string; workflowRunId: string };

export function replacedRunStore(db: Knex) {
  return {
    /** Ids of the runs that live backfills of the export replace; some may have ended. */
    async listReplaced(batchExportId: string): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `select distinct unnest(replaces) as id from batch_export_backfills where batch_export_id = ? and finished_at is null`,
        [batchExportId],
      );
      return rows.map(({ id }) => id);
    },

    /** The replaced runs that are still in progress, and whose intervals have requests with a slot. The others go on: their turn may never come. */
    async listToEnd(batchExportId: string): Promise<ReplacedRun[]> {
      const { rows } = await db.raw<{ rows: ReplacedRun[] }>(
        `select distinct run.id, run.workflow_id as "workflowId", run.workflow_run_id as "workflowRunId"
         from batch_export_backfills as backfill
         join batch_export_runs as run on run.id = any (backfill.replaces) and run.status = any (?)
         join batch_export_requests as request on request.batch_export_id = run.batch_export_id
           and request.data_interval_end = run.data_interval_end and request.closed_at is null and request.claimed_at is not null
         join batch_export_backfill_requests as link on link.request_id = request.id and link.backfill_id = backfill.id
         where backfill.batch_export_id = ? and backfill.finished_at is null`,
        [[...OPEN_STATUSES], batchExportId],
      );
      return rows;
    },

    /** Whether a run of the interval was ended to be replaced, and no run has delivered the interval since. */
    async isToBeDelivered(batchExportId: string, end: string): Promise<boolean> {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `select from batch_export_runs as run
         join batch_export_backfills as backfill on backfill.batch_export_id = run.batch_export_id and run.id = any (backfill.replaces)
         join batch_export_backfill_requests as link on link.backfill_id = backfill.id
         join batch_export_requests as request on request.id = link.request_id
           and request.data_interval_end = run.data_interval_end and request.claimed_at is not null
         where run.batch_export_id = :batchExportId and run.data_interval_end = :end and not exists (
           select from batch_export_runs as delivered
           where delivered.batch_export_id = run.batch_export_id and delivered.data_interval_end = run.data_interval_end
             and delivered.status = 'Completed' and delivered.created_at >= run.created_at)
         limit 1`,
        { batchExportId, end },
      );
      return rows.length > 0;
    },

    async isReplaced(requestId: string, runId: string): Promise<boolean> {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `select from batch_export_requests as request where id = :requestId and ${REPLACES_RUN}`,
        { requestId, runId },
      );
      return rows.length > 0;
    },
  };
}
