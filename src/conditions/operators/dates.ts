/** Parses instants in properties and filters to microseconds since 1970, as bigints, because floats would lose digits. */
import { isDay } from '../../platform/time/iso.ts';
import { instantOfWall, wallAt } from '../../platform/time/zones.ts';
import { numberOf, type Json } from './json-values.ts';

/** Maximum length of an instant, in characters; longer texts are not instants. */
export const MAX_INSTANT_LENGTH = 100;
export const RELATIVE = /^-?(\d+)([hdwmy])$/;
const MAX_AMOUNT = 10_000;
const HOUR_MS = 3_600_000;
const FIXED_MS: Record<string, number> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
/** Largest distance from 1970: about 260,000 years. */
export const MAX_SECONDS = 8_200_000_000_000;

/** Hours ahead of UTC, by the names of time zones in mail and HTTP headers. */
export const ZONE_HOURS: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  BST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
};

const DATE = String.raw`([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})`;
const TIME = String.raw`([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?`;
const OFFSET = String.raw`(?: ?(${Object.keys(ZONE_HOURS).join('|')}|[+-][0-9]{2}(?::?[0-9]{2})?))?`;
/**
 * RFC 3339, also with a space in place of the T or before the offset, or with a zone's name; a date alone means midnight. JavaScript
 * and Postgres read the pattern alike.
 */
export const DATE_PATTERN = `^${DATE}(?:[T ]${TIME}${OFFSET})?$`;
const ABSOLUTE = new RegExp(DATE_PATTERN, 'i');

/** Time zone for dates without an offset, and current time for relative dates. For times that clocks skip see `instantOfWall`. */
export type DateContext = {
  /** IANA name of the project's time zone. */
  timeZone: string;
  /** Milliseconds since 1970. */
  now: number;
};

/** Parses the instant in a property. A number, also as text, is seconds since 1970. */
export function instantOfProperty(value: Json, context: DateContext): bigint | undefined {
  const seconds = numberOf(value);
  if (seconds !== undefined) return instantOfSeconds(seconds);
  return typeof value === 'string' ? instantOfText(value, context) : undefined;
}

export function instantOfSeconds(seconds: number): bigint | undefined {
  if (Math.abs(seconds) > MAX_SECONDS) return undefined;
  const whole = Math.floor(seconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((seconds - whole) * 1e6 + 0.5));
}

/** Parses an instant: relative (`-7d` or `7d`, both in the past), with an offset, or without one in the time zone of the context. */
export function instantOfText(text: string, context: DateContext): bigint | undefined {
  // tooth: instant-length
  if (text.length > MAX_INSTANT_LENGTH) return undefined;
  const relative = RELATIVE.exec(text);
  if (relative) return relativeInstant(Number(relative[1]), relative[2]!, context);
  const found = ABSOLUTE.exec(text);
  if (!found) return undefined;
  const [, year, month, day, ...time] = found;
  return instantOfReading([year, month, day].map(Number), time, context);
}

/** Hour, minute, second, fraction and offset. Missing numbers are 0; without an offset the project's time zone applies. */
export type TimeParts = (string | undefined)[];

/** @param day year, month and day of the month */
export function instantOfReading(day: number[], time: TimeParts, context: DateContext): bigint | undefined {
  const [hour = '00', minute = '00', second = '00', fraction = '', offset] = time;
  const wall = wallOf([...day, ...[hour, minute, second].map(Number)]);
  if (wall === undefined) return undefined;
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6));
  const instant = offset === undefined ? instantOfWall(wall, context.timeZone) : withOffset(wall, offset);
  return instant === undefined ? undefined : BigInt(instant) * 1000n + micros;
}

/** A wall clock's reading as if it were UTC, in milliseconds; undefined for an impossible reading (31 April, 25:00). */
function wallOf([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: number[]): number | undefined {
  if (year === 0 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (!isDay(year, month, day)) return undefined;
  return new Date(0).setUTCFullYear(year, month - 1, day) + hour * HOUR_MS + minute * 60_000 + second * 1000;
}

function withOffset(wall: number, offset: string): number | undefined {
  const namedZone = ZONE_HOURS[offset.toUpperCase()];
  if (namedZone !== undefined) return wall - namedZone * HOUR_MS;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) return undefined;
  return wall - (offset.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * 60_000);
}

/** On the project's wall clock, hours, days and weeks have fixed lengths; months and years keep the day, or take the month's last one. */
function relativeInstant(amount: number, unit: string, { timeZone, now }: DateContext): bigint | undefined {
  if (amount >= MAX_AMOUNT) return undefined;
  const earlier = wallBefore(wallAt(now, timeZone), amount, unit);
  return BigInt(instantOfWall(earlier, timeZone)) * 1000n;
}

function wallBefore(wall: number, amount: number, unit: string): number {
  const fixedMs = FIXED_MS[unit];
  if (fixedMs !== undefined) return wall - amount * fixedMs;
  return unit === 'y' ? yearsBefore(wall, amount) : monthsBefore(wall, amount);
}

/** Goes back as if year by year: 29 February becomes 28 February, even if the resulting year is a leap year. */
function yearsBefore(wall: number, years: number): number {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return date.setUTCFullYear(year - years, month, years > 0 && month === 1 ? Math.min(day, 28) : day);
}

/** Goes back month by month, so a day that a shorter month lacks stays reduced: 31 March minus two months is 28 January. */
function monthsBefore(wall: number, months: number): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  let day = date.getUTCDate();
  for (let back = 1; back <= months; back++) day = Math.min(day, daysIn(year, month - back));
  return date.setUTCFullYear(year, month - months, day);
}

/** @param monthIndex from 0; below 0 counts back into earlier years */
function daysIn(year: number, monthIndex: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, monthIndex + 1, 0);
  return date.getUTCDate();
}
