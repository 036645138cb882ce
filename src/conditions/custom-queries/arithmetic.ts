/** Arithmetic of numbers and instants that never overflows; results out of range are NULL. */
import { comparedAs, expect, numericToInt8, withinYears } from './conversions.ts';
import { invalid } from './refusal.ts';
import type { Place } from './syntax.ts';
import { nullUnlessBetween, mentioning, typeName, value, type Value } from './values.ts';

/** Limits of terms and factors, beyond which results are NULL, so no result leaves the range of float8. */
const LARGEST_TERM = "'1e307'::float8";
const LARGEST_FACTOR = "'1e150'::float8";
const SMALLEST_FACTOR = "'1e-150'::float8";

type Numbers = { type: 'int8' | 'float8'; left: Value; right: Value };

/** `+`, `-`, `*` of numbers; integers stay integers. */
export function compileArithmetic(operator: '+' | '-' | '*', a: Value, b: Value, at: Place): Value {
  const { type, left, right } = numbers(operator, a, b);
  if (type === 'int8') {
    return value('int8', numericToInt8(`(${left.sql}::numeric ${operator} ${right.sql}::numeric)`), at);
  }
  if (operator === '*') return factors(left, right, '*', at);
  return value('float8', `(${term(left)} ${operator} ${term(right)})`, at);
}

/** Compiles `/`, whose result is always a float, as in ClickHouse, and NULL for a division by zero. */
export function compileDivision(a: Value, b: Value, at: Place): Value {
  const [left, right] = [expect(a, 'float8', 'an operand of "/"'), expect(b, 'float8', 'an operand of "/"')];
  return factors(left, right, '/', at);
}

/** Compiles `intDiv` and `%`, whose results are integers, and NULL for a division by zero. */
export function compileIntegerDivision(operator: 'intDiv' | '%', a: Value, b: Value, at: Place): Value {
  const [left, right] = [
    expect(a, 'int8', `an operand of ${operator}`),
    expect(b, 'int8', `an operand of ${operator}`),
  ];
  const divisor = `nullif(${right.sql}, 0)::numeric`;
  const sql = operator === '%' ? `mod(${left.sql}::numeric, ${divisor})` : `div(${left.sql}::numeric, ${divisor})`;
  return value('int8', numericToInt8(sql), at);
}

export function negative(a: Value, at: Place): Value {
  if (a.type === 'float8') return value('float8', `(- ${a.sql})`, at);
  if (a.type !== 'int8') return negative(expect(a, 'float8', 'the operand of "-"'), at);
  return value('int8', numericToInt8(`(- ${a.sql}::numeric)`), at);
}

function numbers(operator: string, a: Value, b: Value): Numbers {
  const type = a.type === 'int8' && b.type === 'int8' ? 'int8' : 'float8';
  const what = `an operand of "${operator}"`;
  return { type, left: expect(a, type, what), right: expect(b, type, what) };
}

function term({ sql }: Value): string {
  return nullUnlessBetween(`- ${LARGEST_TERM}`, sql, LARGEST_TERM);
}

/** Whether a number is neither so large nor so small that a product would leave the range of float8. */
function tame(operand: string): string {
  return `abs(${operand}) between ${SMALLEST_FACTOR} and ${LARGEST_FACTOR}`;
}

function factors(left: Value, right: Value, operator: '*' | '/', at: Place): Value {
  const sql = mentioning([left, right], (a, b) => {
    const zero = operator === '*' ? `${a} = 0 or ${b} = 0` : `${a} = 0 and ${b} <> 0`;
    return `case when ${zero} then '0'::float8 when (${tame(a!)}) and (${tame(b!)}) then ${a} ${operator} ${b} end`;
  });
  return value('float8', sql, at);
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
export function timeUnit(name: string, at: Place): string {
  const unit = name.toLowerCase().replace(/s$/, '');
  if (Object.hasOwn(UNITS, unit)) return unit;
  throw invalid(`units of time are ${Object.keys(UNITS).join(', ')}`, at);
}

/** Moves an instant, or a date's midnight, by whole units; by at most 1000 years, so no instant leaves Postgres' range. */
export function shiftInstant(instant: Value, amount: number, unit: string, at: Place): Value {
  const limit = UNITS[unit]!;
  if (Math.abs(amount) > limit) throw invalid(`an interval is at most ${limit} ${unit}s`, at);
  const [months, days, seconds] = lengthOf(amount, unit);
  const length = `make_interval(months => ${months}, days => ${days}, secs => ${seconds})`;
  const from = expect(instant, 'timestamptz', 'what an interval is added to');
  return value('timestamptz', withinYears(`((${from.sql} at time zone 'UTC' + ${length}) at time zone 'UTC')`), at);
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

/** `=`, `<` and the like. @throws InvalidInput for types that cannot be compared */
export function compileComparison(operator: string, a: Value, b: Value, at: Place): Value {
  const [left, right] = comparable([a, b]);
  return value('bool', `(${left!.sql} ${operator} ${right!.sql})`, at);
}

/** Converts the values to one common type. @throws InvalidInput for types that cannot be compared */
export function comparable(values: readonly Value[]): Value[] {
  const type = values.map((one) => one.type).reduce((a, b) => orRefuse(values, a, b));
  if (type === 'jsonb') throw invalid('JSON cannot be compared: compare one of its properties', values[0]!.at);
  return values.map((one) => expect(one, type === 'null' ? 'text' : type, 'a comparison'));
}

function orRefuse(values: readonly Value[], a: Value['type'], b: Value['type']): Value['type'] {
  const type = comparedAs(a, b);
  if (type) return type;
  throw invalid(`${typeName(a)} and ${typeName(b)} cannot be compared`, values[0]!.at);
}
