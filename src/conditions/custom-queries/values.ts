/** Typed pieces of SQL, to which expressions of custom queries compile. */
import pg from 'pg';
import type { Place } from './syntax.ts';

export type SqlType = 'text' | 'int8' | 'float8' | 'bool' | 'timestamptz' | 'date' | 'jsonb' | 'uuid';

export type Value = {
  /** `null`: NULL as it was written, which fits everywhere. */
  type: SqlType | 'null';
  /** An operand, which needs no further brackets anywhere. Evaluating it never fails, whatever the row holds. */
  sql: string;
  at: Place;
  /** A column or a literal: short and free to evaluate, so that it may be written more than once. */
  plain?: true;
  /** Value of a literal: it is checked when the query is saved, not when it runs. */
  literal?: string;
  /** SQL for the same value as jsonb, for a property, whose type is text. */
  json?: string;
};

export function value(type: SqlType, sql: string, at: Place): Value {
  return { type, sql, at };
}

export function textLiteral(text: string, at: Place): Value {
  return { type: 'text', sql: `${literal(text)}::text`, at, plain: true, literal: text };
}

/** @param text how Postgres and we write it: never the user's own spelling */
export function plainLiteral(type: SqlType, text: string, at: Place): Value {
  return { type, sql: `${literal(text)}::${type}`, at, plain: true };
}

export function column(type: SqlType, sql: string, at: Place): Value {
  return { type, sql, at, plain: true };
}

/** A text as SQL: COPY takes no parameters. */
export function literal(text: string): string {
  return pg.escapeLiteral(text).trimStart();
}

/**
 * Names each value that is more than a column or literal, so that SQL can use it several times: nested expressions would double with each
 * level.
 * @param make makes an expression from one operand for each value
 * @returns an operand
 */
export function mentioning(values: readonly Value[], make: (...operands: string[]) => string): string {
  const named = values.map((one, i) => (one.plain ? undefined : `v${i}`));
  const made = make(...values.map((one, i) => named[i] ?? one.sql));
  const given = values.flatMap((one, i) => (named[i] ? [`${one.sql} as ${named[i]}`] : []));
  // Without OFFSET Postgres would inline the values again.
  return given.length === 0 ? `(${made})` : `(select ${made} from (select ${given.join(', ')} offset 0) as given)`;
}

/**
 * The value where `low` < value < `high`, else NULL. LEAST and GREATEST ignore NULL, so the value is clamped, and a clamped one becomes
 * NULL.
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

/** A type as users know it. */
export function typeName(type: Value['type']): string {
  return TYPE_NAMES[type];
}
