/** Instants as SDKs write them. */
import { fromMilliseconds, isInRange, parseIso } from '../time/iso.ts';

/** Numbers below are seconds (until the year 5138), others milliseconds (from 1973 on). */
const FIRST_MILLISECONDS = 1e11;

/** Ten digits are seconds from 2001 to 2286, thirteen milliseconds of the same years. Fewer or more may mean anything. */
const EPOCH = /^(?:\d{10}|\d{13})(?:\.\d{1,9})?$/;
const MONTH_FIRST = /^(\d\d?)\/(\d\d?)\/(\d{4})((?: \d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?)$/;
/** Form that JavaScript's `toUTCString` and most mail libraries write: without comments and folded lines. */
const RFC_2822 = /^(?:([a-z]{3}), )?(\d\d?) ([a-z]{3}) (\d{4}) (\d\d:\d\d(?::\d\d)?) ([+-]\d{4}|[a-z]{1,3})$/i;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Zones of RFC 2822 that say how far they are from UTC; the letters of the military do not. */
const ZONES = new Map([
  ['gmt', 'Z'],
  ['utc', 'Z'],
  ['ut', 'Z'],
  ['z', 'Z'],
  ['edt', '-0400'],
  ['est', '-0500'],
  ['cdt', '-0500'],
  ['cst', '-0600'],
  ['mdt', '-0600'],
  ['mst', '-0700'],
  ['pdt', '-0700'],
  ['pst', '-0800'],
]);

/**
 * Reads ISO 8601 (`2015-05-17T10:05:03.123456+02:00`, with a space instead of T, without time, without offset: UTC); numbers,
 * also as text (seconds or milliseconds since 1970); RFC 2822; and `11/20/2026`, the month first, with a time or without.
 * @returns microseconds since 2000-01-01Z; undefined for other values and outside the years 1 to 9999
 */
export function parseInstant(value: unknown): bigint | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (EPOCH.test(text)) return fromNumber(Number(text));
  return parseIso(text) ?? fromMonthFirst(text) ?? fromRfc2822(text);
}

function fromMonthFirst(text: string): bigint | undefined {
  const [, month, day, year, time] = MONTH_FIRST.exec(text) ?? [];
  return month && day ? parseIso(`${year}-${padToTwo(month)}-${padToTwo(day)}${time}`) : undefined;
}

function fromRfc2822(text: string): bigint | undefined {
  const [, weekday, day, monthName = '', year, time, zone = ''] = RFC_2822.exec(text) ?? [];
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  const offset = ZONES.get(zone.toLowerCase()) ?? zone;
  if (!day || month === 0 || (offset.length !== 5 && offset !== 'Z')) return undefined;
  const date = `${year}-${padToTwo(String(month))}-${padToTwo(day)}`;
  if (weekday && WEEKDAYS.indexOf(weekday.toLowerCase()) !== new Date(date).getUTCDay()) return undefined;
  return parseIso(`${date}T${time}${offset}`);
}

function padToTwo(digits: string): string {
  return digits.padStart(2, '0');
}

function fromNumber(value: number): bigint | undefined {
  const ms = Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value;
  return isInRange(ms) ? fromMilliseconds(ms) : undefined;
}
