/** Facts about the data intervals of exports, joined to ranges: years of deliveries without a gap are one range. */
import type { Knex } from '../../platform/db/connection.ts';
import type { DeliveredInterval } from '../../events/table/late-imports.ts';
import { isoMicros } from '../domain/instants.ts';
import type { Fact } from '../domain/interval-codes.ts';
import type { Millis } from '../domain/millis.ts';
import { OPEN_STATUSES, RETRIED_STATUSES } from '../domain/statuses.ts';
import type { RunError } from '../faults/run-error.ts';

/** The intervals of an export that lie within `[from, to]`. */
export type FactWindow = { exportId: string; from: Millis; to: Millis };

/** A fact about all intervals whose end lies in `(from, to]`. */
export type FactRange = { fact: Fact; from: Millis; to: Millis };

/** Fields of an interval's newest run that explain why the interval is not delivered. */
export type NewestRun = RunError & {
  exportId: string;
  end: Millis;
  runId: string;
  finishedAt: string | null;
  /** How many runs of the interval ended in a status that Sluice retries, since its last delivery. */
  failures: number;
  /** When the re-delivery of a stale interval is requested again; null for never. */
  redeliveryAt: string | null;
};

/** Fact about a run that is not `Completed`, because deliveries are in the ledger. SQL, over `run`, `:open` and `:retried`. */
export const FACT_OF_RUN = `case
  when run.status = any (:open) then case when run.latest_error is null then 'open' else 'failing' end
  when run.status = any (:retried) and run.closed_by is distinct from 'api' then 'retried'
  when run.status in ('Failed', 'Terminated', 'TimedOut', 'FailedRetryable') then 'failed' else 'ended' end`;

/** Whether a run is the newest one of its interval, because older runs are irrelevant. SQL, over `run`. */
export const IS_NEWEST = `not exists (
  select from batch_export_runs as newer where newer.batch_export_id = run.batch_export_id
    and newer.data_interval_end = run.data_interval_end and newer.created_at > run.created_at)`;

/**
 * Whether the destination holds an interval's delivery: a commit under way, or one that broke off, may have overwritten a part of it. SQL,
 * over `ledger`.
 */
export const IS_HELD = `ledger.receipt is not null and ledger.state <> 'committing'`;

/** The bound of starts follows from that of ends; without it, the ledger's index is read from the window to the newest interval. */
const isWanted = (
  table: string,
) => `${table}.batch_export_id = wanted.id and ${table}.data_interval_start >= wanted."from" and ${table}.data_interval_start < wanted."to"
  and ${table}.data_interval_end > wanted."from" and ${table}.data_interval_end <= wanted."to"`;

const bounds = (table: string) => `${table}.data_interval_start as start, ${table}.data_interval_end as "end"`;

const FACTS_SQL = `
  with wanted as (
    select * from unnest(:n::int[], :ids::uuid[], :froms::timestamptz[], :tos::timestamptz[]) as wanted (n, id, "from", "to")
  ), found (n, fact, start, "end") as (
    select n, 'held', ${bounds('ledger')} from wanted join batch_export_intervals as ledger on ${isWanted('ledger')} and ${IS_HELD}
    union all
    select n, ${FACT_OF_RUN}, ${bounds('run')}
    from wanted join batch_export_runs as run on ${isWanted('run')} and status <> 'Completed' and ${IS_NEWEST}
    union all
    select n, 'requested', ${bounds('request')}
    from wanted join batch_export_requests as request on ${isWanted('request')} and closed_at is null
    union all
    select n, kind, ${bounds('trouble')} from wanted join batch_export_troubles as trouble on ${isWanted('trouble')}
    union all
    select n, 'foreign', ${bounds('other')} from wanted join foreign_deliveries as other on ${isWanted('other')} and accepted is null
  )
  select n, fact, (extract(epoch from lower(range)) * 1000)::float8 as "from", (extract(epoch from upper(range)) * 1000)::float8 as "to"
  from (select n, fact, unnest(range_agg(tstzrange(start, "end"))) as range from found group by n, fact) as joined
`;

/** Deliveries of a window that imports may have made stale since the export's imports were last checked. */
const MAYBE_STALE = `
  with seen as (
    select coalesce(imports_seen_until, created_at) as until
    from batch_exports left join batch_export_health on batch_export_id = id where id = :id
  ), imported as (
    select range_agg(tstzrange(range_from, range_to)) as ranges from import_ranges
    where project_id = :projectId and inserted_at >= (select until from seen) having count(*) > 0
  ), newest as (
    select inserted_at as at from import_ranges where project_id = :projectId order by inserted_at desc limit 1
  ), candidate as (
    select overlapped.* from imported cross join lateral (
      select data_interval_start, data_interval_end from batch_export_intervals
      where batch_export_id = :id and data_interval_start >= :from and data_interval_start < :to and data_interval_end <= :to
        and data_interval_start < upper(ranges) and data_interval_end > lower(ranges)
        and tstzrange(data_interval_start, data_interval_end) && ranges
      offset 0
    ) as overlapped
    union
    select delivered.* from newest cross join lateral (
      select data_interval_start, data_interval_end from batch_export_runs
      -- A run that was adopted after a restore read the source before its row was made.
      where batch_export_id = :id and finished_at > (select until from seen) and status = 'Completed'
        and data_interval_start >= :from and data_interval_start < :to and data_interval_end <= :to
        and least(created_at, (receipt ->> 'cutoff')::timestamptz) <= newest.at
      offset 0
    ) as delivered
  )
  select ledger.data_interval_start as start, ledger.data_interval_end as "end", receipt ->> 'cutoff' as cutoff
  from candidate join batch_export_intervals as ledger using (data_interval_start, data_interval_end)
  where ledger.batch_export_id = :id and receipt ->> 'cutoff' is not null
`;

export function intervalFactStore(db: Knex) {
  return {
    /** @returns facts by window, in one query for all of them; staleness is as of the last check, at most a minute ago */
    async listFacts(windows: readonly FactWindow[]): Promise<FactRange[][]> {
      const { rows } = await db.raw<{ rows: (FactRange & { n: number })[] }>(FACTS_SQL, {
        n: windows.map((_, index) => index),
        ids: windows.map(({ exportId }) => exportId),
        froms: windows.map(({ from }) => isoMicros(from)),
        tos: windows.map(({ to }) => isoMicros(to)),
        open: [...OPEN_STATUSES],
        retried: [...RETRIED_STATUSES],
      });
      const rangesByWindow = windows.map((): FactRange[] => []);
      for (const { n, ...range } of rows) rangesByWindow[n]!.push(range);
      return rangesByWindow;
    },

    /** Deliveries that imports may have made stale: an import since the last check overlaps them, or they were made since that check. */
    async listMaybeStale({ exportId, from, to }: FactWindow, projectId: number): Promise<DeliveredInterval[]> {
      const { rows } = await db.raw<{ rows: DeliveredInterval[] }>(MAYBE_STALE, {
        id: exportId,
        projectId,
        from: isoMicros(from),
        to: isoMicros(to),
      });
      return rows;
    },

    /** The newest run of each interval that has one. @param intervals a few, because each takes a lookup */
    async listNewestRuns(intervals: readonly { exportId: string; end: Millis }[]): Promise<NewestRun[]> {
      if (intervals.length === 0) return [];
      const { rows } = await db.raw<{ rows: NewestRun[] }>(
        `select run.batch_export_id as "exportId", (extract(epoch from run.data_interval_end) * 1000)::float8 as "end",
           run.id as "runId", run.status, run.latest_error as "latestError", run.error_type as "errorType", run.error_code as "errorCode",
           run.error_owner as "errorOwner", run.error_field as "errorField", run.next_try_at as "nextTryAt", run.finished_at as "finishedAt",
           (select count(*)::int from batch_export_runs as earlier
             where earlier.batch_export_id = run.batch_export_id and earlier.data_interval_end = run.data_interval_end
               and earlier.status = any (:retried)
               and earlier.created_at > coalesce((select max(delivered.created_at) from batch_export_runs as delivered
                 where delivered.batch_export_id = run.batch_export_id and delivered.data_interval_end = run.data_interval_end
                   and delivered.status = 'Completed'), '-infinity')) as failures,
           (select max(retry_at) from batch_export_troubles as trouble
             where trouble.batch_export_id = run.batch_export_id and trouble.kind = 'stale'
               and trouble.data_interval_start = run.data_interval_start and trouble.data_interval_end = run.data_interval_end
           ) as "redeliveryAt"
         from unnest(:ids::uuid[], :ends::timestamptz[]) as wanted (id, "end") cross join lateral (
           select * from batch_export_runs where batch_export_id = wanted.id and data_interval_end = wanted."end"
           order by created_at desc limit 1
         ) as run`,
        {
          ids: intervals.map(({ exportId }) => exportId),
          ends: intervals.map(({ end }) => isoMicros(end)),
          retried: [...RETRIED_STATUSES],
        },
      );
      return rows;
    },

    /** Start of the oldest interval that has a run; undefined if none has. */
    async findFirstStart(exportId: string): Promise<string | undefined> {
      const row = await db('batch_export_runs')
        .where({ batch_export_id: exportId })
        .orderBy('data_interval_start')
        .first<{ start: string } | undefined>('data_interval_start as start');
      return row?.start;
    },
  };
}
