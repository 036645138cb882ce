/** Data intervals in trouble, of many exports, with a limit for each export. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Fact } from '../domain/interval-codes.ts';
import type { Millis } from '../domain/millis.ts';
import { OPEN_STATUSES, RETRIED_STATUSES } from '../domain/statuses.ts';
import { FACT_OF_RUN, IS_HELD, IS_NEWEST } from './interval-facts.store.ts';

export type TroubledFact = { start: Millis; end: Millis; fact: Fact };

/** Facts about the troubled intervals of an export, in no order. `mayHaveMore`: a limit was reached, so more intervals may be in trouble. */
export type Troubled = { facts: TroubledFact[]; mayHaveMore: boolean };

/** Limit of an export's newest intervals with an undelivered run that are examined; later runs may have delivered them. */
export const MAX_EXAMINED = 5_000;
/** Limit of an export's newest intervals with each kind of trouble. */
export const MAX_TROUBLED = 300;

const key = (table: string) => `${table}.batch_export_id = wanted.id`;
const interval = (table: string) => `${table}.data_interval_start as start, ${table}.data_interval_end as "end"`;

const TROUBLED_SQL = `
  with wanted as (select id from unnest(:ids::uuid[]) as wanted (id)), troubled as materialized (
    select wanted.id, newest.fact, newest.start, newest."end" from wanted cross join lateral (
      with run as materialized (
        -- An interval has a run for each retry: it is counted once.
        select distinct on (data_interval_end) batch_export_id, data_interval_start, data_interval_end, created_at, status, closed_by, latest_error
        from batch_export_runs as any_run where ${key('any_run')} and status <> 'Completed'
        order by data_interval_end desc, created_at desc limit ${MAX_EXAMINED}
      )
      (select ${interval('run')}, ${FACT_OF_RUN} as fact from run where ${IS_NEWEST} and ${FACT_OF_RUN} <> 'ended'
        order by run.data_interval_end desc limit ${MAX_TROUBLED})
      union all
      -- A row without a fact: there may be older intervals that were not examined.
      select null, null, null from run having count(*) >= ${MAX_EXAMINED}
    ) as newest
    union all
    select wanted.id, kind, trouble.start, trouble."end" from wanted cross join lateral (
      select kind, ${interval('trouble')} from batch_export_troubles as trouble
      where ${key('trouble')} and kind in ('unsettled', 'gave_up')
      order by trouble.data_interval_end desc limit ${MAX_TROUBLED}
    ) as trouble
    union all
    select wanted.id, 'foreign', other.start, other."end" from wanted cross join lateral (
      select ${interval('other')} from foreign_deliveries as other where ${key('other')} and accepted is null
      order by other.data_interval_end desc limit ${MAX_TROUBLED}
    ) as other
  ), facts as (
    select * from troubled
    union all
    select wanted.id, 'requested', wanted.start, wanted."end" from troubled as wanted join batch_export_requests as request
      on ${key('request')} and request.data_interval_start = wanted.start and request.data_interval_end = wanted."end" and closed_at is null
    union all
    select wanted.id, 'held', wanted.start, wanted."end" from troubled as wanted join batch_export_intervals as ledger
      on ${key('ledger')} and ledger.data_interval_start = wanted.start and ledger.data_interval_end = wanted."end"
      and ${IS_HELD}
    union all
    select wanted.id, 'stale', wanted.start, wanted."end" from troubled as wanted join batch_export_troubles as trouble
      on ${key('trouble')} and trouble.data_interval_start = wanted.start and trouble.data_interval_end = wanted."end" and kind = 'stale'
  )
  select id as "exportId", fact, (extract(epoch from start) * 1000)::float8 as start, (extract(epoch from "end") * 1000)::float8 as "end"
  from facts
`;

/** Facts that one list of the statement selects, up to its limit. */
const LISTED_TOGETHER: readonly (readonly Fact[])[] = [
  ['open', 'failing', 'failed', 'retried'],
  ['unsettled', 'gave_up'],
  ['foreign'],
];

/** Whether a list of the statement reached its limit. @param facts of one export */
function reachesLimit(facts: readonly TroubledFact[]): boolean {
  return LISTED_TOGETHER.some((together) => facts.filter(({ fact }) => together.includes(fact)).length >= MAX_TROUBLED);
}

export function troubledIntervalStore(db: Knex) {
  return {
    /** @returns by the id of the export; absent if none of its intervals is in trouble */
    async listFacts(exportIds: readonly string[]): Promise<Map<string, Troubled>> {
      type Row = { exportId: string } & (TroubledFact | { fact: null });
      const { rows } = await db.raw<{ rows: Row[] }>(TROUBLED_SQL, {
        ids: [...exportIds],
        open: [...OPEN_STATUSES],
        retried: [...RETRIED_STATUSES],
      });
      const byExport = [...Map.groupBy(rows, ({ exportId }) => exportId)].map(([exportId, ofExport]) => {
        const facts = ofExport.filter((row) => row.fact !== null);
        return [exportId, { facts, mayHaveMore: facts.length < ofExport.length || reachesLimit(facts) }] as const;
      });
      return new Map(byExport);
    },
  };
}
