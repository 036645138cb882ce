/** Converts between types without failing on any row: values that cannot be converted become NULL. */
import type { InvalidInput } from '../../platform/errors.ts';
import { READINGS } from './reading.ts';
import { invalidQuery, excerpt } from './query-errors.ts';
import { nullUnlessBetween, nameOperands, typeName, value, type SqlType, type Value } from './values.ts';

type Conversion = (sql: string) => string;

/** Exclusive limits of 64-bit integers. */
const INT8 = { low: "'-9223372036854775809'::numeric", high: "'9223372036854775808'::numeric" };
/** Exclusive limits of the years 1 to 9999. */
const YEARS = {
  low: "'0001-12-31 23:59:59.999999+00 BC'::timestamptz",
  high: "'10000-01-01 00:00:00+00'::timestamptz",
};

/** @param sql an operand of type numeric */
export function numericToInt8(sql: string): string {
  return `${nullUnlessBetween(INT8.low, sql, INT8.high)}::int8`;
}

/** @param sql an operand of type float8; its fraction is cut off */
function float8ToInt8(sql: string): string {
  return `trunc(${nullUnlessBetween("'-9223372036854775808'::float8", sql, "'9223372036854775808'::float8")})::int8`;
}

/** @param sql an operand of type timestamptz @returns SQL that is NULL outside of the years 1 to 9999 */
export function nullOutsideYears(sql: string): string {
  return nullUnlessBetween(YEARS.low, sql, YEARS.high);
}

/** Converts seconds since 1970; NULL outside of the years 1 to 9999. @param sql an operand of type float8 */
export function secondsToInstant(sql: string): string {
  return `to_timestamp(${nullUnlessBetween("'-62135596801'::float8", sql, "'253402300799.5'::float8")})`;
}

/** Limits the range of values that are parsed from text, by type. */
const BOUNDS: Readonly<Partial<Record<SqlType, Conversion>>> = { int8: numericToInt8, timestamptz: nullOutsideYears };

const CONVERSIONS: Readonly<Record<Exclude<SqlType, 'text'>, Readonly<Partial<Record<SqlType, Conversion>>>>> = {
  int8: {
    text: (sql) => `${sql}::text`,
    float8: (sql) => `${sql}::float8`,
    bool: (sql) => `${sql} <> 0`,
    timestamptz: (sql) => secondsToInstant(`${sql}::float8`),
  },
  float8: {
    text: (sql) => `${sql}::text`,
    int8: float8ToInt8,
    bool: (sql) => `${sql} <> 0`,
    timestamptz: secondsToInstant,
  },
  bool: {
    text: (sql) => `${sql}::text`,
    int8: (sql) => `${sql}::int4::int8`,
    float8: (sql) => `${sql}::int4::float8`,
  },
  timestamptz: {
    text: (sql) => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    date: (sql) => `(${sql} at time zone 'UTC')::date`,
    int8: (sql) => `floor(extract(epoch from ${sql}))::int8`,
    float8: (sql) => `extract(epoch from ${sql})::float8`,
  },
  date: {
    text: (sql) => `to_char(${sql}, 'YYYY-MM-DD')`,
    timestamptz: (sql) => `${sql}::timestamp at time zone 'UTC'`,
  },
  uuid: { text: (sql) => `${sql}::text` },
  jsonb: { text: (sql) => `${sql}::text` },
};

/** Converts like a cast. @throws InvalidInput for unrelated types, and for a literal that does not fit */
export function convert(from: Value, to: SqlType): Value {
  if (from.type === to) return from;
  if (from.type === 'null') return { ...value(to, `null::${to}`, from.at), isRepeatable: true };
  if (to === 'jsonb' && from.json) return value('jsonb', from.json, from.at);
  if (from.type === 'text') return convertText(from, to);
  const conversion = CONVERSIONS[from.type][to];
  if (!conversion) throw conversionError(from, to);
  const converted = value(to, `(${conversion(from.sql)})`, from.at);
  // A converted column or literal is still short and free to evaluate.
  return from.isRepeatable && to === 'float8' && from.type === 'int8'
    ? { ...converted, isRepeatable: true }
    : converted;
}

function convertText(text: Value, to: SqlType): Value {
  const reading = READINGS[to];
  if (!reading) throw conversionError(text, to);
  if (text.literal !== undefined && !reading.accepts(text.literal)) {
    throw invalidQuery(`${excerpt(text.literal)} cannot be read as ${typeName(to)}`, text.at);
  }
  const sql = nameOperands([text], (v) => `case when ${reading.test(v!)} then ${reading.cast(v!)} end`);
  return value(to, BOUNDS[to]?.(sql) ?? sql, text.at);
}

function conversionError({ type, at }: Value, to: SqlType): InvalidInput {
  return invalidQuery(`${typeName(type)} cannot be converted to ${typeName(to)}`, at);
}

const WIDER: Readonly<Partial<Record<SqlType, readonly SqlType[]>>> = { int8: ['float8'], date: ['timestamptz'] };

/**
 * Converts implicitly: NULL to anything, integers to floats, dates to timestamps, anything to text, and text, the type of properties, to
 * the needed type.
 * @param subject the part that needs the type, for the message
 */
export function convertImplicitly(operand: Value, type: SqlType, subject: string): Value {
  const isImplicit =
    operand.type === type ||
    operand.type === 'null' ||
    type === 'text' ||
    (operand.type === 'text' && (type !== 'jsonb' || operand.json !== undefined)) ||
    WIDER[operand.type]?.includes(type);
  if (!isImplicit)
    throw invalidQuery(`${subject} must be ${typeName(type)}, not ${typeName(operand.type)}`, operand.at);
  return convert(operand, type);
}

/** @returns the type as which two values can be compared; undefined if there is none */
export function comparisonType(a: Value['type'], b: Value['type']): Value['type'] | undefined {
  if (a === 'text' && b !== 'jsonb' && b !== 'null') return b === 'int8' ? 'float8' : b;
  if (b === 'text' && a !== 'text') return comparisonType(b, a);
  return widerType(a, b);
}

/** @returns the wider of the types: NULL widens to any type, integers to floats, dates to timestamps; undefined if none is wider */
export function widerType(a: Value['type'], b: Value['type']): Value['type'] | undefined {
  if (a === b || b === 'null') return a;
  if (a === 'null' || WIDER[a]?.includes(b as SqlType)) return b;
  return WIDER[b]?.includes(a as SqlType) ? a : undefined;
}
