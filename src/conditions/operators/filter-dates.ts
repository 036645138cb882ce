/**
 * Parses dates in filters. Upstream accepts every date that Python can parse, so imported flags contain more forms than properties do.
 * Dates without an offset are in the project's time zone.
 */
import {
  instantOfReading,
  instantOfText,
  MAX_INSTANT_LENGTH,
  instantOfSeconds,
  RELATIVE,
  type DateContext,
} from './dates.ts';
import { textOf, type Json } from './json-values.ts';

/** Forms of dates. A year or month means its first day; in numeric forms with slashes the month precedes the day, as in the US. */
const FORMS = [
  /^(?<year>[0-9]{4})(?:-(?<month>[0-9]{2}))?$/,
  /^(?:(?<weekday>[a-z]{3,9}),? )?(?<month>[a-z]{3,9})\.? (?<day>[0-9]{1,2}),? (?<year>[0-9]{4})(?:,? (?<time>.+))?$/i,
  /^(?:(?<weekday>[a-z]{3,9}),? )?(?<day>[0-9]{1,2})[ -](?<month>[a-z]{3,9})[ -](?<year>[0-9]{4})(?:,? (?<time>.+))?$/i,
  /^(?<month>[0-9]{1,2})\/(?<day>[0-9]{1,2})\/(?<year>[0-9]{4})(?:,? (?<time>.+))?$/,
  /^(?<year>[0-9]{4})(?<month>[0-9]{2})(?<day>[0-9]{2})(?:[T ](?<compact>.+))?$/i,
  /^(?<year>[0-9]{4})(?<month>[0-9]{2})(?<day>[0-9]{2})(?<compact>[0-9]{4}(?:[0-9]{2})?)$/,
  /^(?<year>[0-9]{4})\/(?<month>[0-9]{1,2})\/(?<day>[0-9]{1,2})(?:,? (?<time>.+))?$/,
];
/** Time, also in the form of JavaScript's `Date`: `10:20:30 GMT+0100 (Central European Standard Time)`. */
const TIME =
  /^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?: ?(?:GMT|UTC)?([+-][0-9]{2}:?[0-9]{2})| ?(Z|UTC|GMT))?(?: \([^()]*\))?$/i;
/** `TIME` without its colons, and with the hour alone. */
const COMPACT_TIME =
  /^([0-9]{2})(?:([0-9]{2})(?:([0-9]{2})(?:\.([0-9]+))?)?)?(?: ?(?:([+-][0-9]{2}:?[0-9]{2})|(Z|UTC|GMT)))?$/i;
/** Seconds since 1970 have at least nine digits since 1973; shorter numbers are hardly meant as dates. */
const SECONDS = /^[0-9]{9,11}(?:\.[0-9]+)?$/;
const MILLISECONDS = /^[0-9]{13}$/;

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** @param value of the filter; a number is read as its digits */
export function instantOfFilter(value: Json, context: DateContext): bigint | undefined {
  const text = textOf(value);
  // tooth: filter-date-length
  if (text.length > MAX_INSTANT_LENGTH) return undefined;
  if (SECONDS.test(text)) return instantOfSeconds(Number(text));
  if (MILLISECONDS.test(text)) return BigInt(text) * 1000n;
  return instantOfText(text, context) ?? instantOfForm(text, context);
}

/** Parses the value of a filter once, unless it is a relative date, which depends on the current time. */
export function prepareInstant(value: Json, timeZone: string): (now: number) => bigint | undefined {
  if (typeof value === 'string' && RELATIVE.test(value)) return (now) => instantOfFilter(value, { timeZone, now });
  const instant = instantOfFilter(value, { timeZone, now: 0 });
  return () => instant;
}

function instantOfForm(text: string, context: DateContext): bigint | undefined {
  for (const form of FORMS) {
    const { year, month = '1', day = '1', weekday, time, compact } = form.exec(text)?.groups ?? {};
    if (year === undefined || (weekday !== undefined && positionIn(WEEKDAYS, weekday) === undefined)) continue;
    const monthNumber = /[0-9]/.test(month) ? Number(month) : positionIn(MONTHS, month);
    const clock = clockOf(time, compact);
    if (monthNumber === undefined || !clock) continue;
    const [hour, minute, second, fraction, offset, zone] = clock;
    return instantOfReading(
      [Number(year), monthNumber, Number(day)],
      [hour, minute, second, fraction, offset ?? zone],
      context,
    );
  }
  return undefined;
}

/** @returns hour, minute, second, fraction, offset and zone, each undefined if absent; undefined for a text that is not a time */
function clockOf(time: string | undefined, compact: string | undefined): (string | undefined)[] | undefined {
  if (time !== undefined) return TIME.exec(time)?.slice(1);
  if (compact === undefined) return [];
  return (COMPACT_TIME.exec(compact) ?? TIME.exec(compact))?.slice(1);
}

/** Finds the position, from 1, of a name or an abbreviation (`Sept`). */
function positionIn(names: readonly string[], name: string): number | undefined {
  const index = names.findIndex((candidate) => candidate.startsWith(name.toLowerCase()));
  return index < 0 ? undefined : index + 1;
}
