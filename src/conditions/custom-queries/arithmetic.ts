/** Compiles arithmetic and comparisons. Arithmetic never overflows: a result out of range is NULL. */
import { comparisonType, convertImplicitly, numericToInt8, nullOutsideYears } from './conversions.ts';
import { invalidQuery } from './query-errors.ts';
import type { QueryPosition } from './syntax.ts';
import { nullUnlessBetween, nameOperands, typeName, value, type Value } from './values.ts';

/** Limits of terms and factors, beyond which results are NULL, so no result leaves the range of float8. */
const LARGEST_TERM = "'1e307'::float8";
const LARGEST_FACTOR = "'1e150'::float8";
const SMALLEST_FACTOR = "'1e-150'::float8";

type Numbers = { type: 'int8' | 'float8'; left: Value; right: Value };

/** Compiles `+`, `-` and `*` of numbers; integers stay integers. */
export function compileArithmetic(operator: '+' | '-' | '*', a: Value, b: Value, position: QueryPosition): Value {
  const { type, left, right } = expectNumbers(operator, a, b);
  if (type === 'int8') {
    return value('int8', numericToInt8(`(${left.sql}::numeric ${operator} ${right.sql}::numeric)`), position);
  }
  if (operator === '*') return compileFactors(left, right, '*', position);
  return value('float8', `(${boundedTerm(left)} ${operator} ${boundedTerm(right)})`, position);
}

/** Compiles `/`, whose result is always a float, as in ClickHouse, and NULL for a division by zero. */
export function compileDivision(a: Value, b: Value, position: QueryPosition): Value {
  const [left, right] = [
    convertImplicitly(a, 'float8', 'an operand of "/"'),
    convertImplicitly(b, 'float8', 'an operand of "/"'),
  ];
  return compileFactors(left, right, '/', position);
}

/** Compiles `intDiv` and `%`, whose results are integers, and NULL for a division by zero. */
export function compileIntegerDivision(operator: 'intDiv' | '%', a: Value, b: Value, position: QueryPosition): Value {
  const [left, right] = [
    convertImplicitly(a, 'int8', `an operand of ${operator}`),
    convertImplicitly(b, 'int8', `an operand of ${operator}`),
  ];
  const divisor = `nullif(${right.sql}, 0)::numeric`;
  const sql = operator === '%' ? `mod(${left.sql}::numeric, ${divisor})` : `div(${left.sql}::numeric, ${divisor})`;
  return value('int8', numericToInt8(sql), position);
}

export function compileNegation(a: Value, position: QueryPosition): Value {
  if (a.type === 'float8') return value('float8', `(- ${a.sql})`, position);
  if (a.type !== 'int8') return compileNegation(convertImplicitly(a, 'float8', 'the operand of "-"'), position);
  return value('int8', numericToInt8(`(- ${a.sql}::numeric)`), position);
}

function expectNumbers(operator: string, a: Value, b: Value): Numbers {
  const type = a.type === 'int8' && b.type === 'int8' ? 'int8' : 'float8';
  const subject = `an operand of "${operator}"`;
  return { type, left: convertImplicitly(a, type, subject), right: convertImplicitly(b, type, subject) };
}

function boundedTerm({ sql }: Value): string {
  return nullUnlessBetween(`- ${LARGEST_TERM}`, sql, LARGEST_TERM);
}

/** SQL: whether the operand's magnitude is within the limits of factors. */
function isInFactorRange(operand: string): string {
  return `abs(${operand}) between ${SMALLEST_FACTOR} and ${LARGEST_FACTOR}`;
}

function compileFactors(left: Value, right: Value, operator: '*' | '/', position: QueryPosition): Value {
  const sql = nameOperands([left, right], (a, b) => {
    const zero = operator === '*' ? `${a} = 0 or ${b} = 0` : `${a} = 0 and ${b} <> 0`;
    return `case when ${zero} then '0'::float8 when (${isInFactorRange(a!)}) and (${isInFactorRange(b!)}) then ${a} ${operator} ${b} end`;
  });
  return value('float8', sql, position);
}

/** Units of time, with the number of them in 1000 years. */
const UNITS: Readonly<Record<string, number>> = {
  second: 31_556_952_000,
  minute: 525_949_200,
  hour: 8_765_820,
  day: 365_242,
  week: 52_177,
  month: 12_000,
  quarter: 4_000,
  year: 1_000,
};

/** @throws InvalidInput for an unknown unit of time; `day` and `days` are both known */
export function timeUnit(name: string, position: QueryPosition): string {
  const unit = name.toLowerCase().replace(/s$/, '');
  if (Object.hasOwn(UNITS, unit)) return unit;
  throw invalidQuery(`units of time are ${Object.keys(UNITS).join(', ')}`, position);
}

/** Moves an instant, or a date's midnight, by whole units; by at most 1000 years, so no instant leaves Postgres' range. */
export function shiftInstant(instant: Value, amount: number, unit: string, position: QueryPosition): Value {
  const limit = UNITS[unit]!;
  if (Math.abs(amount) > limit) throw invalidQuery(`an interval is at most ${limit} ${unit}s`, position);
  const [months, days, seconds] = lengthOf(amount, unit);
  const length = `make_interval(months => ${months}, days => ${days}, secs => ${seconds})`;
  const from = convertImplicitly(instant, 'timestamptz', 'what an interval is added to');
  return value(
    'timestamptz',
    nullOutsideYears(`((${from.sql} at time zone 'UTC' + ${length}) at time zone 'UTC')`),
    position,
  );
}

function lengthOf(amount: number, unit: string): [months: number, days: number, seconds: number] {
  if (unit === 'year') return [amount * 12, 0, 0];
  if (unit === 'quarter') return [amount * 3, 0, 0];
  if (unit === 'month') return [amount, 0, 0];
  if (unit === 'week') return [0, amount * 7, 0];
  if (unit === 'day') return [0, amount, 0];
  const seconds: Readonly<Record<string, number>> = { hour: 3600, minute: 60, second: 1 };
  return [0, 0, amount * seconds[unit]!];
}

/** Compiles `=`, `<` and the like. @throws InvalidInput for types that cannot be compared */
export function compileComparison(operator: string, a: Value, b: Value, position: QueryPosition): Value {
  const [left, right] = convertToCommonType([a, b]);
  return value('bool', `(${left!.sql} ${operator} ${right!.sql})`, position);
}

/** Converts the values to one common type. @throws InvalidInput for types that cannot be compared */
export function convertToCommonType(values: readonly Value[]): Value[] {
  const type = values.map((operand) => operand.type).reduce((a, b) => commonType(values, a, b));
  if (type === 'jsonb') throw invalidQuery('JSON cannot be compared: compare one of its properties', values[0]!.at);
  return values.map((operand) => convertImplicitly(operand, type === 'null' ? 'text' : type, 'a comparison'));
}

function commonType(values: readonly Value[], a: Value['type'], b: Value['type']): Value['type'] {
  const type = comparisonType(a, b);
  if (type) return type;
  throw invalidQuery(`${typeName(a)} and ${typeName(b)} cannot be compared`, values[0]!.at);
}
