/**
 * Builds the single SQL statement that reads exposures to variants and the measured events after them. Texts from clients are passed as
 * parameters, or escaped as literals.
 */
import { escapeLiteral } from 'pg';
import { filtersSql, type Interval } from '../../../../conditions/sql/filters.ts';
import { EVENTS_WITH_PERSONS } from '../../../../events/table/person-states.ts';
import { isRetainedSql } from '../../../../events/table/retained-from.ts';
import type { Measure } from './metrics.ts';

/** Stands for the variant of persons who saw more than one. */
export const SEVERAL_VARIANTS = '$multiple';

export type ResultsQuery = {
  projectId: number;
  flagKey: string;
  /** Keys of all variants whose exposures are counted. */
  variants: readonly string[];
  /** Index of the type of groups to count; null counts persons. */
  groupTypeIndex: number | null;
  /** Half-open interval in which exposures count. */
  period: Interval;
  /** Whether persons who saw several variants count for the first one; otherwise they count as `$multiple`. */
  countsFirstVariant: boolean;
  measures: readonly Measure[];
};

/** One variant: the number of exposed persons or groups, and for each measure the sum and the sum of squares of their values. */
export type ResultsRow = { variant: string; actors: number; sums: number[]; squares: number[] };

const VARIANT = `properties ->> '$feature_flag_response' as variant`;

/** Capture accepts timestamps up to a day ahead, so an event dated after the start may have been stored up to a day before it. */
const SINCE_START = `interval_time > $2::timestamptz - interval '1 day' and "timestamp" >= $2`;

/**
 * The current person of an event. The stored one may have been merged into another since, so it is looked up by distinct id; keys of groups
 * never change.
 */
const PERSON = 'coalesce(known.person_id, seen.person_id)';

/**
 * Reads exposures and measured events as one stream grouped by person or group, so the time is proportional to the events. A join of the
 * two became a nested loop when Postgres' estimates were wrong.
 */
export function resultsSql(query: ResultsQuery): { text: string; values: unknown[] } {
  const { projectId, period, flagKey, variants, groupTypeIndex, measures } = query;
  const groupKey = `properties ->> '$group_${groupTypeIndex ?? 0}' as group_key`;
  const columns = ['person_id', 'distinct_id', groupKey, '"timestamp" as at'];
  const values = measures.map((measure, i) => `${valueSql(measure, i)} as m${i}`);
  const text = `
    with seen as (
      select ${[...columns, VARIANT, ...measures.map((_, i) => `false as is${i}, null::float8 as of${i}`)].join(', ')} from events
      where project_id = $1 and ${isRetainedSql('$1')} and event = '$feature_flag_called' and ${SINCE_START} and "timestamp" < $3
        and properties ->> '$feature_flag' = $4 and properties ->> '$feature_flag_response' = any ($5)
      ${measures.length > 0 ? `union all ${measuredSql(query, columns)}` : ''}
    ), known as (
      select ${groupTypeIndex === null ? PERSON : 'seen.group_key'} as actor, seen.* from seen
      left join person_distinct_ids as known on known.project_id = $1 and known.distinct_id = seen.distinct_id
    ), placed as (
      select *, min(at) filter (where variant is not null) over (partition by actor) as exposed_at
      from known where actor is not null
    ), actors as (
      select ${[`${variantSql(query)} as variant`, ...values].join(', ')}
      from placed where exposed_at is not null group by actor
    )
    select variant, count(*)::int as actors, array[${measures.map((_, i) => `sum(m${i})`).join(', ')}]::float8[] as sums,
      array[${measures.map((_, i) => `sum(m${i} * m${i})`).join(', ')}]::float8[] as squares
    from actors group by variant`;
  return { text, values: [projectId, period.start, period.end, flagKey, variants] };
}

/** Events that any measure reads. `is0`, `is1`, ... tell whether an event belongs to that measure, `of0`, ... are its values. */
function measuredSql({ measures, period }: ResultsQuery, columns: readonly string[]): string {
  const marks = measures.map((measure, i) => `${condition(measure, period)} as is${i}, ${amount(measure)} as of${i}`);
  const names = measures.map(({ event }) => event);
  const eventCondition = names.includes(null)
    ? 'true'
    : `event = any (array[${names.map((name) => escapeLiteral(name!)).join(', ')}])`;
  const longest = Math.max(...measures.map(({ windowSeconds }) => windowSeconds ?? 0));
  return `select * from (
        select ${[...columns, 'null::text as variant', ...marks].join(', ')} from ${EVENTS_WITH_PERSONS}
        where project_id = $1 and ${isRetainedSql('$1')} and ${SINCE_START} and "timestamp" < $3::timestamptz + ${seconds(longest)} and ${eventCondition}
      ) as marked where ${measures.map((_, i) => `is${i}`).join(' or ')}`;
}

function condition({ event, filters }: Measure, period: Interval): string {
  const isOfEvent = event === null ? 'true' : `event = ${escapeLiteral(event)}`;
  return `(${isOfEvent} and ${filtersSql(filters, 'events', period)})`;
}

function amount({ property }: Measure): string {
  return property === null ? '1' : `property_number(properties -> ${escapeLiteral(property)})`;
}

function variantSql({ countsFirstVariant }: ResultsQuery): string {
  const first = '(array_agg(variant order by at, variant) filter (where variant is not null))[1]';
  return countsFirstVariant
    ? first
    : `case when count(distinct variant) = 1 then min(variant) else '${SEVERAL_VARIANTS}' end`;
}

function valueSql({ kind, windowSeconds }: Measure, i: number): string {
  const end = windowSeconds === null ? '$3' : `exposed_at + ${seconds(windowSeconds)}`;
  const countedEvents = `filter (where is${i} and at >= exposed_at and at < ${end})`;
  if (kind === 'conversion') return `(count(*) ${countedEvents} > 0)::int::float8`;
  return `coalesce(sum(of${i}) ${countedEvents}, 0)::float8`;
}

function seconds(count: number): string {
  return `interval '${count} seconds'`;
}
