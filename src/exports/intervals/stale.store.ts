/** Finds stale intervals by the imports and deliveries since the last check, so not every interval need be examined. */
import type { Knex } from '../../platform/db/connection.ts';
import type { DeliveredInterval } from '../../events/table/late-imports.ts';
import { retainedFromSql } from '../../events/table/retained-from.ts';

/** An export whose deliveries imports may have made stale. */
export type ExportToCheck = {
  id: string;
  projectId: number;
  model: string;
  redeliverStale: boolean;
  /** Imports before this instant have been checked. */
  seenUntil: string;
};

/** Limit of imports in one check of an export; the next check continues. */
const IMPORTS_AT_ONCE = 500;
/** A stored event's instant may be a little earlier than the beginning of its transaction, when a clock was set back. */
const CLOCK_SLACK = '1 minute';

export function staleStore(db: Knex) {
  return {
    /**
     * Lists exports whose project had an import since the last check, or that made a delivery since then that may have missed an import.
     * The export that was not checked for the longest time comes first. Marks all other exports as checked.
     */
    async listExportsToCheck(): Promise<ExportToCheck[]> {
      const { rows } = await db.raw<{ rows: ExportToCheck[] }>(
        `with watched as materialized (
           select id, project_id, model, redeliver_stale, coalesce(imports_seen_until, created_at) as seen
           from batch_exports left join batch_export_health on batch_export_id = id
           -- A person's version belongs to the interval in which it is stored, so only events can join an interval that has ended.
           where deleted_at is null and model <> 'persons'
         ), due as materialized (
           select * from watched
           where exists (select from import_ranges as import where import.project_id = watched.project_id and inserted_at >= seen)
             or exists (
               select from batch_export_runs as run
               where batch_export_id = watched.id and finished_at > seen and status = 'Completed' and exists (
                 select from import_ranges as import
                 -- A run that was adopted after a restore had read the source before its row was created.
                 where import.project_id = watched.project_id
                   and inserted_at >= least(run.created_at, (run.receipt ->> 'cutoff')::timestamptz)))
         ), horizon as (
           select least(clock_timestamp(), min(xact_start)) - interval '${CLOCK_SLACK}' as until
           from pg_stat_activity
           where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
         ), marked as (
           insert into batch_export_health as health (batch_export_id, imports_seen_until)
           select id, until from watched cross join horizon where until > seen and id not in (select id from due)
           on conflict (batch_export_id) do update set imports_seen_until = excluded.imports_seen_until
         )
         select id, project_id as "projectId", model, redeliver_stale as "redeliverStale", seen as "seenUntil"
         from due order by seen`,
      );
      return rows;
    },

    /**
     * Delivered intervals that overlap an import since the last check, or were delivered since then; also moves `last_at` of intervals
     * that are stale already.
     * @returns the intervals, and the instant up to which imports were checked; it precedes every open transaction that may still store one
     */
    async findCandidates({ id, projectId, seenUntil: since }: ExportToCheck): Promise<{
      seenUntil: string;
      candidates: DeliveredInterval[];
    }> {
      const { rows: horizon } = await db.raw<{ rows: { until: string }[] }>(
        `select greatest(?::timestamptz, least(clock_timestamp(), min(xact_start)) - interval '${CLOCK_SLACK}') as until
         from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
        [since],
      );
      const { rows: imports } = await db.raw<{ rows: { from: string; to: string; at: string }[] }>(
        `select range_from as "from", range_to as "to", inserted_at as at from import_ranges
         where project_id = ? and inserted_at >= ? order by inserted_at fetch first ${IMPORTS_AT_ONCE} rows with ties`,
        [projectId, since],
      );
      const bindings = {
        id,
        since,
        from: imports.map((range) => range.from),
        to: imports.map((range) => range.to),
        at: imports.map((range) => range.at),
      };
      await db.raw(
        `update batch_export_troubles as trouble set last_at = (
           select max(at) from unnest(:from::timestamptz[], :to::timestamptz[], :at::timestamptz[]) as import ("from", "to", at)
           where import."from" < data_interval_end and import."to" > data_interval_start)
         where batch_export_id = :id and kind = 'stale' and last_at < (
           select max(at) from unnest(:from::timestamptz[], :to::timestamptz[], :at::timestamptz[]) as import ("from", "to", at)
           where import."from" < data_interval_end and import."to" > data_interval_start)`,
        bindings,
      );
      const { rows: candidates } = await db.raw<{ rows: DeliveredInterval[] }>(
        `with import as (
           select * from unnest(:from::timestamptz[], :to::timestamptz[], :at::timestamptz[]) as import ("from", "to", at)
         ), overlapped as (
           select data_interval_start, data_interval_end from batch_export_intervals
           where batch_export_id = :id and data_interval_end > (select min("from") from import)
             and data_interval_start < (select max("to") from import)
             and exists (select from import where import."from" < data_interval_end and import."to" > data_interval_start)
           union
           select data_interval_start, data_interval_end from batch_export_runs
           where batch_export_id = :id and finished_at > :since and status = 'Completed'
         )
         select data_interval_start as start, data_interval_end as "end", receipt ->> 'cutoff' as cutoff
         from overlapped join batch_export_intervals as ledger using (data_interval_start, data_interval_end)
         where ledger.batch_export_id = :id and receipt ->> 'cutoff' is not null and not exists (
           select from batch_export_troubles as trouble
           where trouble.batch_export_id = :id and kind = 'stale' and trouble.data_interval_start = ledger.data_interval_start
             and trouble.data_interval_end = ledger.data_interval_end)`,
        bindings,
      );
      const isLimited = imports.length >= IMPORTS_AT_ONCE;
      const last = imports.at(-1)?.at;
      const until = horizon[0]!.until;
      return { seenUntil: isLimited && last !== undefined && last < until ? last : until, candidates };
    },

    /** Counts stale intervals. Locks the export's health row, so the second of two concurrent checks sees what the first one marked. */
    async countStale(exportId: string): Promise<number> {
      await db.raw('insert into batch_export_health (batch_export_id) values (?) on conflict do nothing', [exportId]);
      await db('batch_export_health').where({ batch_export_id: exportId }).forUpdate().first();
      const { rows } = await db.raw<{ rows: { count: number }[] }>(
        `select count(*)::int as count from batch_export_troubles where batch_export_id = ? and kind = 'stale'`,
        [exportId],
      );
      return rows[0]!.count;
    },

    /** Marks the deliveries as stale, except for those that a newer delivery has replaced. @returns how many intervals were not stale before */
    async markStale({ id, projectId }: ExportToCheck, staleDeliveries: readonly DeliveredInterval[]): Promise<number> {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `insert into batch_export_troubles (batch_export_id, kind, data_interval_start, data_interval_end, since, last_at)
         select :id, 'stale', start, "end", min(inserted_at), max(inserted_at)
         from unnest(:starts::timestamptz[], :ends::timestamptz[], :cutoffs::timestamptz[]) as late (start, "end", cutoff)
         join batch_export_intervals as ledger on ledger.batch_export_id = :id and ledger.data_interval_start = start
           and ledger.data_interval_end = "end" and (ledger.receipt ->> 'cutoff')::timestamptz = cutoff
         join import_ranges on project_id = :projectId and start >= ${retainedFromSql(':projectId')} and inserted_at >= cutoff and range_from < "end" and range_to > start
         group by start, "end" on conflict do nothing`,
        {
          id,
          projectId,
          starts: staleDeliveries.map(({ start }) => start),
          ends: staleDeliveries.map(({ end }) => end),
          cutoffs: staleDeliveries.map(({ cutoff }) => cutoff),
        },
      );
      return rowCount;
    },

    async recordCheck(exportId: string, until: string): Promise<void> {
      await db('batch_export_health').where({ batch_export_id: exportId }).update({ imports_seen_until: until });
    },
  };
}
