/** Declaration of a function of custom queries. */
import type { QueryPosition } from './syntax.ts';
import { invalidQuery } from './query-errors.ts';
import { value, type SqlType, type Value } from './values.ts';

export type SqlFunction = {
  /** Names of the function, in any case; the documentation shows the first. */
  names: readonly string[];
  /** Types to which the arguments are converted. */
  parameterTypes: readonly (SqlType | 'any')[];
  /** Number of trailing arguments that may be omitted. */
  optional?: number;
  /** Whether the last argument may be repeated. */
  repeats?: true;
  /** @returns SQL that raises no error for any row */
  make(args: Value[], position: QueryPosition): Value;
};

/** A function whose SQL mentions each operand once. */
export function simpleFunction(
  names: string,
  parameters: readonly SqlType[],
  returns: SqlType,
  sql: (...operands: string[]) => string,
): SqlFunction {
  return {
    names: names.split(' '),
    parameterTypes: parameters,
    make: (args, position) => value(returns, `(${sql(...args.map((arg) => arg.sql))})`, position),
  };
}

/** @throws InvalidInput for anything but a text literal */
export function literalText(operand: Value, subject: string): string {
  if (operand.literal !== undefined) return operand.literal;
  throw invalidQuery(`${subject} must be a text literal`, operand.at);
}

/** @throws InvalidInput for anything but an integer literal */
export function literalInteger(operand: Value, subject: string): number {
  const match = operand.type === 'int8' && operand.isRepeatable ? /^'(-?\d{1,15})'::int8$/.exec(operand.sql) : null;
  if (match) return Number(match[1]);
  throw invalidQuery(`${subject} must be an integer literal`, operand.at);
}
