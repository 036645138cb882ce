/** Instants in ISO 8601, to the microsecond: counted from 2000 on, as Postgres counts. */

const POSTGRES_EPOCH_MS = 946_684_800_000;
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');
/** Period after which the calendar repeats; used for the years 0 to 99, which Date.UTC reads as others. */
const FOUR_CENTURIES_MS = 146_097 * 86_400_000;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const ISO = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;
const AFTER_SECONDS = /^(?:[.,](\d+)(?!\d))? ?(.*)$/;

/** @param ms milliseconds since 1970 @returns microseconds since 2000-01-01Z */
export function fromMilliseconds(ms: number): bigint {
  return BigInt(Math.round(ms) - POSTGRES_EPOCH_MS) * 1000n;
}

/** @param instant microseconds since 2000-01-01Z, within the years 1 to 9999 @returns ISO 8601 in UTC, to the millisecond */
export function toIso(instant: bigint): string {
  return new Date(POSTGRES_EPOCH_MS + Number(instant / 1000n)).toISOString();
}

/** @param instant as `toIso` takes it @returns ISO 8601 in UTC, to the microsecond */
export function toIsoMicros(instant: bigint): string {
  const micros = ((instant % 1000n) + 1000n) % 1000n;
  return new Date(POSTGRES_EPOCH_MS + Number((instant - micros) / 1000n))
    .toISOString()
    .replace('Z', `${String(micros).padStart(3, '0')}Z`);
}

/** `2015-05-17T10:00:00.000000Z`, as Postgres and the API write an instant. @param ms milliseconds since 1970 */
export function isoMicros(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** Whether milliseconds since 1970 are within the years 1 to 9999. */
export function isInRange(ms: number): boolean {
  return ms >= EARLIEST_MS && ms <= LATEST_MS;
}

/**
 * Reads `2015-05-17T10:05:03.123456+02:00`, with a space instead of T, without time, without offset: UTC. Digits below microseconds are cut off.
 * Parses by position, because this runs for every event and a regular expression with groups takes several times as long.
 * @returns microseconds since 2000-01-01Z; undefined for other texts and outside the years 1 to 9999
 */
export function parseIso(text: string): bigint | undefined {
  if (!ISO.test(text)) return undefined;
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
  if (!isInRange(ms)) return undefined;
  return fromMilliseconds(ms) + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

function twoDigits(text: string, offset: number): number {
  return (text.charCodeAt(offset) - 48) * 10 + text.charCodeAt(offset + 1) - 48;
}

/** Whether the calendar has the day. */
export function isDay(year: number, month: number, day: number): boolean {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2 && day === 29) return isLeapYear;
  return day > 0 && day <= (DAYS[month - 1] ?? 0);
}

/** @returns minutes east of UTC; undefined for offsets that no time zone has */
function parseOffset(offset: string): number | undefined {
  if (offset === '' || offset === 'Z' || offset === 'z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  if (minutes > 15 * 60 + 59) return undefined;
  return offset.startsWith('-') ? -minutes : minutes;
}
