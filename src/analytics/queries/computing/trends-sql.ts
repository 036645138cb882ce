/** Trends as one statement, which reads the events once for all series. */
import { escapeLiteral } from 'pg';
import { EVENTS_WITH_PERSONS } from '../../../events/table/person-states.ts';
import type { FilterContext } from '../parsing/filter-tree.ts';
import type { Breakdown, ParsedTrends, PropertyOwner, Series } from '../parsing/parsed.ts';
import { PERSON_ID, entitySql, IN_RANGE, namedSql, WITH_PERSON_IDS } from './selecting.ts';

/** Longer values are cut, because they are only names on a chart. */
const MAX_VALUE = 400;

/** `bucket` counts intervals from 1. `rank` orders the breakdown values by their totals; null beyond the limit. */
export type TrendRow = { n: number; bucket: number; rank: number | null; breakdown: string | null; value: number };

/** The parameters are those of a range, then the starts of the intervals. */
export function trendsSql(query: ParsedTrends, context: FilterContext): string {
  const { series, breakdown, filters, shape } = query;
  const matchingEvents = `
    select n, person_id, distinct_id, operand, ${breakdown ? valueSql(breakdown) : 'null::text'} as breakdown,
      ${shape === 'total' ? '1' : 'width_bucket("timestamp", $4::timestamptz[])'} as bucket
    from ${EVENTS_WITH_PERSONS} cross join lateral (values ${series.map((entry, n) => rowSql(entry, n, context)).join(', ')}) as series (n, holds, operand)
    where ${IN_RANGE} and ${namedSql(series, filters, context)} and holds`;
  return `
    with matching as (${matchingEvents}), with_actor as (${withActorSql(query)}), with_rank as (${withRankSql(query)})
    select n, bucket::int, rank::int, breakdown, ${amountSql(series)} as value
    from ${countSql(query)} as counted group by n, bucket, rank, breakdown`;
}

function rowSql({ property, ...entity }: Series, n: number, context: FilterContext): string {
  const operand = property === null ? 'null::float8' : `property_number(${propertySql(property.name, property.of)})`;
  return `(${n}, ${entitySql(entity, context)}, ${operand})`;
}

function valueSql({ type, property }: Breakdown): string {
  return `left(property_text(nullif(${propertySql(property, type)}, 'null')), ${MAX_VALUE})`;
}

function propertySql(name: string, owner: PropertyOwner): string {
  return `${owner === 'event' ? 'properties' : 'person_properties'} -> ${escapeLiteral(name)}`;
}

/** Joins persons if any series counts them. */
function withActorSql({ series }: ParsedTrends): string {
  if (personSeries(series) === undefined) return 'select *, null::uuid as actor from matching';
  return `select matching.*, ${PERSON_ID} as actor from ${WITH_PERSON_IDS}`;
}

/** Ranks the values with the largest totals and groups all others. Postgres hashes equality, not IS NOT DISTINCT FROM. */
function withRankSql({ series, breakdown, formulas }: ParsedTrends): string {
  if (!breakdown) return 'select *, 1 as rank from with_actor';
  const totals = `(select n, breakdown, ${amountSql(series)} as total from with_actor group by n, breakdown) as totals`;
  // The series of a formula need the same values, or a value of one series would have no counterpart in another.
  const [ranked, same] =
    formulas.length === 0
      ? [
          `select n, breakdown, ${rankSql('partition by n order by total')} from ${totals}`,
          'ranked.n = with_actor.n and',
        ]
      : [`select breakdown, ${rankSql('order by sum(total)')} from ${totals} group by breakdown`, ''];
  return `
    select with_actor.n, bucket, operand, actor, rank, case when rank is not null then with_actor.breakdown end as breakdown
    from with_actor left join (${ranked}) as ranked on ${same} (ranked.breakdown is null) = (with_actor.breakdown is null)
      and coalesce(ranked.breakdown, '') = coalesce(with_actor.breakdown, '') and rank <= ${breakdown.limit}`;
}

function rankSql(by: string): string {
  return `row_number() over (${by} desc, breakdown collate "C") as rank`;
}

/** A cumulative line counts each person once, in the first interval. */
function countSql({ series, shape }: ParsedTrends): string {
  const personSeriesList = personSeries(series);
  if (shape !== 'cumulative' || personSeriesList === undefined) return 'with_rank';
  return `(
    select n, operand, actor, rank, breakdown,
      case when n in (${personSeriesList}) then min(bucket) over (partition by n, actor, rank) else bucket end as bucket
    from with_rank)`;
}

const AMOUNTS: Record<Exclude<Series['math'], 'dau'>, string> = {
  total: 'count(*)',
  sum: 'coalesce(sum(operand), 0)',
  avg: 'coalesce(avg(operand), 0)',
  min: 'coalesce(min(operand), 0)',
  max: 'coalesce(max(operand), 0)',
  median: percentileSql(0.5),
  p75: percentileSql(0.75),
  p90: percentileSql(0.9),
  p95: percentileSql(0.95),
  p99: percentileSql(0.99),
};

function percentileSql(fraction: number): string {
  return `coalesce(percentile_cont(${fraction}) within group (order by operand), 0)`;
}

function amountSql(series: readonly Series[]): string {
  const cases = series.map(({ math }, n) => {
    const amount = math === 'dau' ? `count(distinct actor) filter (where n = ${n})` : AMOUNTS[math];
    return `when ${n} then (${amount})::float8`;
  });
  return `case n ${cases.join(' ')} end`;
}

/** Selects the series that count persons. @returns SQL of a list; undefined: there are none */
function personSeries(series: readonly Series[]): string | undefined {
  const numbers = series.flatMap(({ math }, n) => (math === 'dau' ? [n] : []));
  return numbers.length === 0 ? undefined : numbers.join(', ');
}
