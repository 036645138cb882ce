/** Calendar arithmetic on readings of a wall clock, which are kept as milliseconds of UTC: no zone, no daylight saving. */
import type { Moment, Unit } from '../parsing/parsed.ts';
import type { Interval } from '../parsing/schema.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Calendar units that have a start; weeks start on Sunday, as upstream's do unless a project says otherwise. */
export function startOf(wall: number, unit: Unit | Interval): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const day = Math.floor(wall / DAY_MS) * DAY_MS;
  switch (unit) {
    case 'h':
    case 'hour':
      return Math.floor(wall / HOUR_MS) * HOUR_MS;
    case 'd':
    case 'day':
      return day;
    case 'w':
    case 'week':
      return day - date.getUTCDay() * DAY_MS;
    case 'm':
    case 'month':
      return Date.UTC(year, month);
    case 'q':
      return Date.UTC(year, month - (month % 3));
    case 'y':
      return Date.UTC(year, 0);
  }
}

/** Moves a reading by a number of units; a day that the month lacks becomes its last. */
export function shiftWall(wall: number, count: number, unit: Unit | Interval): number {
  switch (unit) {
    case 'h':
    case 'hour':
      return wall + count * HOUR_MS;
    case 'd':
    case 'day':
      return wall + count * DAY_MS;
    case 'w':
    case 'week':
      return wall + 7 * count * DAY_MS;
    case 'm':
    case 'month':
      return monthsLater(wall, count);
    case 'q':
      return monthsLater(wall, 3 * count);
    case 'y':
      return monthsLater(wall, 12 * count);
  }
}

function monthsLater(wall: number, months: number): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay)) + (wall % DAY_MS);
}

type Relative = Extract<Moment, { kind: 'relative' }>;

/** @param now the clock's reading now; relative hours count back from here */
export function relativeWall({ amount, unit, edge }: Relative, now: number): number {
  const wall = unit === 'h' ? now : shiftWall(now, -amount, unit);
  if (edge === 'start') return startOf(wall, unit);
  if (edge === 'end') return shiftWall(startOf(wall, unit), 1, unit);
  return startOf(wall, unit === 'h' ? 'h' : 'd');
}
