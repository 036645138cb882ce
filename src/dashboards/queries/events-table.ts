/** Events as rows of a table, the newest first unless asked otherwise. */
import { escapeLiteral } from 'pg';
import { cutToPage } from '../../events/lookup.ts';
import type { Ask } from './asking.ts';
import { resolvedDates, type Dates } from './dates.ts';
import { PERSON_ID } from './events-columns.ts';
import { filterTreeSql, type FilterContext } from './filter-tree.ts';
import type { ParsedEvents } from './parsed.ts';
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

/** Large events make short pages: `hasMore` says whether there is more. @throws InvalidInput for a range that has no end */
export async function eventsTable(ask: Ask, projectId: number, query: ParsedEvents, now: number): Promise<EventsTable> {
  const { limit, offset, columns, range } = query;
  const dates = await resolvedDates(ask, projectId, range, { interval: null, now });
  const sql = tableSql(query, { timeZone: dates.timeZone, now });
  const rows = await ask<Record<string, unknown> & { beyond: boolean }>(sql, rangeValues(projectId, dates));
  const shown = rows.filter(({ beyond }) => !beyond).slice(0, limit);
  return {
    results: shown.map((row) => columns.map((_, i) => row[`c${i}`])),
    columns: columns.map(({ name }) => name),
    types: columns.map(({ type }) => type),
    hasMore: rows.length > shown.length,
    limit,
    offset,
    dates,
  };
}

function tableSql(
  { columns, order, event, personId, filters, limit, offset }: ParsedEvents,
  context: FilterContext,
): string {
  const cells = columns.map(({ sql }, i) => `${sql} as c${i}`);
  const keys = order.map(({ sql }, i) => `${sql} as o${i}`);
  const sorting = [
    ...order.map(({ isDescending }, i) => `o${i} ${isDescending ? 'desc' : 'asc'} nulls last`),
    'at desc, row_id desc',
  ].join(', ');
  const named = event === null ? 'true' : `event = ${escapeLiteral(event)}`;
  const ofPerson = personId === null ? 'true' : `${PERSON_ID} = ${escapeLiteral(personId)}::uuid`;
  const nearest = `
    select ${[...cells, ...keys].join(', ')}, event."timestamp" as at, event.uuid as row_id, event.row_bytes
    from (select * from events where ${IN_RANGE} and ${named} and ${filterTreeSql(filters, context)}) as event
      left join person_distinct_ids as known on known.project_id = $1 and known.distinct_id = event.distinct_id
    where ${ofPerson} order by ${sorting} limit ${limit + 1} offset ${offset}`;
  return cutToPage(nearest, sorting);
}
