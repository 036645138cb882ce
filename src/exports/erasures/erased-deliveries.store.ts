/** Data intervals whose deliveries may hold rows of erased persons. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Content } from '../../conditions/rows/content.ts';
import type { Receipt } from '../destinations/contract.ts';
import { intervalKey, type ExportInterval } from '../deliveries/epoch-lease.store.ts';
import { millisOf } from '../domain/instants.ts';
import type { Millis } from '../domain/millis.ts';
import { listToCheck, MAY_CHANGE, SEARCHED_LATER } from './delivery-facts.store.ts';
import type { DeliverySearch, DeliveryState } from './delivery-facts.ts';

/** An erasure whose rows are deleted and whose deliveries are not all clean. */
export type ErasureToSettle = { id: string; projectId: number };

/** Pause between two checks of a delivery of an erasure that has ended with a remainder. */
const RECHECK_EVERY = '10 minutes';
const MAX_ERASURES = 20;

const IS_CHECKED = `batch_export_id = export and data_interval_start = start and data_interval_end = "end"`;
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

    listToCheck: (erasureId: string, limit: number, graceHours: number) =>
      listToCheck(db, { erasureId, limit, graceHours }),

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
         from checked where erasure_id = :erasureId and ${IS_CHECKED} and new_state is not null and state in ('held', 'remainder')
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

    /** Distinct ids of the persons; none once they are forgotten. */
    async distinctIds(erasureId: string): Promise<string[]> {
      const row = await db('erasures')
        .where({ id: erasureId })
        .first<{ distinct_ids: string[] } | undefined>('distinct_ids');
      return row?.distinct_ids ?? [];
    },

    async recordSearch(erasureId: string, interval: ExportInterval, search: DeliverySearch): Promise<void> {
      await db('erased_deliveries')
        .where({ erasure_id: erasureId, ...intervalKey(interval) })
        .update({
          searched_run: search.runId,
          files_searched: search.filesRead,
          rows_found: search.rowsFound,
          search_failures: search.failures,
          searched_at: db.raw('clock_timestamp()'),
        });
    },

    /**
     * Sets the state of an erasure whose rows are deleted by those of its deliveries. Forgets the ids of its persons once it has ended and no
     * delivery is to be searched for them any more.
     */
    async setErasureState(erasureId: string): Promise<void> {
      await db.raw(
        `update erasures set state = outcome.state,
           finished_at = case when is_open then null else coalesce(finished_at, clock_timestamp()) end,
           person_ids = case when is_open or is_searched_later then person_ids else '{}' end,
           distinct_ids = case when is_open or is_searched_later then distinct_ids else '{}' end,
           kept_person_ids = case when is_open then kept_person_ids else '{}' end,
           next_check_at = case when may_change and not is_open then clock_timestamp() + interval '${RECHECK_EVERY}' end
         from (
           select state, state = 'redelivering' as is_open, may_change, is_searched_later from (
             select case when coalesce(bool_or(state = 'held'), false) then 'redelivering'
               when coalesce(bool_or(state not in ('clean', 'handled')), false) then 'done_with_remainder' else 'done' end as state,
               coalesce(bool_or(${MAY_CHANGE}), false) as may_change,
               coalesce(bool_or(${SEARCHED_LATER}), false) as is_searched_later
             from erased_deliveries as delivery where erasure_id = :erasureId
           ) as deliveries
         ) as outcome
         where id = :erasureId and rows_deleted_at is not null and not (is_open and erasures.state = 'redelivering')`,
        { erasureId },
      );
    },
  };
}
