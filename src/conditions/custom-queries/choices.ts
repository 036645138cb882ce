/** Compiles choices between values: CASE, `if`, `coalesce`. */
import { convert, convertImplicitly, widerType } from './conversions.ts';
import { invalidQuery } from './query-errors.ts';
import type { QueryPosition } from './syntax.ts';
import { typeName, value, type Value } from './values.ts';

export type Branch = { when: Value; result: Value };

/** @param otherwise absent: NULL */
export function compileCase(branches: readonly Branch[], otherwise: Value | undefined, position: QueryPosition): Value {
  const results = convertToWidest([...branches.map(({ result }) => result), ...(otherwise ? [otherwise] : [])]);
  const last = otherwise && results.at(-1);
  const branchesSql = branches.map(({ when }, i) => `when ${conditionSql(when)} then ${results[i]!.sql}`).join(' ');
  return value(typeOf(results), `(case ${branchesSql}${last ? ` else ${last.sql}` : ''} end)`, position);
}

/** Compiles `coalesce`: the first value that is not NULL. */
export function compileCoalesce(values: readonly Value[], position: QueryPosition): Value {
  const converted = convertToWidest(values);
  return value(typeOf(converted), `coalesce(${converted.map(({ sql }) => sql).join(', ')})`, position);
}

/** A boolean as SQL. @throws InvalidInput for other types */
export function conditionSql(operand: Value): string {
  return convertImplicitly(operand, 'bool', 'a condition').sql;
}

/** Converts the values to the type that holds them all; text when all are NULL. @throws InvalidInput if that needs a cast */
export function convertToWidest(values: readonly Value[]): Value[] {
  const type = values
    .map((choice) => choice.type)
    .reduce((a, b) => {
      const wider = widerType(a, b);
      if (wider) return wider;
      const types = `${typeName(a)} and ${typeName(b)}`;
      throw invalidQuery(`one of these values has another type than the others (${types}): convert it`, values[0]!.at);
    });
  return values.map((choice) => convert(choice, type === 'null' ? 'text' : type));
}

function typeOf(values: readonly Value[]) {
  const { type } = values[0]!;
  return type === 'null' ? 'text' : type;
}
