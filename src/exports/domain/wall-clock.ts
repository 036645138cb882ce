/**
 * What clocks on the walls of a time zone show, and when. A reading is written as the instant at which a clock in UTC shows it:
 * 02:30 in Berlin is `Date.UTC(..., 2, 30)`. Depends on the runtime's table of zones, so workflows must not compute with it.
 */
import { TIME_ZONES } from './time-zones.ts';
import type { Millis } from './intervals.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Making a formatter takes as long as using it a hundred times. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const [numeric, twoDigits] = ['numeric', '2-digit'] as const;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: numeric,
    month: twoDigits,
    day: twoDigits,
    hour: twoDigits,
    minute: twoDigits,
    second: twoDigits,
  });
  formatters.set(zone, made);
  return made;
}

/** Whether it is a name of the IANA database, spelled as it spells it. */
export function isTimeZone(name: string): boolean {
  return TIME_ZONES.has(name);
}

/** What the clock shows at the instant, to the second. */
export function wallClockAt(zone: string, at: Millis): Millis {
  if (zone === 'UTC') return at;
  // `05/17/2015, 10:30:00`
  const [month, day, year, hour, minute, second] = formatterOf(zone).format(at).split(/\D+/).map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}

function offsetAt(zone: string, at: Millis): Millis {
  const second = Math.floor(at / 1000) * 1000;
  return wallClockAt(zone, second) - second;
}

/**
 * When the clock shows a reading. One that it shows twice is taken when it shows it first; one that it jumps over is moved
 * forward by the length of the jump (02:30 becomes 03:30): the `compatible` way of RFC 5545 and of ECMAScript's Temporal.
 */
export function instantOf(zone: string, reading: Millis): Millis {
  if (zone === 'UTC') return reading;
  const [first] = shownAt(zone, reading);
  return first ?? reading - offsetAt(zone, reading - DAY);
}

/** The instants at which the clock shows a reading, the earlier first: none, one or two. */
function shownAt(zone: string, reading: Millis): Millis[] {
  // Changes of a zone's offset are further apart than two days.
  const before = offsetAt(zone, reading - DAY);
  const after = offsetAt(zone, reading + DAY);
  if (before === after) return [reading - before];
  const either = [reading - Math.max(before, after), reading - Math.min(before, after)];
  return either.filter((at) => wallClockAt(zone, at) === reading);
}

/** Whether the clock shows a reading twice. */
export function isShownTwice(zone: string, reading: Millis): boolean {
  return shownAt(zone, reading).length > 1;
}

/** Whether the clock is changed in the two hours before an instant or the two after. */
export function isChangedNear(zone: string, at: Millis): boolean {
  return zone !== 'UTC' && offsetAt(zone, at - 2 * HOUR) !== offsetAt(zone, at + 2 * HOUR);
}
