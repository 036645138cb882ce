/** Reads what decides about the deliveries of an erasure. */
import type { RemainderReason } from '../../events/table/erasing.ts';
import type { Knex } from '../../platform/db/connection.ts';
import type { Content } from '../../conditions/rows/content.ts';
import type { ExportInterval } from '../deliveries/epoch-lease.store.ts';
import type { RunStatus } from '../domain/statuses.ts';
import type { DeliveryFacts, DeliveryPlace, DeliverySearch } from './delivery-facts.ts';

export type HeldDelivery = ExportInterval & { facts: DeliveryFacts };

/** Remainders that nothing changes any more, so they are not checked again. */
const FINAL_REASONS: readonly RemainderReason[] = [
  'append_destination',
  'earlier_place',
  'export_deleted',
  'merged_table',
  'source_expired',
];
/** SQL over `delivery`. */
export const MAY_CHANGE = `delivery.state in ('held', 'remainder')
  and (delivery.reason is null or delivery.reason not in (${FINAL_REASONS.map((reason) => `'${reason}'`).join(', ')}))`;
/** Pauses between failed searches double so often, to about a day. */
const MAX_DOUBLINGS = 10;
/** SQL over `delivery`: its reason, if a later delivery will have to be searched for the persons. */
export const SEARCHED_LATER = `${MAY_CHANGE} and delivery.reason not in ('leftover_files', 'superseded_files')`;
/** Time after which what a run left half way is listed as a remainder: its bucket or its credentials may be gone. */
const STUCK_AFTER = '2 days';

const isOf = (table: string) => `${table}.batch_export_id = delivery.batch_export_id
  and ${table}.data_interval_start = delivery.data_interval_start and ${table}.data_interval_end = delivery.data_interval_end`;
const RUNS = `batch_export_runs as run where ${isOf('run')}`;
/** Before when the run did not read the source. One that was adopted after a restore had read it before its row was created. */
const READ_AT = `least(run.created_at, (run.receipt ->> 'cutoff')::timestamptz)`;
/** Where the run delivered: with the key space, because the place of a table names its database only. */
const PLACE = `(run.plan -> 'destination') - 'config'`;

type FactRow = {
  export: string;
  start: string;
  end: string;
  reason: RemainderReason | null;
  kept_until: string | null;
  requests: number;
  is_requested: boolean;
  waited: boolean;
  is_committing: boolean;
  is_stuck: boolean;
  in_doubt: boolean;
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
  is_searchable: boolean;
  search: DeliverySearch | null;
  search_waited: boolean;
  held_elsewhere: boolean;
  superseded: boolean;
  superseded_until: string | null;
  keeps_files: boolean;
};

/** Deliveries of an erasure whose state may change; those come first that were not checked for the longest time. */
export async function listToCheck(
  db: Knex,
  { erasureId, limit, graceHours }: { erasureId: string; limit: number; graceHours: number },
): Promise<HeldDelivery[]> {
  const { rows } = await db.raw<{ rows: FactRow[] }>(
    `with delivery as materialized (
           select delivery.*, rows_deleted_at, cardinality(distinct_ids) > 0 as is_searchable from erased_deliveries as delivery join erasures on erasures.id = erasure_id
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
           exists (select from batch_export_troubles as trouble where ${isOf('trouble')} and kind = 'gave_up') and exists (
             select from ${RUNS} and ${READ_AT} <= rows_deleted_at and exists (
               select from batch_export_attempts as attempt where attempt.run_id = run.id and step = 'commit')) as in_doubt,
           (select bool_or(given_up_at is not null) from batch_export_artifacts as artifact join batch_export_runs as run using (batch_export_id, data_interval_start, data_interval_end, epoch)
             where ${isOf('run')} and ${READ_AT} <= rows_deleted_at) as leftovers_given_up,
           exists (select from foreign_deliveries as found where ${isOf('found')} and accepted is null) as is_foreign,
           newest.status as newest, newest.error_code as newest_error, newest.read_at > rows_deleted_at as newest_is_later,
           delivered.id as delivered, delivered.place, delivered.content,
           array(select distinct run.plan #>> '{destination,type}' from ${RUNS} and receipt is not null and ${READ_AT} <= rows_deleted_at) as types,
           array(select distinct run.plan #>> '{destination,type}' from ${RUNS} and plan is not null and ${READ_AT} <= rows_deleted_at) as types_planned,
           coalesce(delivered.read_at <= rows_deleted_at, false) as held_here,
           is_searchable,
           case when searched_run is not null then json_build_object('runId', searched_run, 'filesRead', files_searched, 'rowsFound', rows_found,
             'failures', search_failures) end as search,
           search_failures = 0 or searched_at < clock_timestamp() - power(2, least(search_failures, ${MAX_DOUBLINGS})) * interval '1 minute' as search_waited,
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
    isInDoubt: row.in_doubt,
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
    isSearchable: row.is_searchable,
    search: row.search,
    hasSearchWaited: row.search_waited,
    isHeldElsewhere: row.held_elsewhere,
    superseded: row.superseded ? { until: row.keeps_files ? null : row.superseded_until } : null,
  };
}
