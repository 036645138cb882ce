/** Data intervals whose deliveries may hold rows of erased persons. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Content } from '../../conditions/rows/content.ts';
import { intervalKey, type ExportInterval } from '../deliveries/epoch-lease.store.ts';
import { millisOf } from '../domain/instants.ts';
import type { Millis } from '../domain/millis.ts';
import type { RunStatus } from '../domain/statuses.ts';
import type { DeliveryFacts, DeliveryPlace, DeliveryState } from './delivery-facts.ts';

/** An erasure whose rows are deleted and whose deliveries are not all clean. */
export type ErasureToSettle = { id: string; projectId: number };

export type HeldDelivery = ExportInterval & { facts: DeliveryFacts };

/** Pause between two checks of a delivery of an erasure that has ended with a remainder. */
const RECHECK_EVERY = '10 minutes';
const MAX_ERASURES = 20;

const RUNS = `batch_export_runs as run where run.batch_export_id = delivery.batch_export_id
  and run.data_interval_start = delivery.data_interval_start and run.data_interval_end = delivery.data_interval_end`;
/** Where the run delivered: with the key space, because the place of a table names its database only. */
const PLACE = `(run.plan -> 'destination') - 'config'`;

type FactRow = {
  export: string;
  start: string;
  end: string;
  reason: string | null;
  kept_until: string | null;
  requests: number;
  is_requested: boolean;
  waited: boolean;
  is_committing: boolean;
  newest: RunStatus | null;
  newest_error: string | null;
  newest_is_later: boolean | null;
  delivered: string | null;
  place: DeliveryPlace | null;
  content: Content | null;
  types: (string | null)[];
  types_planned: (string | null)[];
  held_here: boolean;
  held_elsewhere: boolean;
  superseded: boolean;
  superseded_until: string | null;
  keeps_files: boolean;
};

export function erasedDeliveryStore(db: Knex) {
  return {
    /** Contents of the runs that may have delivered rows of the intervals, by the interval's end. */
    async contentsOfRuns(
      exportId: string,
      intervals: readonly { start: string; end: string }[],
    ): Promise<Map<Millis, Content[]>> {
      const { rows } = await db.raw<{ rows: { end: string; content: Content }[] }>(
        `select distinct data_interval_end as "end", plan -> 'content' as content from batch_export_runs
         where batch_export_id = ? and data_interval_end = any (?::timestamptz[]) and plan is not null`,
        [exportId, intervals.map(({ end }) => end)],
      );
      const contents = new Map<Millis, Content[]>();
      for (const { end, content } of rows)
        contents.set(millisOf(end), [...(contents.get(millisOf(end)) ?? []), content]);
      return contents;
    },

    /** Counts the rows that were erased from an interval since a run that read it began. @param since when the run began */
    async countErased(interval: ExportInterval, since: string): Promise<number> {
      const { rows } = await db.raw<{ rows: { rows: number }[] }>(
        `select coalesce(sum(rows), 0)::float8 as rows from erased_deliveries as delivery join erasures on erasures.id = erasure_id
         where batch_export_id = ? and data_interval_start = ? and data_interval_end = ? and delivery.state <> 'not_searched'
           and (rows_deleted_at is null or rows_deleted_at >= ?)`,
        [interval.exportId, interval.start, interval.end, since],
      );
      return rows[0]!.rows;
    },

    /** Erasures that await re-deliveries, and some that ended with a remainder and have not been checked for a while. */
    async listErasuresToSettle(): Promise<ErasureToSettle[]> {
      const { rows } = await db.raw<{ rows: ErasureToSettle[] }>(
        `(select id, project_id as "projectId" from erasures where finished_at is null and rows_deleted_at is not null order by created_at)
         union all
         (select id, project_id from erasures where state = 'done_with_remainder' and exists (
            select from erased_deliveries where erasure_id = erasures.id and state in ('held', 'remainder')
              and checked_at < clock_timestamp() - interval '${RECHECK_EVERY}')
          order by random() limit ${MAX_ERASURES})`,
      );
      return rows;
    },

    /** Records the range of an export's delivered intervals that begin before its source does: nobody can tell what they hold. */
    async recordNotSearched(erasureId: string, exportId: string, sourceStart: string): Promise<void> {
      await db.raw(
        `insert into erased_deliveries (erasure_id, batch_export_id, data_interval_start, data_interval_end, rows, state)
         select :erasureId, :exportId, min(data_interval_start), max(data_interval_end), 0, 'not_searched' from batch_export_intervals
         where batch_export_id = :exportId and receipt is not null and data_interval_start < :sourceStart having count(*) > 0
         on conflict do nothing`,
        { erasureId, exportId, sourceStart },
      );
    },

    /** Deliveries of an erasure that are neither clean nor forgotten; those come first that were not checked for the longest time. */
    async listToCheck(erasureId: string, limit: number, graceHours: number): Promise<HeldDelivery[]> {
      const { rows } = await db.raw<{ rows: FactRow[] }>(
        `select delivery.batch_export_id as export, delivery.data_interval_start as start, delivery.data_interval_end as "end",
           reason, kept_until, requests,
           exists (select from batch_export_requests as request where request.batch_export_id = delivery.batch_export_id
             and request.data_interval_end = delivery.data_interval_end and closed_at is null) as is_requested,
           requested_at is null or requested_at < clock_timestamp() - power(2, requests) * interval '1 minute' as waited,
           coalesce(ledger.state = 'committing', false) as is_committing,
           newest.status as newest, newest.error_code as newest_error, newest.created_at > rows_deleted_at as newest_is_later,
           delivered.id as delivered, delivered.place, delivered.content,
           array(select distinct run.plan #>> '{destination,type}' from ${RUNS} and receipt is not null and created_at <= rows_deleted_at) as types,
           array(select distinct run.plan #>> '{destination,type}' from ${RUNS} and plan is not null and created_at <= rows_deleted_at) as types_planned,
           coalesce(delivered.created_at <= rows_deleted_at, false) as held_here,
           exists (select from ${RUNS} and receipt is not null and ${PLACE} is distinct from delivered.place
             group by ${PLACE} having max(run.created_at) <= rows_deleted_at) as held_elsewhere,
           superseded.found as superseded, superseded.until as superseded_until,
           exists (select from batch_export_health as health where health.batch_export_id = delivery.batch_export_id
             and keeping_files_since is not null) as keeps_files
         from erased_deliveries as delivery join erasures on erasures.id = delivery.erasure_id
         left join batch_export_intervals as ledger using (batch_export_id, data_interval_start, data_interval_end)
         left join lateral (select status, error_code, created_at from ${RUNS} order by created_at desc limit 1) as newest on true
         left join lateral (
           select run.id, created_at, ${PLACE} as place, run.plan -> 'content' as content
           from ${RUNS} and receipt is not null order by epoch desc limit 1) as delivered on true
         cross join lateral (
           select count(*) > 0 as found, max(coalesce(left_at, clock_timestamp())) + :graceHours * interval '1 hour' as until
           from superseded_files as file where file.batch_export_id = delivery.batch_export_id
             and file.data_interval_start = delivery.data_interval_start and file.data_interval_end = delivery.data_interval_end) as superseded
         where erasure_id = :erasureId and delivery.state in ('held', 'remainder')
           and (finished_at is null or checked_at < clock_timestamp() - interval '${RECHECK_EVERY}')
         order by checked_at, delivery.data_interval_end limit :limit`,
        { erasureId, limit, graceHours },
      );
      return rows.map((row) => ({ exportId: row.export, start: row.start, end: row.end, facts: factsFrom(row) }));
    },

    /** @param state undefined to forget the interval: nothing was delivered */
    async setState(erasureId: string, interval: ExportInterval, state: DeliveryState | undefined): Promise<void> {
      const row = db('erased_deliveries').where({ erasure_id: erasureId, ...intervalKey(interval) });
      if (!state) return void (await row.delete());
      const { state: name, reason = null, keptUntil = null, runId } = state;
      await row.update({
        state: name,
        reason,
        kept_until: keptUntil,
        ...(runId !== undefined && { run_id: runId }),
        checked_at: db.raw('clock_timestamp()'),
      });
    },

    async markRequested(erasureId: string, interval: ExportInterval): Promise<void> {
      await db('erased_deliveries')
        .where({ erasure_id: erasureId, ...intervalKey(interval) })
        .update({ requests: db.raw('requests + 1'), requested_at: db.raw('clock_timestamp()') });
    },

    /** Sets the state of an erasure whose rows are deleted by those of its deliveries. Forgets the ids of its persons once it has ended. */
    async setErasureState(erasureId: string): Promise<void> {
      await db.raw(
        `update erasures set state = outcome.state, finished_at = case when outcome.state = 'redelivering' then null else coalesce(finished_at, clock_timestamp()) end,
           person_ids = case when outcome.state = 'redelivering' then person_ids else '{}' end,
           distinct_ids = case when outcome.state = 'redelivering' then distinct_ids else '{}' end
         from (
           select case when coalesce(bool_or(state = 'held'), false) then 'redelivering'
             when coalesce(bool_or(state <> 'clean'), false) then 'done_with_remainder' else 'done' end as state
           from erased_deliveries where erasure_id = :erasureId
         ) as outcome
         where id = :erasureId and rows_deleted_at is not null`,
        { erasureId },
      );
    },
  };
}

function factsFrom(row: FactRow): DeliveryFacts {
  return {
    reason: row.reason,
    keptUntil: row.kept_until,
    requests: row.requests,
    isRequested: row.is_requested,
    hasWaited: row.waited,
    isCommitting: row.is_committing,
    newestRun:
      row.newest === null
        ? null
        : { status: row.newest, errorCode: row.newest_error, isLater: row.newest_is_later === true },
    deliveredRunId: row.delivered,
    place: row.place,
    content: row.content,
    typesBefore: row.types,
    typesPlanned: row.types_planned,
    isHeldHere: row.held_here,
    isHeldElsewhere: row.held_elsewhere,
    superseded: row.superseded ? { until: row.keeps_files ? null : row.superseded_until } : null,
  };
}
