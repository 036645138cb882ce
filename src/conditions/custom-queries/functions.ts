/** The functions of custom queries; no others can be called. */
import { convertImplicitly } from './conversions.ts';
import type { SqlFunction } from './function-shape.ts';
import { invalidQuery, excerpt } from './query-errors.ts';
import type { QueryPosition } from './syntax.ts';
import { TEXT_FUNCTIONS } from './text-functions.ts';
import { TIME_FUNCTIONS } from './time-functions.ts';
import { CHOOSING_FUNCTIONS, CONVERTING_FUNCTIONS, JSON_FUNCTIONS, NUMBER_FUNCTIONS } from './value-functions.ts';
import type { Value } from './values.ts';

export const FUNCTIONS: readonly SqlFunction[] = [
  ...CONVERTING_FUNCTIONS,
  ...CHOOSING_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...TIME_FUNCTIONS,
  ...JSON_FUNCTIONS,
];

const BY_NAME: ReadonlyMap<string, SqlFunction> = new Map(
  FUNCTIONS.flatMap((sqlFunction) => sqlFunction.names.map((name) => [name.toLowerCase(), sqlFunction] as const)),
);

const AGGREGATE =
  /^(?:(?:count|sum|avg|min|max|any|anylast|uniq|uniqexact|median|argmin|argmax|grouparray|groupuniqarray)(?:if|distinct)?|quantiles?\w*|(?:array|string|json|jsonb)_agg|bool_and|bool_or|stddev\w*|var\w*)$/i;
const NOW = /^(?:now|now64|today|yesterday|current_timestamp|clock_timestamp)$/i;

/**
 * @param plain whether the call has neither DISTINCT nor `*`
 * @param args compiles the arguments; called only for a known function, so an unknown function is reported before errors in its arguments
 */
export function compileCall(name: string, plain: boolean, args: () => Value[], position: QueryPosition): Value {
  const fn = BY_NAME.get(name.toLowerCase());
  if (!fn) throw invalidQuery(unsupportedMessage(name), position);
  if (!plain) throw invalidQuery(`${name} takes neither DISTINCT nor *`, position);
  const values = args();
  checkArgumentCount(fn, name, values.length, position);
  const converted = values.map((value, i) => {
    const type = fn.parameterTypes[i] ?? fn.parameterTypes.at(-1) ?? 'any';
    return type === 'any' ? value : convertImplicitly(value, type, `argument ${i + 1} of ${name}`);
  });
  return fn.make(converted, position);
}

function unsupportedMessage(name: string): string {
  if (AGGREGATE.test(name)) return `aggregate functions are not supported: ${excerpt(name)}`;
  if (NOW.test(name)) return `${excerpt(name)} would change with every run: use {data_interval_end}`;
  return `the function ${excerpt(name)} is not supported`;
}

const MAX_ARGUMENTS = 100;

function checkArgumentCount(
  { parameterTypes, optional = 0, repeats }: SqlFunction,
  name: string,
  count: number,
  position: QueryPosition,
): void {
  const fewest = parameterTypes.length - optional;
  const most = repeats ? MAX_ARGUMENTS : parameterTypes.length;
  if (count >= fewest && count <= most) return;
  const expected = fewest === most ? `${most}` : `${fewest} to ${most}`;
  throw invalidQuery(`${name} takes ${expected} argument${expected === '1' ? '' : 's'}, not ${count}`, position);
}
