/** Days, weeks and months as calendars of Temporal, in a time zone. */
import type { ScheduleSpec } from '@temporalio/client';
import type { Cadence } from '../exports/domain/cadence.ts';
import { instantOf, isChangedNear } from '../exports/domain/wall-clock.ts';

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
];
const span = <T>(start: T, end: T) => [{ start, end, step: 1 }];
const only = <T>(value: T) => span(value, value);

/** Spelled out as Temporal describes it, so that the two can be compared. */
const EVERY_DAY = {
  second: only(0),
  minute: only(0),
  hour: only(0),
  dayOfMonth: span(1, 31),
  month: span(MONTHS.at(0), MONTHS.at(-1)),
  year: [],
  dayOfWeek: span(DAYS.at(0), DAYS.at(-1)),
  comment: '',
};

export function calendarSpec({ interval, timezone, offsetDay, offsetHour }: Cadence): ScheduleSpec {
  const calendar = {
    ...EVERY_DAY,
    hour: only(offsetHour),
    ...(interval === 'week' && { dayOfWeek: only(DAYS[offsetDay]) }),
    ...(interval === 'month' && { dayOfMonth: only(1) }),
  };
  const skip = datesOfClockChanges(timezone, offsetHour).map(wholeDay);
  return { calendars: [calendar], ...(skip.length > 0 && { skip }), timezone } as never;
}

/**
 * Beyond it a calendar may start what is no data interval, which is refused, or miss one, which is found missing: as it would
 * without any of this.
 */
const YEARS = { from: 2020, to: 2049 };
const DAY = 86_400_000;

/** Finding them takes some milliseconds. */
const found = new Map<string, readonly number[]>();

/**
 * Dates on which the zone's clocks are changed so close to the hour that Temporal would start nothing, the wrong thing, or the same twice. The
 * reconciler starts what is due then.
 */
function datesOfClockChanges(zone: string, hour: number): readonly number[] {
  const key = `${zone} ${hour}`;
  const known = found.get(key);
  if (known) return known;
  const dates: number[] = [];
  for (let month = (YEARS.from - 1970) * 12; month < (YEARS.to + 1 - 1970) * 12; month++) {
    const [first, next] = [Date.UTC(1970, month), Date.UTC(1970, month + 1)];
    if (first - instantOf(zone, first) === next - instantOf(zone, next)) continue;
    for (let date = first; date < next; date += DAY) {
      if (isChangedNear(zone, instantOf(zone, date + hour * 3_600_000))) dates.push(date);
    }
  }
  found.set(key, dates);
  return dates;
}

function wholeDay(date: number) {
  const day = new Date(date);
  return {
    ...EVERY_DAY,
    second: span(0, 59),
    minute: span(0, 59),
    hour: span(0, 23),
    year: only(day.getUTCFullYear()),
    month: only(MONTHS[day.getUTCMonth()]),
    dayOfMonth: only(day.getUTCDate()),
  };
}
