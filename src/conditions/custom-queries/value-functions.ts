/** Functions on numbers and JSON, conversions, and choices between values. */
import { convertToCommonType, compileIntegerDivision } from './arithmetic.ts';
import { compileCase, compileCoalesce, convertToWidest } from './choices.ts';
import { convert, convertImplicitly, numericToInt8 } from './conversions.ts';
import { property } from './fields.ts';
import { simpleFunction, literalInteger, type SqlFunction } from './function-shape.ts';
import { invalidQuery } from './query-errors.ts';
import type { QueryPosition, Step } from './syntax.ts';
import { nullUnlessBetween, nameOperands, value, type SqlType, type Value } from './values.ts';

export const CONVERTING_FUNCTIONS: readonly SqlFunction[] = [
  conversionFunction('text', 'toString'),
  conversionFunction('int8', 'toInt', 'toInt64', 'toInt32', 'toIntOrNull'),
  conversionFunction('float8', 'toFloat', 'toFloat64', 'toFloatOrNull'),
  conversionFunction('bool', 'toBool'),
  conversionFunction(
    'timestamptz',
    'toDateTime',
    'toDateTime64',
    'parseDateTimeBestEffort',
    'parseDateTimeBestEffortOrNull',
  ),
  conversionFunction('date', 'toDate', 'toDateOrNull'),
  conversionFunction('uuid', 'toUUID', 'toUUIDOrNull'),
];

export const NUMBER_FUNCTIONS: readonly SqlFunction[] = [
  ...['floor', 'ceil', 'sign', 'trunc'].map((name) => {
    const names = name === 'ceil' ? 'ceil ceiling' : name;
    return simpleFunction(names, ['float8'], 'float8', (number) => `${name}(${number})`);
  }),
  simpleFunction(
    'sqrt',
    ['float8'],
    'float8',
    (number) => `sqrt(${nullUnlessBetween("'-5e-324'::float8", number, "'1e308'::float8")})`,
  ),
  {
    names: ['round'],
    parameterTypes: ['float8', 'int8'],
    optional: 1,
    make: ([number, digits], position) => {
      if (!digits) return value('float8', `round(${number!.sql})`, position);
      const decimals = literalInteger(digits, 'the second argument of round');
      if (Math.abs(decimals) > 15) throw invalidQuery('round takes at most 15 digits', digits.at);
      const bounded = nullUnlessBetween("'-1e307'::float8", number!.sql, "'1e307'::float8");
      return value('float8', `round(${bounded}::numeric, ${decimals})::float8`, position);
    },
  },
  {
    names: ['abs'],
    parameterTypes: ['any'],
    make: ([number], position) => {
      if (number!.type === 'int8') return value('int8', numericToInt8(`abs(${number!.sql}::numeric)`), position);
      return value('float8', `abs(${convertImplicitly(number!, 'float8', 'the argument of abs').sql})`, position);
    },
  },
  {
    names: ['intDiv'],
    parameterTypes: ['int8', 'int8'],
    make: ([a, b], position) => compileIntegerDivision('intDiv', a!, b!, position),
  },
  {
    names: ['modulo'],
    parameterTypes: ['int8', 'int8'],
    make: ([a, b], position) => compileIntegerDivision('%', a!, b!, position),
  },
];

export const JSON_FUNCTIONS: readonly SqlFunction[] = [
  extractionFunction('text', 'JSONExtractString'),
  extractionFunction('int8', 'JSONExtractInt'),
  extractionFunction('float8', 'JSONExtractFloat'),
  extractionFunction('bool', 'JSONExtractBool'),
  extractionFunction('jsonb', 'JSONExtractRaw'),
  {
    names: ['JSONHas'],
    parameterTypes: ['jsonb', 'any'],
    repeats: true,
    make: ([json, ...path], position) =>
      value('bool', `(${convert(valueAt(json!, path, position), 'jsonb').sql} is not null)`, position),
  },
  {
    names: ['JSONLength'],
    parameterTypes: ['jsonb', 'any'],
    optional: 1,
    repeats: true,
    make: ([json, ...path], position) => {
      const target = path.length > 0 ? valueAt(json!, path, position) : json!;
      const sql = nameOperands([convert(target, 'jsonb')], (array) => {
        return `case when jsonb_typeof(${array}) = 'array' then jsonb_array_length(${array})::int8 end`;
      });
      return value('int8', sql, position);
    },
  },
];

export const CHOOSING_FUNCTIONS: readonly SqlFunction[] = [
  {
    names: ['if'],
    parameterTypes: ['bool', 'any', 'any'],
    make: ([when, result, otherwise], position) => compileCase([{ when: when!, result: result! }], otherwise, position),
  },
  {
    names: ['multiIf'],
    parameterTypes: ['any'],
    repeats: true,
    make: (args, position) => {
      if (args.length < 3 || args.length % 2 === 0) {
        throw invalidQuery('multiIf takes conditions, each with a value, and one more value', position);
      }
      const branches = args.slice(0, -1).flatMap((when, i) => (i % 2 === 0 ? [{ when, result: args[i + 1]! }] : []));
      return compileCase(branches, args.at(-1), position);
    },
  },
  { names: ['coalesce', 'ifNull'], parameterTypes: ['any'], repeats: true, make: compileCoalesce },
  {
    names: ['nullIf'],
    parameterTypes: ['any', 'any'],
    make: ([given, unwanted], position) => {
      const [a, b] = convertToCommonType([given!, unwanted!]);
      return value(a!.type as SqlType, `nullif(${a!.sql}, ${b!.sql})`, position);
    },
  },
  {
    names: ['isNull'],
    parameterTypes: ['any'],
    make: ([given], position) => value('bool', `(${given!.sql} is null)`, position),
  },
  {
    names: ['isNotNull'],
    parameterTypes: ['any'],
    make: ([given], position) => value('bool', `(${given!.sql} is not null)`, position),
  },
  extremeFunction('greatest'),
  extremeFunction('least'),
];

function conversionFunction(type: SqlType, ...names: string[]): SqlFunction {
  return { names, parameterTypes: ['any'], make: ([given]) => convert(given!, type) };
}

function extractionFunction(type: SqlType, name: string): SqlFunction {
  return {
    names: [name],
    parameterTypes: ['jsonb', 'any'],
    optional: type === 'jsonb' ? 1 : 0,
    repeats: true,
    make: ([json, ...path], position) => (path.length > 0 ? convert(valueAt(json!, path, position), type) : json!),
  };
}

/** Declares `greatest` or `least`, which are NULL only if all their arguments are. */
function extremeFunction(name: 'greatest' | 'least'): SqlFunction {
  return {
    names: [name],
    parameterTypes: ['any'],
    repeats: true,
    make: (args, position) => {
      const values = convertToWidest(args);
      const type = values[0]!.type as SqlType;
      if (type === 'jsonb') throw invalidQuery('JSON cannot be compared', position);
      return value(type, `${name}(${values.map(({ sql }) => sql).join(', ')})`, position);
    },
  };
}

/** The value in JSON at a path of literal keys and indexes. */
function valueAt(json: Value, path: readonly Value[], position: QueryPosition): Value {
  return property(json, path.map(step), position);
}

function step(key: Value): Step {
  if (key.literal !== undefined) return key.literal;
  const index = literalInteger(key, 'a key of JSON');
  if (index >= 1 && index <= 1_000_000) return index;
  throw invalidQuery('array indexes are whole numbers, from 1 on', key.at);
}
