/**
 * Funnels: how many persons did all steps in their order, the last within the window of the first.
 *
 * An event counts as one step only. Among all paths by which a person can reach a step, the path that began last leaves the most time
 * for later steps. So only that path is kept for each event and step: its moments, compared by the first, then the second. A path to the
 * next step extends the best one among the earlier events.
 */
import type { RunSql } from '../query-connection.ts';
import { EVENTS_WITH_PERSONS } from '../../../events/table/person-states.ts';
import { resolveDates } from '../dates/dates.ts';
import type { FilterContext } from '../parsing/filter-tree.ts';
import type { Dates } from '../dates/intervals.ts';
import type { ParsedFunnels } from '../parsing/parsed.ts';
import type { FunnelStepResult } from './result.ts';
import { PERSON_ID, entitySql, IN_RANGE, namedSql, rangeValues, WITH_PERSON_IDS } from './selecting.ts';
import { nameOf } from '../parsing/series.ts';

type Row = { reached: number; average: number | null; median: number | null };

/** @throws InvalidInput for a range that ends before it begins */
export async function funnel(
  runSql: RunSql,
  projectId: number,
  query: ParsedFunnels,
  now: number,
): Promise<{ results: FunnelStepResult[]; dates: Dates }> {
  const dates = await resolveDates(runSql, projectId, query.range, { interval: null, now });
  const sql = funnelSql(query, { timeZone: dates.timeZone, now });
  const rows = await runSql<Row>(sql, rangeValues(projectId, dates));
  const results = query.steps.map((step, order): FunnelStepResult => {
    const { reached = 0, average = null, median = null } = rows[order] ?? {};
    return {
      action_id: step.event,
      type: 'events',
      order,
      name: nameOf({ ...step, customName: null }),
      custom_name: step.customName,
      count: reached,
      average_conversion_time: average,
      median_conversion_time: median,
    };
  });
  return { results, dates };
}

/** A row for each step, in their order. Lists in Postgres count from 1, and the first step has no moment before it. */
function funnelSql({ steps, window, filters }: ParsedFunnels, context: FilterContext): string {
  const marks = steps.map((step, i) => `${entitySql(step, context)} as is${i}`);
  const furthest = `coalesce(${steps
    .map((_, i) => `way${i}`)
    .toReversed()
    .join(', ')})`;
  const gap = 'extract(epoch from way[n + 1] - way[n])::float8';
  return `
    with matching as (
      select person_id, distinct_id, "timestamp" as at, uuid, ${marks.join(', ')}
      from ${EVENTS_WITH_PERSONS} where ${IN_RANGE} and ${namedSql(steps, filters, context)}
    ), with_actor as (
      select ${PERSON_ID} as actor, matching.* from ${WITH_PERSON_IDS} where ${steps.map((_, i) => `is${i}`).join(' or ')}
    ), furthest as (
      select distinct on (actor) actor, way from (select actor, ${furthest} as way from (${walkSql(steps.length, window)}) as walked) as ways
      where way is not null order by actor, cardinality(way) desc, way
    )
    select count(way)::int as reached, avg(${gap}) as average, percentile_cont(0.5) within group (order by ${gap}) as median
    from generate_series(0, ${steps.length - 1}) as n left join furthest on cardinality(way) > n
    group by n order by n`;
}

/** All nested queries sort alike, so Postgres sorts once. */
function walkSql(steps: number, { count, unit }: ParsedFunnels['window']): string {
  let sql = 'select *, case when is0 then array[at] end as way0 from with_actor';
  for (let i = 1; i < steps; i++) {
    const earlierSteps = `max(way${i - 1}) over (partition by actor order by at, uuid rows between unbounded preceding and 1 preceding)`;
    sql = `
      select *, case when is${i} and at <= best${i}[1] + interval '${count} ${unit}' then best${i} || at end as way${i}
      from (select *, ${earlierSteps} as best${i} from (${sql}) as level${i}) as bests${i}`;
  }
  return sql;
}
