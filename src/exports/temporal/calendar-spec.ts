/**
 * Days, weeks and months as a calendar of Temporal, in a time zone. Values have the form in which Temporal describes schedules, so a
 * spec can be compared with a description.
 */
import type { ScheduleSpec } from '@temporalio/client';
import type { Cadence } from '../domain/cadence.ts';
import { instantOf, isShownTwice } from '../domain/wall-clock.ts';

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
const singleValue = <T>(value: T) => span(value, value);

/** Ranges of all values but one. */
function rangesExcept<T>(values: readonly T[], index: number) {
  return [
    ...(index > 0 ? span(values[0], values[index - 1]) : []),
    ...(index < values.length - 1 ? span(values[index + 1], values.at(-1)) : []),
  ];
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const ANY_TIME = {
  second: span(0, 59),
  minute: span(0, 59),
  hour: span(0, 23),
  dayOfMonth: span(1, 31),
  month: span(MONTHS.at(0), MONTHS.at(-1)),
  year: [],
  dayOfWeek: span(DAYS.at(0), DAYS.at(-1)),
  comment: '',
};

export function calendarSpec({ interval, timezone, offsetDay, offsetHour }: Cadence): ScheduleSpec {
  const calendar = {
    ...ANY_TIME,
    second: singleValue(0),
    minute: singleValue(0),
    hour: singleValue(offsetHour),
    ...(interval === 'week' && { dayOfWeek: singleValue(DAYS[offsetDay]) }),
    ...(interval === 'month' && { dayOfMonth: singleValue(1) }),
  };
  // Near clock changes, Temporal also matches times outside the calendar, an hour or a day later (seen on server 1.29 for 01:00 in
  // Berlin and weeks in Havana). The spec therefore skips all other times explicitly.
  const others = [
    { ...ANY_TIME, hour: rangesExcept(HOURS, offsetHour) },
    { ...ANY_TIME, minute: span(1, 59) },
    ...(interval === 'week' ? [{ ...ANY_TIME, dayOfWeek: rangesExcept(DAYS, offsetDay) }] : []),
    ...(interval === 'month' ? [{ ...ANY_TIME, dayOfMonth: span(2, 31) }] : []),
  ];
  return {
    calendars: [calendar],
    skip: [...others, ...datesWithRepeatedHour(timezone, offsetHour)],
    timezone,
  } as ScheduleSpec;
}

/** Range of years for skipped dates; outside it Temporal starts a run without a data interval once a year, which is refused. */
const YEARS = { from: 2020, to: 2049 };
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Dates = ReturnType<typeof dateOf>[];
/** Cache of the dates, because finding them takes a while. */
const knownDates = new Map<string, Dates>();

/**
 * Dates on which the zone's clocks show the hour twice. They are skipped, because Temporal would start a run at the second time, or at
 * both; the reconciler starts the run of the first.
 */
function datesWithRepeatedHour(zone: string, hour: number): Dates {
  const key = `${zone} ${hour}`;
  const known = knownDates.get(key);
  if (known) return known;
  const dates: Dates = [];
  for (let month = (YEARS.from - 1970) * 12; month < (YEARS.to + 1 - 1970) * 12; month++) {
    const [first, next] = [Date.UTC(1970, month), Date.UTC(1970, month + 1)];
    if (first - instantOf(zone, first) === next - instantOf(zone, next)) continue;
    for (let date = first; date < next; date += DAY)
      if (isShownTwice(zone, date + hour * HOUR)) dates.push(dateOf(date));
  }
  knownDates.set(key, dates);
  return dates;
}

function dateOf(date: number) {
  const day = new Date(date);
  return {
    ...ANY_TIME,
    year: singleValue(day.getUTCFullYear()),
    month: singleValue(MONTHS[day.getUTCMonth()]),
    dayOfMonth: singleValue(day.getUTCDate()),
  };
}
