/** Computes retention: how many persons who did something in one interval returned in each later one. */
import { EVENTS_WITH_PERSONS } from '../../../events/table/person-states.ts';
import { isRetainedSql } from '../../../events/table/retained-from.ts';
import type { RunSql } from '../query-connection.ts';
import { resolveLastIntervals } from '../dates/dates.ts';
import type { FilterContext } from '../parsing/filter-tree.ts';
import type { Dates } from '../dates/intervals.ts';
import type { ParsedRetention } from '../parsing/parsed.ts';
import type { RetentionResult } from './result.ts';
import { PERSON_ID, entitySql, IN_RANGE, namedSql, rangeValues, WITH_PERSON_IDS } from './selecting.ts';

/** `bucket` counts intervals from 1, `later` the intervals after it; 0 is the interval itself, with all persons who were there. */
type Row = { bucket: number; later: number; persons: number };

/** @throws InvalidInput for dates beyond all calendars */
export async function retention(
  runSql: RunSql,
  projectId: number,
  query: ParsedRetention,
  now: number,
): Promise<{ results: RetentionResult[]; dates: Dates }> {
  const { period, totalIntervals: count, range } = query;
  const dates = await resolveLastIntervals(runSql, projectId, range, { interval: period, count, now });
  const sql = retentionSql(query, { timeZone: dates.timeZone, now });
  const rows = await runSql<Row>(sql, [...rangeValues(projectId, dates), dates.starts]);
  const persons = new Map(rows.map((row) => [`${row.bucket} ${row.later}`, row.persons]));
  const word = `${period[0]!.toUpperCase()}${period.slice(1)}`;
  const results = dates.starts.map((date, index) => ({
    label: `${word} ${index}`,
    date,
    values: dates.starts.slice(index).map((_, later) => ({
      count: persons.get(`${index + 1} ${later}`) ?? 0,
      label: `${word} ${later}`,
    })),
  }));
  return { results, dates };
}

/** Reads all events before the range, too, if only a person's very first event counts; those are in interval 0. */
function retentionSql(query: ParsedRetention, context: FilterContext): string {
  const { target, returning, isFirstTime, filters } = query;
  const range = isFirstTime
    ? `project_id = $1 and ${isRetainedSql('$1')} and $2::text is not null and "timestamp" < $3`
    : IN_RANGE;
  const targets = isFirstTime
    ? 'select * from (select actor, min(bucket) as bucket from with_actor where is_target group by actor) as firsts where bucket > 0'
    : 'select distinct actor, bucket from with_actor where is_target';
  return `
    with matching as (
      select person_id, distinct_id, width_bucket("timestamp", $4::timestamptz[]) as bucket,
        ${entitySql(target, context)} as is_target, ${entitySql(returning, context)} as is_return
      from ${EVENTS_WITH_PERSONS} where ${range} and ${namedSql([target, returning], filters, context)}
    ), with_actor as (
      select ${PERSON_ID} as actor, bucket, is_target, is_return from ${WITH_PERSON_IDS} where is_target or is_return
    ), targets as (${targets}), returns as (select distinct actor, bucket from with_actor where is_return)
    select bucket, 0 as later, count(*)::int as persons from targets group by bucket
    union all
    select targets.bucket, returns.bucket - targets.bucket, count(*)::int
    from targets join returns on returns.actor = targets.actor and returns.bucket > targets.bucket
    group by 1, 2`;
}
