/** Data intervals that need attention: stale, left half way at the destination, or given up. One row per interval and kind. */
import { eventsFromBeforeSql } from '../../events/reading/selection.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { millisOf } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import { intervalKey, type ExportInterval } from '../deliveries/epoch-lease.store.ts';

/**
 * `stale`: events have joined the interval since its delivery. `unsettled`: a run left the interval half way, and settling it failed.
 * `gave_up`: the interval is not delivered, and no longer retried automatically.
 */
export const TROUBLE_KINDS = ['stale', 'unsettled', 'gave_up'] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** How many intervals of an export are in trouble, and what that means for its freshness. */
export type TroubleSummary = {
  counts: Record<TroubleKind, number>;
  /** Since when the destination's content of an interval is known to be outdated or in doubt; null if there is no such interval. */
  outdatedSince: Millis | null;
  /** Start of the first outdated or doubtful interval that the schedule delivers. */
  firstOutdatedStart: Millis | null;
};

/** Limit of the pause between two attempts, which doubles each time. */
const LONGEST_BACK_OFF_MINUTES = 60;
/** SQL for the instant at which the next attempt is due, after a number of attempts. */
const pauseSql = (attempts: string) =>
  `clock_timestamp() + least(power(2, least(${attempts}, 10)), ${LONGEST_BACK_OFF_MINUTES}) * interval '1 minute'`;
/** Imports can make an interval stale again and again, so a re-delivery waits until they have ended, up to a limit. */
const QUIET_MINUTES = 10;
const LONGEST_WAIT_MINUTES = 60;
const MAX_REDELIVERIES = 5_000;

export function troubleStore(db: Knex) {
  const table = () => db('batch_export_troubles');

  return {
    /** @returns whether the trouble is new, so a notice is due */
    async begin(interval: ExportInterval, kind: TroubleKind): Promise<boolean> {
      const { rowCount } = (await db.raw(
        `insert into batch_export_troubles (batch_export_id, data_interval_start, data_interval_end, kind)
         values (?, ?, ?, ?) on conflict do nothing`,
        [interval.exportId, interval.start, interval.end, kind],
      )) as { rowCount: number };
      return rowCount > 0;
    },

    async end(interval: ExportInterval, kind: TroubleKind): Promise<void> {
      await table()
        .where({ ...intervalKey(interval), kind })
        .delete();
    },

    /** Postpones the next attempt to settle, longer each time. @returns for how many days settling has failed */
    async postponeSettling({ exportId, start, end }: ExportInterval): Promise<number> {
      const { rows } = await db.raw<{ rows: { days: number }[] }>(
        `insert into batch_export_troubles as trouble
           (batch_export_id, data_interval_start, data_interval_end, kind, attempts, retry_at)
         values (?, ?, ?, 'unsettled', 1, clock_timestamp() + interval '1 minute')
         on conflict (batch_export_id, kind, data_interval_start, data_interval_end) do update set
           attempts = trouble.attempts + 1,
           retry_at = ${pauseSql('trouble.attempts')}
         returning (extract(epoch from clock_timestamp() - since) / 86400)::float8 as days`,
        [exportId, start, end],
      );
      return rows[0]!.days;
    },

    /** Troubles of each export that has any. Unsettled intervals are in doubt only if their commit was interrupted, not for staged parts. */
    async listSummaries(exportIds: readonly string[]): Promise<Map<string, TroubleSummary>> {
      const { rows } = await db.raw<{
        rows: { id: string; stale: number; unsettled: number; gave_up: number; since: string; from: string }[];
      }>(
        `select id, count(*) filter (where kind = 'stale')::int as stale, count(*) filter (where kind = 'unsettled')::int as unsettled,
           count(*) filter (where kind = 'gave_up')::int as gave_up, min(since) filter (where in_doubt) as since,
           min(data_interval_start) filter (where in_doubt and data_interval_end > beginning) as "from"
         from (
           select export.id, trouble.*, greatest(export.created_at, export.start_at - interval '1 ms') as beginning,
             kind = 'stale' or kind = 'unsettled' and exists (
               select from batch_export_intervals as ledger
               where ledger.batch_export_id = trouble.batch_export_id and ledger.state = 'committing'
                 and ledger.data_interval_start = trouble.data_interval_start
                 and ledger.data_interval_end = trouble.data_interval_end) as in_doubt
           from batch_export_troubles as trouble join batch_exports as export on export.id = trouble.batch_export_id
           where export.id = any (?)
         ) as trouble group by id`,
        [[...exportIds]],
      );
      return new Map(
        rows.map(({ id, since, from, ...counts }) => [
          id,
          {
            counts,
            outdatedSince: since === null ? null : millisOf(since),
            firstOutdatedStart: from === null ? null : millisOf(from),
          },
        ]),
      );
    },

    /** Ends of the intervals in trouble within a range, by kind. */
    async listTroubledEnds(exportId: string, from: string, to: string): Promise<Record<TroubleKind, Set<Millis>>> {
      const rows = (await table()
        .where({ batch_export_id: exportId })
        .where('data_interval_start', '>=', from)
        .where('data_interval_end', '<=', to)
        .select('kind', 'data_interval_end as end')) as { kind: TroubleKind; end: string }[];
      const ends: Record<TroubleKind, Set<Millis>> = { stale: new Set(), unsettled: new Set(), gave_up: new Set() };
      for (const { kind, end } of rows) ends[kind].add(millisOf(end));
      return ends;
    },

    /** Lists exports that have stale intervals and deliver them again automatically. */
    async listExportsToRedeliver(): Promise<string[]> {
      const { rows } = await db.raw<{ rows: { id: string }[] }>(
        `select distinct id from batch_export_troubles join batch_exports on id = batch_export_id
         where kind = 'stale' and redeliver_stale and not paused and deleted_at is null`,
      );
      return rows.map(({ id }) => id);
    },

    /** Postpones the re-delivery of a stale interval after a temporary failure, longer each time. */
    async postponeRedelivery(interval: ExportInterval): Promise<void> {
      await table()
        .where({ ...intervalKey(interval), kind: 'stale' })
        .whereNotNull('requested_at')
        .update({ requested_at: null, attempts: db.raw('attempts + 1'), retry_at: db.raw(pauseSql('attempts')) });
    },

    /**
     * Marks as requested the stale intervals of an export that are due for re-delivery, and returns them. An interval is due if no event
     * has joined it for ten minutes, or if it has been stale for an hour. A requested interval is due again only once more events have
     * joined it, or its run has failed.
     */
    async takeForRedelivery(exportId: string): Promise<DataInterval[]> {
      const { rows } = await db.raw<{ rows: { start: string; end: string }[] }>(
        `update batch_export_troubles as trouble set requested_at = clock_timestamp() from (
           select data_interval_start as start, data_interval_end as "end"
           from batch_export_troubles as stale join batch_exports on id = batch_export_id
           where batch_export_id = :exportId and kind = 'stale' and redeliver_stale and not paused and deleted_at is null
             and (last_at <= clock_timestamp() - interval '${QUIET_MINUTES} minutes'
               or since <= clock_timestamp() - interval '${LONGEST_WAIT_MINUTES} minutes')
             and (requested_at is null or requested_at < last_at) and (retry_at is null or retry_at <= clock_timestamp())
             and not exists (
               select from batch_export_troubles as given_up
               where given_up.batch_export_id = stale.batch_export_id and given_up.kind = 'gave_up'
                 and given_up.data_interval_start = stale.data_interval_start and given_up.data_interval_end = stale.data_interval_end)
           order by data_interval_end limit ${MAX_REDELIVERIES}
         ) as due
         where batch_export_id = :exportId and kind = 'stale' and data_interval_start = due.start and data_interval_end = due."end"
         returning due.start, due."end"`,
        { exportId },
      );
      return rows.map(({ start, end }) => ({ start: millisOf(start), end: millisOf(end) }));
    },

    /**
     * Deletes troubles that are over but were not ended: by a run of an earlier version, or one that took the interval meanwhile. No run
     * can end those of an interval whose source has expired.
     */
    async prune(): Promise<void> {
      await db.raw(
        `delete from batch_export_troubles as trouble using batch_exports as export, event_retention as retention
         where export.id = trouble.batch_export_id and retention.project_id = export.project_id
           and kind in ('stale', 'gave_up') and data_interval_start < retained_from + ${eventsFromBeforeSql('export.model')}`,
      );
      await db.raw(
        `delete from batch_export_troubles as trouble using batch_export_intervals as ledger
         where ledger.batch_export_id = trouble.batch_export_id
           and ledger.data_interval_start = trouble.data_interval_start
           and ledger.data_interval_end = trouble.data_interval_end
           and case
             when kind = 'unsettled' then ledger.state <> 'committing' and not exists (
               select from batch_export_artifacts as artifact
               where artifact.batch_export_id = trouble.batch_export_id
                 and artifact.data_interval_start = trouble.data_interval_start
                 and artifact.data_interval_end = trouble.data_interval_end and artifact.given_up_at is null)
             else ledger.state = 'delivered' and (ledger.receipt ->> 'cutoff')::timestamptz > last_at end`,
      );
    },
  };
}
