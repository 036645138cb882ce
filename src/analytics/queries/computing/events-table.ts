/** Events as rows of a table, the newest first unless asked otherwise. */
import { escapeLiteral } from 'pg';
import { cutToPage } from '../../../events/table/lookup.ts';
import { EVENTS_WITH_PERSONS } from '../../../events/table/person-states.ts';
import type { RunSql } from '../query-connection.ts';
import { resolveDates } from '../dates/dates.ts';
import { filterTreeSql, type FilterContext } from '../parsing/filter-tree.ts';
import type { Dates } from '../dates/intervals.ts';
import type { ParsedEvents } from '../parsing/parsed.ts';
import { IN_RANGE, rangeValues } from './selecting.ts';

export type EventsTable = {
  results: unknown[][];
  columns: string[];
  types: string[];
  hasMore: boolean;
  limit: number;
  offset: number;
  dates: Dates;
};

/** Approximate size as JSON. Limited, because an answer is held, written and sent as a whole, often along with others. */
const ANSWER_BYTES = 4 * 1024 * 1024;

/** Large events make short pages: `hasMore` says whether there is more. @throws InvalidInput for a range that ends before it begins */
export async function eventsTable(
  runSql: RunSql,
  projectId: number,
  query: ParsedEvents,
  now: number,
): Promise<EventsTable> {
  const { limit, offset, columns, range } = query;
  const dates = await resolveDates(runSql, projectId, range, { interval: null, now });
  const sql = tableSql(query, { timeZone: dates.timeZone, now });
  const rows = await runSql<Record<string, unknown> & { beyond: boolean }>(sql, rangeValues(projectId, dates));
  const visibleRows = rows.filter(({ beyond }) => !beyond).slice(0, limit);
  return {
    results: visibleRows.map((row) => columns.map((_, i) => row[`c${i}`])),
    columns: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    hasMore: rows.length > visibleRows.length,
    limit,
    offset,
    dates,
  };
}

/** Cuts to a page by the size of events, computes cells only for its rows, then cuts by the size of cells, which may be larger. */
function tableSql(query: ParsedEvents, context: FilterContext): string {
  const { columns, order, event, personId, filters, limit, offset } = query;
  const keys = order.map((_, i) => `o${i}`);
  const sorting = [
    ...order.map(({ isDescending }, i) => `o${i} ${isDescending ? 'desc' : 'asc'} nulls last`),
    '"timestamp" desc, uuid desc',
  ].join(', ');
  const conditions = [
    IN_RANGE,
    ...(event === null ? [] : [`event = ${escapeLiteral(event)}`]),
    ...(personId === null ? [] : [ofPersonSql(personId)]),
    filterTreeSql(filters, context),
  ];
  const candidatesSql = `
    select event.*${order.map(({ sql }, i) => `, ${sql} as o${i}`).join('')}
    from (select * from ${EVENTS_WITH_PERSONS} where ${conditions.join(' and ')}) as event
    order by ${sorting} limit ${limit + 1} offset ${offset}`;
  const cells = columns.map((_, i) => `c${i}`);
  const cellsSql = `
    select ${[...keys, '"timestamp"', 'uuid'].map((name) => `event.${name}`).join(', ')}, event.beyond as unread,
      ${columns.map(({ sql }, i) => `${sql} as c${i}`).join(', ')}
    from (${cutToPage(candidatesSql, sorting)}) as event left join ${KNOWN_PERSONS_SQL} on known.distinct_id = event.distinct_id`;
  // Without the offset Postgres would compute the cells twice.
  const sizedSql = `
    select *, octet_length(json_build_array(${cells.join(', ')})::text) as row_bytes from (${cellsSql} offset 0) as read`;
  return `
    select ${cells.join(', ')}, beyond or unread as beyond from (${cutToPage(sizedSql, sorting, ANSWER_BYTES)}) as row
    order by ${sorting}`;
}

const KNOWN_PERSONS_SQL = '(select distinct_id, person_id from person_distinct_ids where project_id = $1) as known';

/** Starts at the person, because a person has few distinct ids and events are many. */
function ofPersonSql(personId: string): string {
  const person = `${escapeLiteral(personId)}::uuid`;
  return `(distinct_id in (select distinct_id from person_distinct_ids where project_id = $1 and person_id = ${person})
    or person_id = ${person} and not exists (
      select from person_distinct_ids as known
      where known.project_id = $1 and known.distinct_id = events.distinct_id and known.person_id is not null))`;
}
