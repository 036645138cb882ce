/** Compiles the tree of an expression to typed SQL. Only the kinds of nodes listed here are allowed. */
import {
  convertToCommonType,
  compileComparison,
  compileArithmetic,
  compileDivision,
  compileIntegerDivision,
  compileNegation,
  shiftInstant,
  timeUnit,
} from './arithmetic.ts';
import { compileCase, conditionSql } from './choices.ts';
import { convert, convertImplicitly } from './conversions.ts';
import type { Fields } from './fields.ts';
import { compileCall } from './functions.ts';
import { concatenate, likePattern } from './text-functions.ts';
import { invalidQuery, excerpt } from './query-errors.ts';
import type { Expression, Kind } from './syntax.ts';
import { literal, plainLiteral, textLiteral, value, type SqlType, type Value } from './values.ts';

/** Meanings of the names and placeholders in an expression; instants are ISO text. */
export type QueryContext = { fields: Fields; interval: { start: string; end: string } };

/** Maximum depth of an expression, beyond which Postgres might run out of stack. */
const MAX_DEPTH = 100;
/** Limit for an expression's SQL, in characters. */
export const MAX_SQL = 1_000_000;

type NodeOf<K extends Kind> = Extract<Expression, { kind: K }>;
type Compilers = {
  readonly [K in Kind]: (node: NodeOf<K>, compile: (inner: Expression) => Value, scope: QueryContext) => Value;
};

/** @throws InvalidInput for constructs that custom queries do not allow, and for types that do not fit */
export function compileNode(expression: Expression, scope: QueryContext, depth = 1): Value {
  if (depth > MAX_DEPTH) throw invalidQuery(`the expression is more than ${MAX_DEPTH} levels deep`, expression.at);
  const compile = COMPILERS[expression.kind] as Compilers[Kind] as Compile;
  const compiled = compile(expression, (inner) => compileNode(inner, scope, depth + 1), scope);
  // Some parts are repeated in the SQL, such as the operand of a CASE, so each nested level may multiply its size.
  // tooth: expression-size
  if (compiled.sql.length > MAX_SQL) throw invalidQuery('the expression becomes too large', expression.at);
  return { ...compiled, at: expression.at };
}

type Compile = (node: Expression, compile: (inner: Expression) => Value, context: QueryContext) => Value;

const COMPILERS: Compilers = {
  text: ({ value: text, at }) => textLiteral(text, at),
  number: ({ value: text, at }) => number(text, at),
  bool: ({ value: bool, at }) => plainLiteral('bool', String(bool), at),
  null: ({ at }) => ({ type: 'null', sql: 'null', at, isRepeatable: true }),
  placeholder: ({ name, at }, _, { interval }) => {
    if (name === 'data_interval_start') return plainLiteral('timestamptz', interval.start, at);
    if (name === 'data_interval_end') return plainLiteral('timestamptz', interval.end, at);
    throw invalidQuery(
      `only {data_interval_start} and {data_interval_end} are supported, not ${excerpt(`{${name}}`)}`,
      at,
    );
  },
  interval: ({ at }) => {
    throw invalidQuery('an INTERVAL can only be added to a timestamp or subtracted from one', at);
  },
  path: ({ steps, at }, _, { fields }) => fields.read(steps, at),
  call: ({ name, args, hasPlainArgs, at }, compile) => compileCall(name, hasPlainArgs, () => args.map(compile), at),
  cast: ({ value: inner, type, at }, compile) => convert(compile(inner), findType(type, at)),
  case: ({ subject, branches, otherwise, at }, compile) => {
    const compiledSubject = subject && compile(subject);
    const branchValues = branches.map(({ when, result }) => {
      const operand = compile(when);
      return {
        when: compiledSubject ? compileComparison('=', compiledSubject, operand, when.at) : operand,
        result: compile(result),
      };
    });
    return compileCase(branchValues, otherwise ? compile(otherwise) : undefined, at);
  },
  logical: ({ operator, terms, at }, compile) => {
    return value('bool', `(${terms.map((term) => conditionSql(compile(term))).join(` ${operator} `)})`, at);
  },
  not: ({ value: inner, at }, compile) => value('bool', `(not ${conditionSql(compile(inner))})`, at),
  negative: ({ value: inner, at }, compile) => {
    if (inner.kind === 'number') return number(`-${inner.value}`, at);
    return compileNegation(compile(inner), at);
  },
  binary: ({ operator, left, right, at }, compile) => {
    if (right.kind === 'interval' && (operator === '+' || operator === '-')) {
      const amount = Number(`${operator}${right.amount}`);
      if (!Number.isInteger(amount)) throw invalidQuery('an INTERVAL is a whole number of units', right.at);
      return shiftInstant(compile(left), amount, timeUnit(right.unit, right.at), at);
    }
    const [a, b] = [compile(left), compile(right)];
    if (operator === '+' || operator === '-' || operator === '*') return compileArithmetic(operator, a, b, at);
    if (operator === '/') return compileDivision(a, b, at);
    if (operator === '%') return compileIntegerDivision('%', a, b, at);
    return operator === '||' ? concatenate([a, b], at) : compileComparison(operator, a, b, at);
  },
  'is null': ({ value: inner, negated, at }, compile) => {
    return value('bool', `(${compile(inner).sql} is ${negated ? 'not ' : ''}null)`, at);
  },
  in: ({ value: inner, list, negated, at }, compile) => {
    const [operand, ...others] = convertToCommonType([compile(inner), ...list.map(compile)]);
    const listSql = others.map(({ sql }) => sql).join(', ');
    return value('bool', `(${operand!.sql} ${negated ? 'not ' : ''}in (${listSql}))`, at);
  },
  like: ({ value: inner, pattern, ignoreCase, negated, at }, compile) => {
    const operand = convertImplicitly(compile(inner), 'text', 'the left side of LIKE');
    const operator = `${negated ? 'not ' : ''}${ignoreCase ? 'ilike' : 'like'}`;
    return value('bool', `(${operand.sql} ${operator} ${literal(likePattern(compile(pattern)))})`, at);
  },
  between: ({ value: inner, low, high, negated, at }, compile) => {
    const [operand, from, to] = convertToCommonType([compile(inner), compile(low), compile(high)]);
    return value('bool', `(${operand!.sql} ${negated ? 'not ' : ''}between ${from!.sql} and ${to!.sql})`, at);
  },
};

const LARGEST_INT8 = 2n ** 63n - 1n;

/** Compiles a number, in normalized notation; an integer if it has no fraction and no exponent. */
function number(text: string, position: Expression['at']): Value {
  if (/^-?\d+$/.test(text)) {
    const whole = BigInt(text);
    if (whole > LARGEST_INT8 || whole < -LARGEST_INT8 - 1n) throw invalidQuery('the number is too large', position);
    return plainLiteral('int8', String(whole), position);
  }
  const float = Number(text);
  if (!Number.isFinite(float)) throw invalidQuery('the number is too large', position);
  return plainLiteral('float8', String(float), position);
}

const TYPES: Readonly<Record<string, SqlType>> = {
  ...typeNames('text', 'text', 'string', 'varchar'),
  ...typeNames('int8', 'int', 'int32', 'int64', 'integer', 'bigint', 'int8'),
  ...typeNames('float8', 'float', 'float64', 'double', 'float8'),
  ...typeNames('bool', 'bool', 'boolean'),
  ...typeNames('timestamptz', 'datetime', 'datetime64', 'timestamp', 'timestamptz'),
  ...typeNames('date', 'date'),
  ...typeNames('uuid', 'uuid'),
  ...typeNames('jsonb', 'json', 'jsonb'),
};

function typeNames(type: SqlType, ...names: string[]): Record<string, SqlType> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

function findType(name: string, position: Expression['at']): SqlType {
  const lower = name.toLowerCase();
  const type = Object.hasOwn(TYPES, lower) ? TYPES[lower] : undefined;
  if (type) return type;
  throw invalidQuery(
    `there is no type ${excerpt(name)}: use String, Int, Float, Bool, DateTime, Date, UUID or JSON`,
    position,
  );
}
