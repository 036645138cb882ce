/** Compiles choices between values: CASE, `if`, `coalesce`. */
import { convert, convertImplicitly, widerType } from './conversions.ts';
import { invalidQuery } from './refusal.ts';
import type { QueryPosition } from './syntax.ts';
import { typeName, value, type Value } from './values.ts';

export type Branch = { when: Value; result: Value };

/** @param otherwise absent: NULL */
export function compileCase(branches: readonly Branch[], otherwise: Value | undefined, at: QueryPosition): Value {
  const results = convertToWidest([...branches.map(({ result }) => result), ...(otherwise ? [otherwise] : [])]);
  const last = otherwise && results.at(-1);
  const written = branches.map(({ when }, i) => `when ${conditionSql(when)} then ${results[i]!.sql}`).join(' ');
  return value(typeOf(results), `(case ${written}${last ? ` else ${last.sql}` : ''} end)`, at);
}

/** The first value that is not NULL. */
export function compileCoalesce(values: readonly Value[], at: QueryPosition): Value {
  const same = convertToWidest(values);
  return value(typeOf(same), `coalesce(${same.map(({ sql }) => sql).join(', ')})`, at);
}

/** A boolean as SQL. @throws InvalidInput for other types */
export function conditionSql(given: Value): string {
  return convertImplicitly(given, 'bool', 'a condition').sql;
}

/** Converts the values to the type that holds them all; text when all are NULL. @throws InvalidInput if that needs a cast */
export function convertToWidest(values: readonly Value[]): Value[] {
  const type = values
    .map((one) => one.type)
    .reduce((a, b) => {
      const wider = widerType(a, b);
      if (wider) return wider;
      const types = `${typeName(a)} and ${typeName(b)}`;
      throw invalidQuery(`one of these values has another type than the others (${types}): convert it`, values[0]!.at);
    });
  return values.map((one) => convert(one, type === 'null' ? 'text' : type));
}

function typeOf(values: readonly Value[]) {
  const { type } = values[0]!;
  return type === 'null' ? 'text' : type;
}
