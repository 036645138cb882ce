/**
 * Converts text, the type of properties, to other types. Text is checked first, because Postgres' casts fail rather than return NULL. The
 * patterns avoid lookahead, which makes Postgres ten times slower, and `\d`, which matches further digits in some locales.
 */
import { parseIso } from '../../platform/time/iso.ts';
import { literal, type SqlType } from './values.ts';

type Reading = {
  /** Whether a text in the query itself can be read. */
  accepts(text: string): boolean;
  /** SQL that is true for texts that can be cast. @param v is mentioned more than once */
  test(v: string): string;
  /** SQL of the cast. */
  cast(v: string): string;
};

const NUMBER = String.raw`^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?$`;
/** Longest text of a number; with a two-digit exponent it stays within the range of float8. */
const MAX_NUMBER_BYTES = 200;

const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** ISO 8601: a day, or a day and a time, in UTC unless an offset is given. */
const INSTANT = String.raw`^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?: ?(?:[Zz]|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?))?)?$`;

const number = {
  accepts: (text: string) => text.length <= MAX_NUMBER_BYTES && new RegExp(NUMBER).test(text),
  test: (v: string) => `octet_length(${v}) <= ${MAX_NUMBER_BYTES} and ${v} ~ ${literal(NUMBER)}`,
};

const instant = {
  accepts: (text: string) => new RegExp(INSTANT).test(text) && parseIso(text) !== undefined,
  // CASE, because Postgres may evaluate the second operand of AND first.
  test: (v: string) => `case when ${v} ~ ${literal(INSTANT)} then ${dayExists(v)} end`,
};

export const READINGS: Readonly<Partial<Record<SqlType, Reading>>> = {
  int8: { ...number, cast: (v) => `trunc(${v}::numeric)` },
  float8: { ...number, cast: (v) => `${v}::float8` },
  timestamptz: { ...instant, cast: (v) => `${v}::timestamptz` },
  date: { ...instant, cast: (v) => `left(${v}, 10)::date` },
  uuid: {
    accepts: (text) => new RegExp(UUID).test(text),
    test: (v) => `${v} ~ ${literal(UUID)}`,
    cast: (v) => `${v}::uuid`,
  },
  bool: {
    accepts: (text) => /^(?:true|false|[01])$/i.test(text),
    test: (v) => `lower(${v}) in ('true', 'false', '1', '0')`,
    cast: (v) => `lower(${v}) in ('true', '1')`,
  },
};

/** SQL for whether the year is at least 1 and the month has the day. @param v text that matches `INSTANT` */
function dayExists(v: string): string {
  const year = `left(${v}, 4)::int4`;
  const isLeapYear = `${year} % 4 = 0 and (${year} % 100 <> 0 or ${year} % 400 = 0)`;
  const lastDay = `case when substr(${v}, 6, 2) in ('04', '06', '09', '11') then '30'
    when substr(${v}, 6, 2) <> '02' then '31' when ${isLeapYear} then '29' else '28' end`;
  return `${year} > 0 and substr(${v}, 9, 2) <= ${lastDay}`;
}
