/** Instants as SDKs write them. */

const POSTGRES_EPOCH_MS = 946_684_800_000;
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** Numbers below are seconds (until the year 5138), others milliseconds (from 1973 on). */
const FIRST_MILLISECONDS = 1e11;

/** Years repeat after so many milliseconds: Date.UTC takes the years 0 to 99 for others. */
const FOUR_CENTURIES_MS = 146_097 * 86_400_000;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const ISO = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;
const AFTER_SECONDS = /^(?:[.,](\d+)(?!\d))? ?(.*)$/;

/** Ten digits are seconds from 2001 to 2286, thirteen milliseconds of the same years. Fewer or more may mean anything. */
const EPOCH = /^(?:\d{10}|\d{13})(?:\.\d{1,9})?$/;
const MONTH_FIRST = /^(\d\d?)\/(\d\d?)\/(\d{4})((?: \d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?)$/;
/** As JavaScript's `toUTCString` and most languages' libraries for mail write it: without comments and folded lines. */
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

/** @param ms milliseconds since 1970 @returns microseconds since 2000-01-01Z, as Postgres counts */
export function fromMilliseconds(ms: number): bigint {
  return BigInt(Math.round(ms) - POSTGRES_EPOCH_MS) * 1000n;
}

/** @param instant microseconds since 2000-01-01Z, within the years 1 to 9999 @returns ISO 8601 in UTC, to the millisecond */
export function toIso(instant: bigint): string {
  return new Date(POSTGRES_EPOCH_MS + Number(instant / 1000n)).toISOString();
}

/**
 * Reads ISO 8601 (`2015-05-17T10:05:03.123456+02:00`, with a space instead of T, without time, without offset: UTC); numbers,
 * also as text (seconds or milliseconds since 1970); RFC 2822; and `11/20/2026`, the month first, with a time or without.
 * @returns microseconds since 2000-01-01Z; undefined for anything else and for what is outside the years 1 to 9999
 */
export function parseInstant(value: unknown): bigint | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (ISO.test(text)) return fromIso(text);
  return EPOCH.test(text) ? fromNumber(Number(text)) : (fromMonthFirst(text) ?? fromRfc2822(text));
}

function fromMonthFirst(text: string): bigint | undefined {
  const [, month, day, year, time] = MONTH_FIRST.exec(text) ?? [];
  return month && day ? fromIso(`${year}-${padded(month)}-${padded(day)}${time}`) : undefined;
}

function fromRfc2822(text: string): bigint | undefined {
  const [, weekday, day, monthName = '', year, time, zone = ''] = RFC_2822.exec(text) ?? [];
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  const offset = ZONES.get(zone.toLowerCase()) ?? zone;
  if (!day || month === 0 || (offset.length !== 5 && offset !== 'Z')) return undefined;
  const date = `${year}-${padded(String(month))}-${padded(day)}`;
  if (weekday && WEEKDAYS.indexOf(weekday.toLowerCase()) !== new Date(date).getUTCDay()) return undefined;
  return fromIso(`${date}T${time}${offset}`);
}

function padded(digits: string): string {
  return digits.padStart(2, '0');
}

function fromNumber(value: number): bigint | undefined {
  const ms = Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value;
  return inRange(ms) ? fromMilliseconds(ms) : undefined;
}

/** By position: this runs for every event, and a regular expression with groups takes several times as long. */
function fromIso(text: string): bigint | undefined {
  const [year, month, day] = [twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8)];
  const hasSeconds = text[16] === ':';
  const [hour, minute] = text.length > 10 ? [twoDigits(text, 11), twoDigits(text, 14)] : [0, 0];
  const second = hasSeconds ? twoDigits(text, 17) : 0;
  const [, fraction = '', offset = ''] = AFTER_SECONDS.exec(text.slice(hasSeconds ? 19 : 16))!;
  const offsetMinutes = parseOffset(offset);
  // A leap second is the first of the next minute, as in Postgres.
  const isTime = hour < 24 && minute < 60 && second <= 60;
  if (!isDay(year, month, day) || !isTime || offsetMinutes === undefined) return undefined;
  const seconds = (hour * 60 + minute - offsetMinutes) * 60 + second;
  const ms = Date.UTC(year + 400, month - 1, day) - FOUR_CENTURIES_MS + seconds * 1000;
  if (!inRange(ms)) return undefined;
  return fromMilliseconds(ms) + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2 && day === 29) return isLeapYear;
  return day > 0 && day <= (DAYS[month - 1] ?? 0);
}

/** @returns minutes east of UTC; undefined beyond what clocks on earth show */
function parseOffset(offset: string): number | undefined {
  if (offset === '' || offset === 'Z' || offset === 'z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  if (minutes > 15 * 60 + 59) return undefined;
  return offset.startsWith('-') ? -minutes : minutes;
}

function inRange(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}
