/** Rows that show how far exports have delivered, for many exports in a few queries. */
import type { Knex } from '../../platform/db/connection.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import type { Pause } from '../domain/pauses.ts';

/** Fields of an export that matter for its freshness. */
export type WatchedExport = {
  id: string;
  projectId: number;
  paused: boolean;
  targetSeconds: number | null;
  /** Since when the export is known to be behind its target. */
  behindSince: string | null;
  /** Intervals that end after this instant are to be delivered, see `earliestGapEndsAfter`. */
  intervalsEndAfter: Millis;
  endAt: Millis | null;
  /** Result of the last check. */
  completeUntil: Millis | null;
  /** Whether earlier events of the project are no longer kept. */
  hasRetention: boolean;
};

type Row = {
  id: string;
  project_id: number;
  paused: boolean;
  freshness_target_seconds: number | null;
  behind_since: string | null;
  beginning: string;
  end_at: string | null;
  complete_until: string | null;
  has_retention: boolean;
};

const millisOrNull = (iso: string | null) => (iso === null ? null : millisOf(iso));

function watchedExportFrom(row: Row): WatchedExport {
  return {
    id: row.id,
    projectId: row.project_id,
    paused: row.paused,
    targetSeconds: row.freshness_target_seconds,
    behindSince: row.behind_since,
    intervalsEndAfter: millisOf(row.beginning),
    endAt: millisOrNull(row.end_at),
    completeUntil: millisOrNull(row.complete_until),
    hasRetention: row.has_retention,
  };
}

export function freshnessStore(db: Knex) {
  return {
    /** Returns the exports with these ids that are not deleted. */
    async listWatchedExports(ids: readonly string[]): Promise<WatchedExport[]> {
      const { rows } = await db.raw<{ rows: Row[] }>(
        `select id, project_id, paused, freshness_target_seconds, behind_since, greatest(created_at, start_at - interval '1 ms') as beginning, end_at, complete_until,
           exists (select from event_retention where event_retention.project_id = batch_exports.project_id) as has_retention
         from batch_exports left join batch_export_health on batch_export_id = id
         where id = any (?) and deleted_at is null`,
        [[...ids]],
      );
      return rows.map(watchedExportFrom);
    },

    /** All exports that are not deleted, by id. */
    async listIds(): Promise<string[]> {
      const rows = (await db('batch_exports').whereNull('deleted_at').select('id')) as { id: string }[];
      return rows.map(({ id }) => id);
    },

    async listPauses(ids: readonly string[]): Promise<Map<string, Pause[]>> {
      const rows = (await db('batch_export_pauses').whereIn('batch_export_id', [...ids])) as {
        batch_export_id: string;
        paused_at: string;
        unpaused_at: string | null;
      }[];
      const spans = new Map<string, Pause[]>(ids.map((id) => [id, []]));
      for (const row of rows)
        spans.get(row.batch_export_id)?.push({ pausedAt: row.paused_at, unpausedAt: row.unpaused_at });
      return spans;
    },

    /**
     * Ends of the oldest delivered intervals of each export that begin at an instant or later.
     * @param from that instant, by export
     */
    async listDeliveredEnds(from: ReadonlyMap<string, Millis>, perExport: number): Promise<Map<string, Millis[]>> {
      const { rows } = await db.raw<{ rows: { id: string; end: string }[] }>(
        `select export.id, ledger.data_interval_end as "end" from unnest(?::uuid[], ?::timestamptz[]) as export (id, since)
         cross join lateral (
           select data_interval_end from batch_export_intervals
           where batch_export_id = export.id and data_interval_start >= export.since and receipt is not null
           order by data_interval_start limit ?
         ) as ledger`,
        [[...from.keys()], [...from.values()].map(isoMicros), perExport],
      );
      const ends = new Map<string, Millis[]>([...from.keys()].map((id) => [id, []]));
      for (const { id, end } of rows) ends.get(id)?.push(millisOf(end));
      return ends;
    },

    /** Bounds of the newest delivered interval of each export that has delivered any. */
    async listNewestDeliveries(ids: readonly string[]): Promise<Map<string, DataInterval>> {
      const { rows } = await db.raw<{ rows: { id: string; start: string; end: string }[] }>(
        `select export.id, ledger.* from unnest(?::uuid[]) as export (id) cross join lateral (
           select data_interval_start as start, data_interval_end as "end" from batch_export_intervals
           where batch_export_id = export.id and receipt is not null order by data_interval_start desc limit 1
         ) as ledger`,
        [[...ids]],
      );
      return new Map(rows.map(({ id, start, end }) => [id, { start: millisOf(start), end: millisOf(end) }]));
    },

    /** Records how far an export has delivered, so the next check begins there. */
    async advance(exportId: string, completeUntil: Millis): Promise<void> {
      await db.raw(
        `insert into batch_export_health (batch_export_id, complete_until) values (?, ?)
         on conflict (batch_export_id) do update set complete_until = excluded.complete_until`,
        [exportId, isoMicros(completeUntil)],
      );
    },
  };
}
