/**
 * How often an export runs, and where the boundaries of its intervals lie: an interval, a time zone and offsets. Intervals of hours and
 * minutes are counted from 1970-01-01T00:00Z, whatever the time zone. Days, weeks and months begin by the clocks of the zone, so a day
 * may have 23 or 25 hours.
 */
import { InvalidInput } from '../../platform/errors.ts';
import { findTimeZoneName } from '../../platform/time/time-zones.ts';
import type { Millis } from './millis.ts';
import { instantOf, isChangedNear, wallClockAt } from './wall-clock.ts';

export type Interval = string;
export type Cadence = {
  interval: Interval;
  /** IANA name; has no effect on hours and minutes. */
  timezone: string;
  /** The day on which weeks begin, 0 is Sunday; 0 for other intervals. */
  offsetDay: number;
  /** The hour at which days, weeks and months begin; 0 for other intervals. */
  offsetHour: number;
};

/** A change of a cadence: absent fields keep their values, null stands for the default. */
export type CadenceChange = {
  interval?: Interval;
  timezone?: string | null;
  offsetDay?: number | null;
  offsetHour?: number | null;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** 1970-01-01 was a Thursday: weeks begin on Sunday, three days later. */
const FIRST_SUNDAY = 3 * DAY;
const CALENDAR_INTERVALS = ['day', 'week', 'month'];

/** Whether boundaries follow the clocks of the time zone. */
export function isCalendarInterval(interval: Interval): boolean {
  return CALENDAR_INTERVALS.includes(interval);
}

/** Cadence of a new export, in fields that the request does not set. */
const DEFAULT: Cadence = { interval: 'hour', timezone: 'UTC', offsetDay: 0, offsetHour: 0 };

/**
 * Applies a change to a cadence. Offsets that do not apply to the new interval are reset; the zone is kept.
 * @throws InvalidInput naming the field, with upstream's messages
 */
export function cadenceWith(change: CadenceChange, present: Cadence = DEFAULT): Cadence {
  const interval = change.interval ?? present.interval;
  const timezone = change.timezone === undefined ? present.timezone : (change.timezone ?? 'UTC');
  const weekly = interval === 'week';
  const ofCalendar = isCalendarInterval(interval);
  checkInterval(interval);
  // Temporal knows zones by exactly these spellings.
  if (findTimeZoneName(timezone) !== timezone)
    throw new InvalidInput(`"${timezone}" is not a valid choice.`, 'timezone', 'invalid_choice');
  if (!weekly && typeof change.offsetDay === 'number') {
    throw new InvalidInput('offset_day is not applicable for non-weekly intervals', 'offset_day');
  }
  if (!ofCalendar && typeof change.offsetHour === 'number') {
    throw new InvalidInput('offset_hour is not applicable for non-daily/weekly intervals', 'offset_hour');
  }
  const { offsetDay = present.offsetDay, offsetHour = present.offsetHour } = change;
  return {
    interval,
    timezone,
    offsetDay: weekly ? (offsetDay ?? 0) : 0,
    offsetHour: ofCalendar ? (offsetHour ?? 0) : 0,
  };
}

function checkInterval(interval: Interval): void {
  if (isCalendarInterval(interval) || spanOf(interval) !== undefined) return;
  throw new InvalidInput(`"${interval}" is not a valid choice.`, 'interval', 'invalid_choice');
}

/** Length in milliseconds of an interval of hours or minutes; undefined for days, weeks and months. */
export function spanOf(interval: Interval): Millis | undefined {
  if (interval === 'hour') return HOUR;
  const minutes = Number(/^every ([1-9]\d{0,3}) minutes$/.exec(interval)?.[1]);
  return minutes <= 1440 ? minutes * MINUTE : undefined;
}

/** Whether two cadences have the same boundaries; the zones of hours and minutes are ignored. */
export function isSameCadence(a: Cadence, b: Cadence): boolean {
  if (a.interval !== b.interval) return false;
  if (!isCalendarInterval(a.interval)) return true;
  return a.timezone === b.timezone && a.offsetDay === b.offsetDay && a.offsetHour === b.offsetHour;
}

/** Numbers boundaries by the reading of the zone's clock. Two such readings are further apart than any change of the clock. */
type Readings = { zone: string; numberAt(reading: Millis): number; reading(number: number): Millis };

function readingsOf({ interval, timezone: zone, offsetDay, offsetHour }: Cadence): Readings {
  const hours = offsetHour * HOUR;
  if (interval === 'month') {
    return {
      zone,
      numberAt(reading) {
        const date = new Date(reading - hours);
        return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
      },
      reading: (number) => Date.UTC(1970, number) + hours,
    };
  }
  if (interval === 'day') return equalSpans(zone, DAY, hours);
  if (interval === 'week') return equalSpans(zone, WEEK, FIRST_SUNDAY + offsetDay * DAY + hours);
  return equalSpans('UTC', spanOf(interval)!, 0);
}

function equalSpans(zone: string, span: Millis, first: Millis): Readings {
  return {
    zone,
    numberAt: (reading) => Math.floor((reading - first) / span),
    reading: (number) => number * span + first,
  };
}

/** The last boundary at or before the instant. */
export function boundaryAtOrBefore(cadence: Cadence, instant: Millis): Millis {
  const { zone, numberAt, reading } = readingsOf(cadence);
  // A clock that was set back shows an earlier time, although boundaries after that time have already passed.
  let number = numberAt(wallClockAt(zone, instant)) + 1;
  while (instantOf(zone, reading(number)) > instant) number -= 1;
  return instantOf(zone, reading(number));
}

/** The first boundary after the instant. */
export function boundaryAfter(cadence: Cadence, instant: Millis): Millis {
  const { zone, numberAt, reading } = readingsOf(cadence);
  let number = numberAt(wallClockAt(zone, instant));
  // Two readings within one jump of the clock may be the same instant, because a zone that crosses the date line skips a day.
  while (instantOf(zone, reading(number)) <= instant) number += 1;
  return instantOf(zone, reading(number));
}

/**
 * Whether a boundary is close to a change of the zone's clocks. Temporal's calendars miss some such times (seen on server 1.29), so the
 * dispatcher starts requested runs of these boundaries directly.
 */
export function isNearClockChange({ interval, timezone }: Cadence, boundary: Millis): boolean {
  return isCalendarInterval(interval) && isChangedNear(timezone, boundary);
}

/**
 * The boundary of a local date: the beginning of the day in the cadence's zone, plus its offset hour. For backfills of days,
 * weeks and months, whose bounds are plain dates.
 * @param date `YYYY-MM-DD`, checked
 */
export function localDateToInstant({ timezone, offsetHour }: Cadence, date: string): Millis {
  return instantOf(timezone, Date.parse(`${date}T00:00:00Z`) + offsetHour * HOUR);
}
