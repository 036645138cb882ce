/**
 * Finds where a range and its intervals begin. Calendar arithmetic is done here and time zone conversion by Postgres, so a day of 23 or
 * 25 hours is one interval.
 */
import type { RunSql } from '../query-connection.ts';
import { refusal } from '../parsing/refusal.ts';
import type { Interval } from '../parsing/schema.ts';
import { shiftWall, startOf } from './wall-clock.ts';

/** Half-open; ISO instants. */
export type Dates = {
  timeZone: string;
  from: string;
  to: string;
  /** When each interval starts; the first may start before the range does. At most `MAX_INTERVALS`; empty for an undivided range. */
  starts: string[];
  /** The local time of each start: `2024-06-01 08:00:00`. */
  walls: string[];
};

const MAX_INTERVALS = 2000;
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9000, 0, 1);

/**
 * Resolves an hour that occurs twice to its first occurrence, where Postgres would choose the second, and a skipped hour to
 * the moment when the clock jumps.
 */
const INSTANTS_SQL = `
  select case when ((located - interval '1 hour') at time zone $1) = wall then located - interval '1 hour' else located end as at
  from unnest($2::timestamp[]) with ordinality as walls (wall, place) cross join lateral (select wall at time zone $1 as located) as zoned
  order by place`;

const HOURS = `
  select at, (at at time zone $1)::text as wall
  from generate_series($2::timestamptz, $3::timestamptz - interval '1 microsecond', interval '1 hour') as at limit ${MAX_INTERVALS + 1}`;

/** Half-open, between two readings of the wall clock (see `wall-clock.ts`). With `interval: null` it is not divided: `Dates.starts` is empty. */
export type Span = { from: number; to: number; interval: Interval | null };

/** @throws InvalidInput for more intervals than allowed */
export async function toInstants(runSql: RunSql, timeZone: string, { from, to, interval }: Span): Promise<Dates> {
  if (from < EARLIEST || to > LATEST) throw refusal('dateRange', 'It reaches beyond the years 1970 to 9000.');
  const calendar = interval === null || interval === 'hour' ? [] : wallsBetween(from, to, interval);
  const first = interval === 'hour' ? startOf(from, 'hour') : from;
  const walls = [from, to, first, ...calendar].map((wall) => new Date(wall).toISOString().replace('Z', ''));
  const [start, end, firstStart, ...starts] = (await runSql<{ at: string }>(INSTANTS_SQL, [timeZone, walls])).map(
    ({ at }) => at,
  );
  const dates = { timeZone, from: start!, to: end! };
  if (interval !== 'hour') return { ...dates, starts, walls: calendar.map(textOf) };
  const hours = await runSql<{ at: string; wall: string }>(HOURS, [timeZone, firstStart, end]);
  if (hours.length > MAX_INTERVALS) throw tooManyIntervals(interval);
  return { ...dates, starts: hours.map(({ at }) => at), walls: hours.map(({ wall }) => wall) };
}

function wallsBetween(from: number, to: number, interval: Interval): number[] {
  const walls: number[] = [];
  for (let wall = startOf(from, interval); wall < to; wall = shiftWall(wall, 1, interval)) {
    if (walls.length === MAX_INTERVALS) throw tooManyIntervals(interval);
    walls.push(wall);
  }
  return walls;
}

function tooManyIntervals(interval: Interval) {
  const fix = interval === 'month' ? 'Use a shorter range.' : 'Use a longer interval, or a shorter range.';
  return refusal('dateRange', `It has more than ${MAX_INTERVALS} intervals of one ${interval}. ${fix}`);
}

function textOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19).replace('T', ' ');
}
