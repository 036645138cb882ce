/** Resolves a written range of dates to instants, in the project's time zone. */
import { isRetainedSql } from '../../../events/table/retained-from.ts';
import { NotFound } from '../../../platform/errors.ts';
import type { RunSql } from '../query-connection.ts';
import { previousSpan } from './comparison.ts';
import { toInstants, type Dates, type Span } from './intervals.ts';
import type { Comparison, Moment, Range } from '../parsing/parsed.ts';
import { refusal } from '../parsing/refusal.ts';
import type { Interval } from '../parsing/schema.ts';
import { DAY_MS, relativeWall, shiftWall, startOf } from './wall-clock.ts';

const DEFAULT_DAYS = 7;
/** Earliest time of an event; older timestamps come from wrong client clocks. */
const FIRST_EVENT = '2015-01-01T00:00:00Z';

/** Wall-clock times in the project's zone from which the two sides of the range are counted. */
type Clock = { timeZone: string; from: number; to: number };

type DateOptions = { interval: Interval | null; now: number };

/**
 * @param options with `interval: null` the range is not divided; `now` is in milliseconds since 1970
 * @throws InvalidInput for a range that ends before it begins, or has too many intervals
 */
export async function resolveDates(
  runSql: RunSql,
  projectId: number,
  range: Range,
  options: DateOptions,
): Promise<Dates> {
  const clock = await readClock(runSql, projectId, range, options.now);
  return locateDates(runSql, clock, range, options);
}

/** Resolves a range, and the one that it is compared with. @throws as `resolveDates` */
export async function resolveComparedDates(
  runSql: RunSql,
  projectId: number,
  range: Range,
  { comparison, ...options }: DateOptions & { comparison: Comparison },
): Promise<{ current: Dates; previous: Dates }> {
  const clock = await readClock(runSql, projectId, range, options.now);
  const current = await locateDates(runSql, clock, range, options);
  const span = previousSpan(spanOf(clock, range, options.interval), range, comparison, clock.to);
  return { current, previous: await toInstants(runSql, clock.timeZone, span) };
}

async function locateDates(runSql: RunSql, clock: Clock, range: Range, { interval, now }: DateOptions): Promise<Dates> {
  const dates = await toInstants(runSql, clock.timeZone, spanOf(clock, range, interval));
  return range.isExact ? { ...dates, ...instantsOf(range, now) } : dates;
}

function spanOf(clock: Clock, range: Range, interval: Interval | null): Span {
  const to = endOf(range, clock.to, interval);
  const from = beginningOf(range, clock.from, interval);
  if (from >= to) throw refusal('dateRange', 'It ends before it begins: let `date_from` be earlier than `date_to`.');
  return { from, to, interval };
}

/** Returns sides that were given as instants unchanged: to the microsecond, also within an hour that occurs twice. */
function instantsOf({ from, to }: Range, now: number): Partial<Pick<Dates, 'from' | 'to'>> {
  return {
    ...(from !== null && from !== 'all' && from.kind === 'instant' && { from: from.instant }),
    ...(to === null && { to: new Date(now).toISOString() }),
    ...(to?.kind === 'instant' && { to: to.instant }),
  };
}

/** Resolves the last `count` intervals, up to the one that contains `date_to`; ignores `date_from`. */
export async function resolveLastIntervals(
  runSql: RunSql,
  projectId: number,
  range: Range,
  { interval, count, now }: { interval: Interval; count: number; now: number },
): Promise<Dates> {
  const clock = await readClock(runSql, projectId, { ...range, from: null }, now);
  const last = startOf(endOf(range, clock.to, interval) - 1, interval);
  const from = shiftWall(last, 1 - count, interval);
  return toInstants(runSql, clock.timeZone, { from, to: shiftWall(last, 1, interval), interval });
}

async function readClock(runSql: RunSql, projectId: number, range: Range, now: number): Promise<Clock> {
  const [row] = await runSql<{ timezone: string; from_wall: string | null; to_wall: string }>(
    `select timezone, (${range.from === 'all' ? FIRST_EVENT_SQL : '$2::timestamptz'} at time zone timezone)::text as from_wall,
       ($3::timestamptz at time zone timezone)::text as to_wall
     from projects where id = $1`,
    [projectId, baseInstant(range.from, now), baseInstant(range.to, now)],
  );
  if (!row) throw new NotFound('Project not found.');
  const to = wallOf(row.to_wall);
  return { timeZone: row.timezone, from: row.from_wall === null ? to : wallOf(row.from_wall), to };
}

/** Finds the first event's time by a scan, because only the time of storing is indexed. */
const FIRST_EVENT_SQL = `(select min("timestamp") from events
  where project_id = $1 and ${isRetainedSql('$1')} and "timestamp" >= '${FIRST_EVENT}' and "timestamp" < $2)`;

/** Instant from which a side is counted. Hours are subtracted from instants, so clock changes in between do not change their length. */
function baseInstant(bound: Moment | 'all' | null, now: number): string {
  if (bound === null || bound === 'all' || bound.kind === 'wall') return new Date(now).toISOString();
  if (bound.kind === 'instant') return bound.instant;
  const hours = bound.unit === 'h' ? bound.amount : 0;
  return new Date(shiftWall(now, -hours, 'h')).toISOString();
}

function wallOf(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

/** @param base what the clock shows at the side's instant, or now */
function beginningOf({ from, isExact }: Range, base: number, interval: Interval | null): number {
  const wall = from === null ? startOf(shiftWall(base, -DEFAULT_DAYS, 'd'), 'd') : momentWall(from, base);
  // As in upstream, the last 24 hours do not become two days.
  const isExactly = isExact || (isHours(from) && (interval ?? 'day') === 'day');
  return isExactly ? wall : startOf(wall, interval ?? 'day');
}

function isHours(bound: Range['from']): boolean {
  return bound !== null && bound !== 'all' && bound.kind === 'relative' && bound.unit === 'h';
}

function momentWall(moment: Moment | 'all', base: number): number {
  if (moment === 'all' || moment.kind === 'instant') return base;
  return moment.kind === 'wall' ? moment.wall : relativeWall(moment, base);
}

/** Returns the first moment after the range. */
function endOf({ to, isExact }: Range, base: number, interval: Interval | null): number {
  if (to?.kind === 'relative' && to.edge !== null) return relativeWall(to, base);
  const wall = to === null ? base : momentWall(to, base);
  if (isExact) return to === null ? wall + 1 : wall;
  const isHourly = interval === 'hour';
  if (!isHourly || (to?.kind === 'wall' && !to.hasTime)) return startOf(wall, 'd') + DAY_MS;
  return to === null || to.kind === 'relative' ? shiftWall(startOf(wall, 'h'), 1, 'h') : wall;
}
