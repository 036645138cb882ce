/** Queries by which the reconciler finds intervals without a run that the schedule should have started. */
import type { Knex } from '../../platform/db/connection.ts';
import type { ExpectedIntervals, IntervalState } from '../domain/gaps.ts';
import { millisOf } from '../domain/instants.ts';
import type { Pause } from '../domain/pauses.ts';
import { RETRIED_STATUSES } from '../domain/statuses.ts';

export type WatchedExport = Omit<ExpectedIntervals, 'tiling'> & { id: string };

type Row = {
  id: string;
  created_at: string;
  start_at: string | null;
  end_at: string | null;
  jitter_seconds: number;
  settled_until: string;
};

export function gapStore(db: Knex) {
  return {
    /** Every export that is not deleted. */
    async listWatchedExports(): Promise<WatchedExport[]> {
      const rows = await db<Row>('batch_exports')
        .whereNull('deleted_at')
        .select('id', 'created_at', 'start_at', 'end_at', 'jitter_seconds', 'settled_until');
      return rows.map((row) => ({
        id: row.id,
        createdAt: millisOf(row.created_at),
        startAt: row.start_at === null ? null : millisOf(row.start_at),
        endAt: row.end_at === null ? null : millisOf(row.end_at),
        jitter: row.jitter_seconds * 1000,
        gapFreeUntil: row.settled_until === '-infinity' ? -Infinity : millisOf(row.settled_until),
      }));
    },

    async listPauses(exportId: string): Promise<Pause[]> {
      const rows = (await db('batch_export_pauses').where({ batch_export_id: exportId })) as {
        paused_at: string;
        unpaused_at: string | null;
      }[];
      return rows.map((row) => ({ pausedAt: row.paused_at, unpausedAt: row.unpaused_at }));
    },

    /** The state of every interval that ended after `since` and has a run. */
    async listStates(exportId: string, since: string): Promise<(IntervalState & { end: string })[]> {
      const { rows } = await db.raw<{ rows: (IntervalState & { end: string })[] }>(
        `select distinct on (data_interval_end) data_interval_end as "end", status,
           (extract(epoch from clock_timestamp() - finished_at) * 1000)::float8 as "finishedMillisAgo",
           closed_by is not distinct from 'api' as "closedByApi",
           (select count(*)::int from batch_export_runs as earlier
             where earlier.batch_export_id = run.batch_export_id and earlier.data_interval_end = run.data_interval_end
               and earlier.status = any (?)
               and earlier.created_at > coalesce((select max(other.created_at) from batch_export_runs as other
                 where other.batch_export_id = run.batch_export_id and other.data_interval_end = run.data_interval_end
                   and other.status = 'Completed'), '-infinity')) as failures
         from batch_export_runs as run
         where batch_export_id = ? and data_interval_end > ?
         order by data_interval_end, created_at desc`,
        [[...RETRIED_STATUSES], exportId, since],
      );
      return rows;
    },

    /** Counts the runs of an interval that failed with a retried status since its last delivery. */
    async countFailures(exportId: string, end: string): Promise<number> {
      const { rows } = await db.raw<{ rows: { failures: number }[] }>(
        `select count(*)::int as failures from batch_export_runs
         where batch_export_id = :exportId and data_interval_end = :end and status = any (:retried)
           and created_at > coalesce((select max(created_at) from batch_export_runs
             where batch_export_id = :exportId and data_interval_end = :end and status = 'Completed'), '-infinity')`,
        { exportId, end, retried: [...RETRIED_STATUSES] },
      );
      return rows[0]!.failures;
    },

    /** Whether the interval is delivered automatically: as a gap, or because its commit has begun and will be settled. */
    async isWatched(exportId: string, start: string, end: string): Promise<boolean> {
      const { rows } = await db.raw<{ rows: { watched: boolean }[] }>(
        `select exists (
           select from batch_exports
           where id = :exportId and deleted_at is null and created_at < :end
             and coalesce(start_at <= :end, true) and coalesce(end_at >= :end, true)
             and not exists (select from batch_export_pauses
               where batch_export_id = id and paused_at <= :end and coalesce(unpaused_at > :end, true))
         ) or exists (
           select from batch_export_intervals
           where batch_export_id = :exportId and data_interval_start = :start and data_interval_end = :end and state = 'committing'
         ) as watched`,
        { exportId, start, end },
      );
      return rows[0]!.watched;
    },

    /** Moves the search for gaps forward. */
    async advanceGapFreeUntil(exportId: string, until: string): Promise<void> {
      await db('batch_exports').where({ id: exportId }).update({ settled_until: until });
    },

    /** Moves the search for gaps back to an interval's start, because the interval may be a gap again. */
    async rewindGapFreeUntil(exportId: string, start: string): Promise<void> {
      await db('batch_exports')
        .where({ id: exportId })
        .where('settled_until', '>', start)
        .update({ settled_until: start });
    },

    /** Ends of intervals after `since` with an interrupted commit that nothing has tried to settle yet, so it may have succeeded. */
    async listUnsettledEnds(exportId: string, since: string): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { end: string }[] }>(
        `select data_interval_end as "end" from batch_export_intervals as ledger
         where batch_export_id = ? and data_interval_end > ? and state = 'committing' and not exists (
           select from batch_export_troubles as trouble
           where trouble.batch_export_id = ledger.batch_export_id and trouble.kind = 'unsettled'
             and trouble.data_interval_start = ledger.data_interval_start
             and trouble.data_interval_end = ledger.data_interval_end)`,
        [exportId, since],
      );
      return rows.map((row) => row.end);
    },

    /** Ends of intervals after `since` that have an open request. */
    async listRequestedEnds(exportId: string, since: string): Promise<string[]> {
      const rows = (await db('batch_export_requests')
        .where({ batch_export_id: exportId })
        .whereNull('closed_at')
        .where('data_interval_end', '>', since)
        .select('data_interval_end as end')) as { end: string }[];
      return rows.map((row) => row.end);
    },
  };
}
