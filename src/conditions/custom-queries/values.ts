/** Typed SQL fragments, to which expressions of custom queries compile. */
import pg from 'pg';
import type { QueryPosition } from './syntax.ts';

export type SqlType = 'text' | 'int8' | 'float8' | 'bool' | 'timestamptz' | 'date' | 'jsonb' | 'uuid';

export type Value = {
  /** `null`: a literal NULL, which fits any type. */
  type: SqlType | 'null';
  /** An operand that needs no brackets, and whose evaluation does not fail for any row. */
  sql: string;
  at: QueryPosition;
  /** Set for a column or a literal, which is short and cheap, so it may be repeated in SQL. */
  isRepeatable?: true;
  /** Value of a text literal, which is checked when the query is compiled rather than when it runs. */
  literal?: string;
  /** SQL of the same value as jsonb, for a property, which is text otherwise. */
  json?: string;
};

export function value(type: SqlType, sql: string, position: QueryPosition): Value {
  return { type, sql, at: position };
}

export function textLiteral(text: string, position: QueryPosition): Value {
  return { type: 'text', sql: `${literal(text)}::text`, at: position, isRepeatable: true, literal: text };
}

/** @param text normalized notation, never the user's own text */
export function plainLiteral(type: SqlType, text: string, position: QueryPosition): Value {
  return { type, sql: `${literal(text)}::${type}`, at: position, isRepeatable: true };
}

export function column(type: SqlType, sql: string, position: QueryPosition): Value {
  return { type, sql, at: position, isRepeatable: true };
}

/** Text as an SQL literal, because COPY takes no parameters. */
export function literal(text: string): string {
  return pg.escapeLiteral(text).trimStart();
}

/**
 * Names each value other than a column or a literal, so SQL can use it several times. Repeating a value's SQL instead would double its size
 * with each nested level.
 * @param make builds an expression from one operand per value
 * @returns an operand
 */
export function nameOperands(values: readonly Value[], make: (...operands: string[]) => string): string {
  const names = values.map((operand, i) => (operand.isRepeatable ? undefined : `v${i}`));
  const sql = make(...values.map((operand, i) => names[i] ?? operand.sql));
  const selected = values.flatMap((operand, i) => (names[i] ? [`${operand.sql} as ${names[i]}`] : []));
  // OFFSET keeps Postgres from inlining the values.
  return selected.length === 0 ? `(${sql})` : `(select ${sql} from (select ${selected.join(', ')} offset 0) as given)`;
}

/**
 * The value if `low` < value < `high`, else NULL: clamps it to the limits, and turns the limits into NULL. NULL becomes `low` and so NULL,
 * because LEAST and GREATEST ignore it.
 * @param sql an operand of the limits' type
 */
export function nullUnlessBetween(low: string, sql: string, high: string): string {
  return `nullif(nullif(least(greatest(${sql}, ${low}), ${high}), ${low}), ${high})`;
}

const TYPE_NAMES: Readonly<Record<Value['type'], string>> = {
  text: 'text',
  int8: 'integer',
  float8: 'float',
  bool: 'boolean',
  timestamptz: 'timestamp',
  date: 'date',
  jsonb: 'JSON',
  uuid: 'UUID',
  null: 'NULL',
};

/** Name of a type in error messages. */
export function typeName(type: Value['type']): string {
  return TYPE_NAMES[type];
}
