/**
 * Parts that hold one event each. There is no index by event: several parts are read together, in one pass over the interval that Postgres
 * sorts by event.
 *
 * An event's place is its position in the measured list. Events that are not in the list have the place after the named ones.
 */
import type { PoolClient } from '../../platform/db/connection.ts';
import { instantSql, integerSql, textSql, uuidSql } from './models/literals.ts';
import {
  betweenSql,
  partRanges,
  partStarts,
  type Boundary,
  type PartLimits,
  type PartRange,
  type PartStart,
  type RowsSql,
  type SliceMeasure,
} from './parts.ts';

/** A part, by its number, of the event at a place. */
export type PlacedPart = { part: number; place: number; from?: Boundary; to?: Boundary };

type EventCount = { event: string | null; rows: number; bytes: number };

/** Counts rows by event in one pass, and reads the interval a second time only if an event has several parts. */
export async function measureEvents(
  client: PoolClient,
  selected: RowsSql,
  limits: PartLimits & { events: number },
): Promise<SliceMeasure> {
  const counts = await countEvents(client, selected, limits.events);
  const names = counts.map(({ event }) => event);
  const large = counts.flatMap(({ rows, bytes }, at) => (rows > limits.rows || bytes > limits.bytes ? [at] : []));
  const divided = await divide(client, selected, limits, names, large);
  const parts = counts.map(({ rows }, at): PartRange[] => {
    const starts = divided.get(at);
    return starts ? partRanges(starts, rows) : [{ rows }];
  });
  return {
    rows: counts.reduce((sum, { rows }) => sum + rows, 0),
    bytes: counts.reduce((sum, { bytes }) => sum + bytes, 0),
    parts: parts.flat(),
    events: counts.map(({ event, bytes }, at) => ({ event, parts: parts[at]!.length, bytes })),
  };
}

/** @param places of the events that have several parts @returns the starts of their parts, by place */
async function divide(
  client: PoolClient,
  selected: RowsSql,
  limits: PartLimits,
  events: readonly (string | null)[],
  places: readonly number[],
): Promise<Map<number, PartStart[]>> {
  if (places.length === 0) return new Map();
  const place = placeSql(events);
  const where = `${selected.where} and ${place} in (${places.map(integerSql).join(', ')})`;
  return Map.groupBy(await partStarts(client, { ...selected, where }, limits, place), (start) => start.place);
}

/** @returns the most frequent events, the most frequent first, and then the others together, if there are any */
async function countEvents(client: PoolClient, { from, where, bytes }: RowsSql, most: number): Promise<EventCount[]> {
  type Row = Record<'event' | 'row_count' | 'byte_count' | 'all_rows' | 'all_bytes', string>;
  const { rows } = await client.query<Row>(
    `select event, row_count, byte_count, sum(row_count) over () as all_rows, sum(byte_count) over () as all_bytes
     from (select event, count(*) as row_count, sum(${bytes}) as byte_count from ${from} where ${where} group by event) as counted
     order by row_count desc, event collate "C" limit $1`,
    [most],
  );
  const named = rows.map((row) => ({ event: row.event, rows: Number(row.row_count), bytes: Number(row.byte_count) }));
  const others = named.reduce<EventCount>(
    (rest, { rows: count, bytes: size }) => ({ ...rest, rows: rest.rows - count, bytes: rest.bytes - size }),
    { event: null, rows: Number(rows[0]?.all_rows ?? 0), bytes: Number(rows[0]?.all_bytes ?? 0) },
  );
  return others.rows > 0 ? [...named, others] : named;
}

/** SQL of a row's place. JSON, because Postgres finds a key of it by binary search, whatever it assumes about the interval's size. */
function placeSql(events: readonly (string | null)[]): string {
  const named = events.filter((event) => event !== null);
  const places = Object.fromEntries(named.map((event, place) => [event, place]));
  return `coalesce((${textSql(JSON.stringify(places))}::jsonb ->> event)::int, ${integerSql(named.length)})`;
}

/**
 * The rows of consecutive parts, ordered by part, interval time and row id, with a row in front of each part: see `copyParts`.
 * Boundaries are compared by Postgres, as when the slice was measured.
 * @param selectList of the columns
 */
export function markedPartsSql(
  selected: RowsSql,
  {
    events,
    parts,
    selectList,
    columns,
  }: { events: readonly (string | null)[]; parts: readonly PlacedPart[]; selectList: string; columns: number },
): string {
  const { from, where, rowId } = selected;
  const place = placeSql(events);
  const conditions = [where, ...spanSql(place, rowId, parts, events.length)];
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  return `select part, ${names.join(', ')} from (
      select null::int as part, ${place} as place, interval_time, ${rowId} as row_id, ${selectList} from ${from} where ${conditions.join(' and ')}
      union all
      select part, place, starts_at, starts_with, ${names.map(() => 'null').join(', ')}
      from (values ${parts.map(startSql).join(', ')}) as starts (part, place, starts_at, starts_with)
    ) as marked order by place, interval_time, row_id, part nulls last`;
}

const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

function startSql({ part, place, from }: PlacedPart): string {
  const { intervalTime, uuid } = from ?? { intervalTime: '-infinity', uuid: FIRST_UUID };
  return `(${integerSql(part)}, ${integerSql(place)}, ${instantSql(intervalTime)}, ${uuidSql(uuid)})`;
}

/** Conditions that rows are of the parts, none for all parts of the slice. */
function spanSql(place: string, rowId: string, parts: readonly PlacedPart[], places: number): string[] {
  const [first, last] = [parts[0]!, parts.at(-1)!];
  const from = betweenSql(rowId, { from: first.from });
  const to = betweenSql(rowId, { to: last.to });
  if (first.place === last.place) return [`${place} = ${integerSql(first.place)}`, ...from, ...to];
  const isWithin = (edge: number, comparison: '<' | '>', conditions: readonly string[]) =>
    conditions.length === 0
      ? `${place} ${comparison}= ${integerSql(edge)}`
      : `(${place} ${comparison} ${integerSql(edge)} or (${[`${place} = ${integerSql(edge)}`, ...conditions].join(' and ')}))`;
  return [
    ...(first.place === 0 && from.length === 0 ? [] : [isWithin(first.place, '>', from)]),
    ...(last.place === places - 1 && to.length === 0 ? [] : [isWithin(last.place, '<', to)]),
  ];
}
