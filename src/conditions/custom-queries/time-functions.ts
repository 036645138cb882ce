/** Functions on instants and dates, in UTC. */
import { shiftInstant, timeUnit } from './arithmetic.ts';
import { convert, secondsToInstant, nullOutsideYears } from './conversions.ts';
import { simpleFunction, literalInteger, literalText, type SqlFunction } from './function-shape.ts';
import { invalidQuery, excerpt } from './query-errors.ts';
import type { QueryPosition } from './syntax.ts';
import { literal, nameOperands, value, type SqlType, type Value } from './values.ts';

const utc = (instant: string) => `(${instant} at time zone 'UTC')`;
const part = (field: string, instant: string) => `extract(${field} from ${utc(instant)})::int8`;

export const TIME_FUNCTIONS: readonly SqlFunction[] = [
  ...['minute', 'hour', 'day'].map((unit) => startOf(unit, 'timestamptz')),
  ...['month', 'quarter', 'year'].map((unit) => startOf(unit, 'date')),
  startOf('week', 'date', 'toMonday'),
  {
    names: ['toStartOfWeek'],
    parameterTypes: ['timestamptz'],
    make: ([instant], position) => {
      // Weeks begin on Monday in Postgres, and on Sunday in ClickHouse.
      const monday = `date_trunc('week', ${utc(instant!.sql)} + interval '1 day')`;
      const sunday = nullOutsideYears(`((${monday} - interval '1 day') at time zone 'UTC')`);
      return convert(value('timestamptz', sunday, position), 'date');
    },
  },
  {
    names: ['dateTrunc', 'date_trunc'],
    parameterTypes: ['text', 'timestamptz'],
    make: ([unit, instant], position) => value('timestamptz', truncateSql(unitOf(unit!), instant!.sql), position),
  },
  simpleFunction('toYear', ['timestamptz'], 'int8', (instant) => part('year', instant)),
  simpleFunction('toQuarter', ['timestamptz'], 'int8', (instant) => part('quarter', instant)),
  simpleFunction('toMonth', ['timestamptz'], 'int8', (instant) => part('month', instant)),
  simpleFunction('toDayOfMonth', ['timestamptz'], 'int8', (instant) => part('day', instant)),
  simpleFunction('toDayOfWeek', ['timestamptz'], 'int8', (instant) => part('isodow', instant)),
  simpleFunction('toHour', ['timestamptz'], 'int8', (instant) => part('hour', instant)),
  simpleFunction('toMinute', ['timestamptz'], 'int8', (instant) => part('minute', instant)),
  simpleFunction('toSecond', ['timestamptz'], 'int8', (instant) => `floor(extract(second from ${utc(instant)}))::int8`),
  simpleFunction('toYYYYMM', ['timestamptz'], 'int8', (instant) => `to_char(${utc(instant)}, 'YYYYMM')::int8`),
  simpleFunction('toYYYYMMDD', ['timestamptz'], 'int8', (instant) => `to_char(${utc(instant)}, 'YYYYMMDD')::int8`),
  simpleFunction(
    'toUnixTimestamp',
    ['timestamptz'],
    'int8',
    (instant) => `floor(extract(epoch from ${instant}))::int8`,
  ),
  {
    names: ['fromUnixTimestamp'],
    parameterTypes: ['float8'],
    make: ([seconds], position) => value('timestamptz', secondsToInstant(seconds!.sql), position),
  },
  {
    names: ['dateAdd', 'date_add'],
    parameterTypes: ['text', 'int8', 'timestamptz'],
    make: ([unit, amount, instant], position) =>
      shiftInstant(instant!, literalInteger(amount!, 'the amount'), unitOf(unit!), position),
  },
  {
    names: ['dateSub', 'date_sub'],
    parameterTypes: ['text', 'int8', 'timestamptz'],
    make: ([unit, amount, instant], position) =>
      shiftInstant(instant!, -literalInteger(amount!, 'the amount'), unitOf(unit!), position),
  },
  { names: ['dateDiff', 'date_diff'], parameterTypes: ['text', 'timestamptz', 'timestamptz'], make: difference },
  {
    names: ['formatDateTime'],
    parameterTypes: ['timestamptz', 'text'],
    make: ([instant, format], position) => {
      const pattern = formatOf(literalText(format!, 'the format'), format!.at);
      return value('text', `to_char(${utc(instant!.sql)}, ${literal(pattern)})`, position);
    },
  },
];

function startOf(unit: string, type: SqlType, name = `toStartOf${capitalize(unit)}`): SqlFunction {
  return {
    names: [name],
    parameterTypes: ['timestamptz'],
    make: ([instant], position) => convert(value('timestamptz', truncateSql(unit, instant!.sql), position), type),
  };
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The instant at which the unit around an instant began. */
function truncateSql(unit: string, instant: string): string {
  return nullOutsideYears(`(date_trunc(${literal(unit)}, ${utc(instant)}) at time zone 'UTC')`);
}

function unitOf(operand: Value): string {
  return timeUnit(literalText(operand, 'the unit of time'), operand.at);
}

const SECONDS_OF: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 };
const MONTHS_OF: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** Counts the starts of a unit between two instants, as ClickHouse does; negative if the second is earlier. */
function difference([given, from, to]: Value[], position: QueryPosition): Value {
  const unit = unitOf(given!);
  const seconds = SECONDS_OF[unit];
  const count = seconds
    ? (instant: string) => `extract(epoch from date_trunc(${literal(unit)}, ${utc(instant)}))`
    : (instant: string) => {
        const months = `(extract(year from ${utc(instant)}) * 12 + extract(month from ${utc(instant)}) - 1)`;
        return `div(${months}, ${MONTHS_OF[unit]!})`;
      };
  const sql = nameOperands([from!, to!], (a, b) => `((${count(b!)} - ${count(a!)}) / ${seconds ?? 1})::int8`);
  return value('int8', sql, position);
}

/** ClickHouse's format letters, as patterns of `to_char`. */
const FORMATS: Readonly<Record<string, string>> = {
  Y: 'YYYY',
  y: 'YY',
  m: 'MM',
  d: 'DD',
  H: 'HH24',
  i: 'MI',
  S: 'SS',
  f: 'US',
  F: 'YYYY-MM-DD',
  T: 'HH24:MI:SS',
  j: 'DDD',
};
const LONGEST_FORMAT = 100;

function formatOf(format: string, position: QueryPosition): string {
  if (format.length > LONGEST_FORMAT)
    throw invalidQuery(`a format is at most ${LONGEST_FORMAT} characters long`, position);
  return format.replaceAll(/%(.?)|[^%]+/gsu, (piece, letter: string | undefined) => {
    if (letter === undefined) return quoteForFormat(piece);
    if (letter === '%') return quoteForFormat('%');
    const pattern = Object.hasOwn(FORMATS, letter) ? FORMATS[letter] : undefined;
    if (pattern) return pattern;
    throw invalidQuery(`the format has the unknown ${excerpt(piece)}`, position);
  });
}

/** Puts a text into double quotes, which `to_char` copies verbatim, except for backslash escapes. */
function quoteForFormat(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
