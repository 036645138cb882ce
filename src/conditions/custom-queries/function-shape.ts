/** Declaration of a function of custom queries. */
import type { QueryPosition } from './syntax.ts';
import { invalidQuery } from './refusal.ts';
import { value, type SqlType, type Value } from './values.ts';

export type SqlFunction = {
  /** Names of the function, in any case; the documentation shows the first. */
  names: readonly string[];
  /** Types to which the arguments are converted. */
  takes: readonly (SqlType | 'any')[];
  /** Number of trailing arguments that may be omitted. */
  optional?: number;
  /** Whether the last argument may be repeated. */
  repeats?: true;
  /** @returns SQL that raises no error, whatever the row */
  make(args: Value[], at: QueryPosition): Value;
};

/** A function whose SQL mentions each operand once. */
export function simpleFunction(
  names: string,
  takes: readonly SqlType[],
  gives: SqlType,
  sql: (...operands: string[]) => string,
): SqlFunction {
  return {
    names: names.split(' '),
    takes,
    make: (args, at) => value(gives, `(${sql(...args.map((arg) => arg.sql))})`, at),
  };
}

/** @throws InvalidInput for anything but a text literal */
export function literalText(given: Value, what: string): string {
  if (given.literal !== undefined) return given.literal;
  throw invalidQuery(`${what} must be a text literal`, given.at);
}

/** @throws InvalidInput for anything but an integer literal */
export function literalInteger(given: Value, what: string): number {
  const written = given.type === 'int8' && given.plain ? /^'(-?\d{1,15})'::int8$/.exec(given.sql) : null;
  if (written) return Number(written[1]);
  throw invalidQuery(`${what} must be an integer literal`, given.at);
}
