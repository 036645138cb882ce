/** Instants as SDKs write them. */

const POSTGRES_EPOCH_MS = 946_684_800_000;
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** Numbers below are seconds (until the year 5138), others milliseconds (from 1973 on). */
const FIRST_MILLISECONDS = 1e11;

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;

/** @param ms milliseconds since 1970 @returns microseconds since 2000-01-01Z, as Postgres counts */
export function fromMilliseconds(ms: number): bigint {
  return BigInt(Math.round(ms) - POSTGRES_EPOCH_MS) * 1000n;
}

/**
 * Reads ISO 8601 (`2015-05-17T10:05:03.123456+02:00`, with a space instead of T, without time, without offset: UTC) and
 * numbers (seconds or milliseconds since 1970).
 * @returns microseconds since 2000-01-01Z; undefined for anything else and for what is outside the years 1 to 9999
 */
export function parseInstant(value: unknown): bigint | undefined {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return undefined;
  const match = ISO.exec(value.trim());
  return match ? fromIso(match) : undefined;
}

function fromNumber(value: number): bigint | undefined {
  const ms = Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value;
  return inRange(ms) ? fromMilliseconds(ms) : undefined;
}

function fromIso(match: RegExpExecArray): bigint | undefined {
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', offset = 'Z'] = match;
  const date = new Date(0);
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  // A leap second is the first of the next minute, as in Postgres.
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  const offsetMinutes = parseOffset(offset);
  if (!isDay || !isTime || offsetMinutes === undefined) return undefined;
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  const ms = date.getTime() + (minutes * 60 + Number(second)) * 1000;
  if (!inRange(ms)) return undefined;
  return fromMilliseconds(ms) + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

/** @returns minutes east of UTC; undefined beyond what clocks on earth show */
function parseOffset(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  if (minutes > 15 * 60 + 59) return undefined;
  return offset.startsWith('-') ? -minutes : minutes;
}

function inRange(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}
