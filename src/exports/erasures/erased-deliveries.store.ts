/** Data intervals whose deliveries may hold rows of erased persons. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Content } from '../../conditions/rows/content.ts';
import type { Receipt } from '../destinations/contract.ts';
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

/** Remainders that nothing changes any more, so they are not checked again. */
const FINAL_REASONS = ['append_destination', 'earlier_place', 'export_deleted', 'merged_table', 'source_expired'];
const MAY_CHANGE = `delivery.state in ('held', 'remainder')
  and (delivery.reason is null or delivery.reason not in (${FINAL_REASONS.map((reason) => `'${reason}'`).join(', ')}))`;
/** Time after which what a run left half way is listed as a remainder: its bucket or its credentials may be gone. */
const STUCK_AFTER = '2 days';

const isOf = (table: string) => `${table}.batch_export_id = delivery.batch_export_id
  and ${table}.data_interval_start = delivery.data_interval_start and ${table}.data_interval_end = delivery.data_interval_end`;
const RUNS = `batch_export_runs as run where ${isOf('run')}`;
const IS_CHECKED = `batch_export_id = export and data_interval_start = start and data_interval_end = "end"`;
/** Before when the run did not read the source. One that was adopted after a restore had read it before its row was created. */
const READ_AT = `least(run.created_at, (run.receipt ->> 'cutoff')::timestamptz)`;
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
  is_stuck: boolean;
  leftovers_given_up: boolean | null;
  is_foreign: boolean;
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

    /** Counts the rows that were erased from an interval since the run read it that has delivered it. */
    async countErased(interval: ExportInterval, run: { createdAt: string }, receipt: Receipt): Promise<number> {
      const { rows } = await db.raw<{ rows: { rows: number }[] }>(
        `select coalesce(sum(rows), 0)::float8 as rows from erased_deliveries as delivery join erasures on erasures.id = erasure_id
         where batch_export_id = ? and data_interval_start = ? and data_interval_end = ? and delivery.state <> 'not_searched'
           and (rows_deleted_at is null or rows_deleted_at >= least(?::timestamptz, ?::timestamptz))`,
        [interval.exportId, interval.start, interval.end, run.createdAt, receipt.cutoff ?? null],
      );
      return rows[0]!.rows;
    },

    /** Erasures that await re-deliveries, and some that ended with a remainder and have not been checked for a while. */
    async listErasuresToSettle(): Promise<ErasureToSettle[]> {
      const { rows } = await db.raw<{ rows: ErasureToSettle[] }>(
        `(select id, project_id as "projectId" from erasures where finished_at is null and rows_deleted_at is not null order by created_at)
         union all
         (select id, project_id from erasures where next_check_at < clock_timestamp() order by next_check_at limit ${MAX_ERASURES})`,
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

    /** Deliveries of an erasure whose state may change; those come first that were not checked for the longest time. */
    async listToCheck(erasureId: string, limit: number, graceHours: number): Promise<HeldDelivery[]> {
      const { rows } = await db.raw<{ rows: FactRow[] }>(
        `with delivery as materialized (
           select delivery.*, rows_deleted_at from erased_deliveries as delivery join erasures on erasures.id = erasure_id
           where erasure_id = :erasureId and ${MAY_CHANGE} order by checked_at, data_interval_end limit :limit
         )
         select delivery.batch_export_id as export, delivery.data_interval_start as start, delivery.data_interval_end as "end",
           reason, kept_until, requests,
           exists (select from batch_export_requests as request where request.batch_export_id = delivery.batch_export_id
             and request.data_interval_end = delivery.data_interval_end and closed_at is null) as is_requested,
           requested_at is null or requested_at < clock_timestamp() - power(2, requests) * interval '1 minute' as waited,
           coalesce(ledger.state = 'committing', false) as is_committing,
           exists (select from batch_export_troubles as trouble where ${isOf('trouble')} and kind = 'unsettled'
             and since < clock_timestamp() - interval '${STUCK_AFTER}') as is_stuck,
           (select bool_or(given_up_at is not null) from batch_export_artifacts as artifact join batch_export_runs as run using (batch_export_id, data_interval_start, data_interval_end, epoch)
             where ${isOf('run')} and ${READ_AT} <= rows_deleted_at) as leftovers_given_up,
           exists (select from foreign_deliveries as found where ${isOf('found')} and accepted is null) as is_foreign,
           newest.status as newest, newest.error_code as newest_error, newest.read_at > rows_deleted_at as newest_is_later,
           delivered.id as delivered, delivered.place, delivered.content,
           array(select distinct run.plan #>> '{destination,type}' from ${RUNS} and receipt is not null and ${READ_AT} <= rows_deleted_at) as types,
           array(select distinct run.plan #>> '{destination,type}' from ${RUNS} and plan is not null and ${READ_AT} <= rows_deleted_at) as types_planned,
           coalesce(delivered.read_at <= rows_deleted_at, false) as held_here,
           exists (select from ${RUNS} and receipt is not null and ${PLACE} is distinct from delivered.place
             group by ${PLACE} having max(${READ_AT}) <= rows_deleted_at) as held_elsewhere,
           superseded.found as superseded, superseded.until as superseded_until,
           exists (select from batch_export_health as health where health.batch_export_id = delivery.batch_export_id
             and keeping_files_since is not null) as keeps_files
         from delivery
         left join batch_export_intervals as ledger using (batch_export_id, data_interval_start, data_interval_end)
         left join lateral (select status, error_code, ${READ_AT} as read_at from ${RUNS} order by created_at desc limit 1) as newest on true
         left join lateral (
           select run.id, ${READ_AT} as read_at, ${PLACE} as place, run.plan -> 'content' as content
           from ${RUNS} and receipt is not null order by epoch desc limit 1) as delivered on true
         cross join lateral (
           select count(*) > 0 as found, max(coalesce(left_at, clock_timestamp())) + :graceHours * interval '1 hour' as until
           from superseded_files as file where ${isOf('file')}) as superseded
         order by checked_at, delivery.data_interval_end`,
        { erasureId, limit, graceHours },
      );
      return rows.map((row) => ({ exportId: row.export, start: row.start, end: row.end, facts: factsFrom(row) }));
    },

    /**
     * @param checked with the state of each delivery; undefined to forget the interval: nothing was delivered
     * @param isPage whether others wait for the next check, so these are marked as checked though nothing differs
     */
    async setStates(
      erasureId: string,
      checked: readonly { delivery: ExportInterval; state: DeliveryState | undefined }[],
      isPage: boolean,
    ): Promise<void> {
      if (checked.length === 0) return;
      await db.raw(
        `with checked as (
           select * from unnest(:exports::uuid[], :starts::timestamptz[], :ends::timestamptz[], :states::text[], :reasons::text[],
             :kept::timestamptz[], :runs::uuid[]) as checked (export, start, "end", new_state, new_reason, new_until, new_run)
         ), forgotten as (
           delete from erased_deliveries as delivery using checked where erasure_id = :erasureId and ${IS_CHECKED} and new_state is null
         )
         update erased_deliveries as delivery set state = new_state, reason = new_reason, kept_until = new_until,
           run_id = coalesce(new_run, run_id), checked_at = clock_timestamp()
         from checked where erasure_id = :erasureId and ${IS_CHECKED} and new_state is not null
           and (:isPage or (state, reason, kept_until, run_id) is distinct from (new_state, new_reason, new_until, coalesce(new_run, run_id)))`,
        {
          erasureId,
          isPage,
          exports: checked.map(({ delivery }) => delivery.exportId),
          starts: checked.map(({ delivery }) => delivery.start),
          ends: checked.map(({ delivery }) => delivery.end),
          states: checked.map(({ state }) => state?.state ?? null),
          reasons: checked.map(({ state }) => state?.reason ?? null),
          kept: checked.map(({ state }) => state?.keptUntil ?? null),
          runs: checked.map(({ state }) => state?.runId ?? null),
        },
      );
    },

    async markRequested(erasureId: string, interval: ExportInterval): Promise<void> {
      await db('erased_deliveries')
        .where({ erasure_id: erasureId, ...intervalKey(interval) })
        .update({ requests: db.raw('requests + 1'), requested_at: db.raw('clock_timestamp()') });
    },

    /** Sets the state of an erasure whose rows are deleted by those of its deliveries. Forgets the ids of its persons once it has ended. */
    async setErasureState(erasureId: string): Promise<void> {
      await db.raw(
        `update erasures set state = outcome.state,
           finished_at = case when is_open then null else coalesce(finished_at, clock_timestamp()) end,
           person_ids = case when is_open then person_ids else '{}' end,
           distinct_ids = case when is_open then distinct_ids else '{}' end,
           next_check_at = case when may_change and not is_open then clock_timestamp() + interval '${RECHECK_EVERY}' end
         from (
           select state, state = 'redelivering' as is_open, may_change from (
             select case when coalesce(bool_or(state = 'held'), false) then 'redelivering'
               when coalesce(bool_or(state <> 'clean'), false) then 'done_with_remainder' else 'done' end as state,
               coalesce(bool_or(${MAY_CHANGE}), false) as may_change
             from erased_deliveries as delivery where erasure_id = :erasureId
           ) as deliveries
         ) as outcome
         where id = :erasureId and rows_deleted_at is not null and not (is_open and erasures.state = 'redelivering')`,
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
    isStuck: row.is_stuck,
    leftovers: row.leftovers_given_up === null ? null : { areGivenUp: row.leftovers_given_up },
    isForeign: row.is_foreign,
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
