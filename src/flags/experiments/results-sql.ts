/**
 * Who was exposed to which variant, and what they did then: one statement over the events. Whatever a client wrote is in it as an escaped
 * literal or a parameter.
 */
import { escapeLiteral } from 'pg';
import { filtersSql, type Interval } from '../../query/filters.ts';
import type { Measure } from './metrics.ts';

/** Those who saw more than one variant. */
export const MULTIPLE = '$multiple';

export type Study = {
  projectId: number;
  flagKey: string;
  /** Keys of all variants whose exposures are counted. */
  variants: readonly string[];
  /** Whose groups are counted; null: persons. */
  groupTypeIndex: number | null;
  /** Exposures within it count. Half-open. */
  period: Interval;
  /** Who saw more than one variant counts for the first; otherwise as `$multiple`. */
  byFirst: boolean;
  measures: readonly Measure[];
};

/** Per variant: `actors` who were first exposed to it; of each measure the sum over them, and that of the squares. */
export type StudyRow = { variant: string; actors: number; sums: number[]; squares: number[] };

/** Capture takes no timestamp from more than a day ahead: no event that happened since was stored long before. */
const SINCE_START = `interval_time > $2::timestamptz - interval '1 day' and "timestamp" >= $2`;

/**
 * Events were stored with the person of their time: who was merged into another since is found by the distinct id. Groups have one key for
 * good.
 */
const PERSON = 'coalesce(known.person_id, seen.person_id)::text';
const KNOWN = `left join person_distinct_ids as known on known.project_id = $1 and known.distinct_id = seen.distinct_id`;

export function studySql(study: Study): { text: string; values: unknown[] } {
  const { projectId, period, flagKey, variants } = study;
  const actor = study.groupTypeIndex === null ? PERSON : 'seen.group_key';
  const ids = `person_id, distinct_id, properties ->> '$group_${study.groupTypeIndex ?? 0}' as group_key, "timestamp" as at`;
  const variant = `(array_agg(variant order by at, variant))[1]`;
  const text = `
    with called as (
      select ${ids}, properties ->> '$feature_flag_response' as variant from events
      where project_id = $1 and event = '$feature_flag_called' and ${SINCE_START} and "timestamp" < $3
        and properties ->> '$feature_flag' = $4 and properties ->> '$feature_flag_response' = any ($5)
    ), calls as (
      select ${actor} as actor, at, variant from called as seen ${KNOWN}
    ), exposed as (
      select actor, min(at) as at,
        ${study.byFirst ? variant : `case when count(distinct variant) = 1 then ${variant} else '${MULTIPLE}' end`} as variant
      from calls where actor is not null group by actor
    ), ${measuredSql(study, ids, actor)}
    select variant, count(*)::int as actors, ${list(study, 'sum', (i) => `sum(m${i})`)}, ${list(study, 'square', (i) => `sum(m${i} * m${i})`)}
    from measured group by variant`;
  return { text, values: [projectId, period.start, period.end, flagKey, variants] };
}

function list({ measures }: Study, name: string, sql: (index: number) => string): string {
  return `array[${measures.map((_, index) => sql(index)).join(', ')}]::float8[] as ${name}s`;
}

/** A row for each who was exposed: `m0` and so on are what the measures make of what it did. */
function measuredSql({ measures, period }: Study, ids: string, actor: string): string {
  if (measures.length === 0) return 'measured as (select variant from exposed)';
  const marks = measures.map((measure, i) => `${condition(measure, period)} as is${i}, ${amount(measure)} as of${i}`);
  const names = measures.map(({ event }) => event);
  const isNamed = names.includes(null)
    ? 'true'
    : `event = any (array[${names.map((name) => escapeLiteral(name!)).join(', ')}])`;
  const longest = Math.max(...measures.map(({ windowSeconds }) => windowSeconds ?? 0));
  return `marked as (
      select ${ids}, ${marks.join(', ')} from events
      where project_id = $1 and ${SINCE_START} and "timestamp" < $3::timestamptz + ${seconds(longest)} and ${isNamed}
    ), done as (
      select ${actor} as actor, seen.* from marked as seen ${KNOWN} where ${measures.map((_, i) => `is${i}`).join(' or ')}
    ), measured as (
      select variant, ${measures.map((measure, i) => `${valueSql(measure, i)} as m${i}`).join(', ')}
      from exposed left join done on done.actor = exposed.actor and done.at >= exposed.at
      group by exposed.actor, variant
    )`;
}

function condition({ event, filters }: Measure, period: Interval): string {
  const ofEvent = event === null ? 'true' : `event = ${escapeLiteral(event)}`;
  return `(${ofEvent} and ${filtersSql(filters, 'events', period)})`;
}

function amount({ property }: Measure): string {
  return property === null ? '1' : `property_number(properties -> ${escapeLiteral(property)})`;
}

function valueSql({ kind, windowSeconds }: Measure, i: number): string {
  const end = windowSeconds === null ? '$3' : `exposed.at + ${seconds(windowSeconds)}`;
  const counted = `filter (where is${i} and done.at < ${end})`;
  if (kind === 'conversion') return `(count(*) ${counted} > 0)::int::float8`;
  return `coalesce(sum(of${i}) ${counted}, 0)::float8`;
}

function seconds(count: number): string {
  return `interval '${count} seconds'`;
}
