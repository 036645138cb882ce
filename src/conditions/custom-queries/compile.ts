/**
 * Compiles custom queries: one SELECT over events or persons, in HogQL's syntax, to SQL expressions over that relation. Callers add
 * project, interval and cutoff, so a query cannot reach another table or another project's rows.
 *
 * The text is parsed, every node of the tree must be an allowed one, and new SQL is generated from the tree. So characters of the query
 * reach Postgres only inside of escaped literals. The SQL does not fail for any row.
 */
import type { ColumnType } from '../rows/columns.ts';
import { conditionSql } from './choices.ts';
import { convert } from './conversions.ts';
import { compileNode, MAX_SQL, type QueryContext } from './expressions.ts';
import { starFields, fieldsOf, type Relation } from './fields.ts';
import { parseExpression, parseStatement } from './parser.ts';
import { invalidQuery, excerpt, queryError } from './query-errors.ts';
import type { Expression, Item, QueryPosition, Statement } from './syntax.ts';

export type { Relation } from './fields.ts';

/** The data interval that the placeholders stand for; ISO instants. */
export type QueryInterval = { start: string; end: string };

export type CompiledColumn = {
  name: string;
  type: ColumnType;
  /** An operand over the relation's columns. */
  sql: string;
  /** The expression as written in the query. */
  expression: string;
};

export type CompiledQuery = {
  relation: Relation;
  /** Columns in the order of the query. */
  columns: readonly CompiledColumn[];
  /** A boolean operand that is never NULL. */
  where: string;
};

const MAX_COLUMNS = 200;
/** Longest name of a column; Postgres truncates longer ones. */
const MAX_NAME_BYTES = 63;

/**
 * @param text a `hogql_query`
 * @param interval value of the placeholders; columns and types do not depend on it
 * @throws InvalidInput for `hogql_query`, naming the unsupported part and its position
 */
export function compileQuery(text: string, interval: QueryInterval): CompiledQuery {
  const statement = parseStatement(text);
  const relation = relationOf(statement);
  const context: QueryContext = { fields: fieldsOf(relation, statement.from?.alias ?? null), interval };
  const columns = statement.items.flatMap((item) => columnsOf(item, relation, context));
  const where = statement.where ? filterSql(statement.where, context) : 'true';
  context.fields.throwIfUnknown();
  checkNames(columns);
  let length = where.length;
  for (const { sql, at } of columns) {
    length += sql.length;
    if (length > MAX_SQL) throw invalidQuery('the query becomes too large', at);
  }
  return { relation, columns: columns.map(withoutPosition), where };
}

/**
 * @param text one boolean expression over the relation, as a filter of type `hogql` holds it
 * @returns a boolean operand that is never NULL
 * @throws InvalidInput like `compileQuery`
 */
export function compileExpression(text: string, relation: Relation, interval: QueryInterval): string {
  const context: QueryContext = { fields: fieldsOf(relation, null), interval };
  const sql = filterSql(parseExpression(text), context);
  context.fields.throwIfUnknown();
  return sql;
}

/** Adds IS TRUE, so Postgres sees one condition rather than hundreds, for which its planner takes quadratic time. */
function filterSql(expression: Expression, context: QueryContext): string {
  return `(${conditionSql(compileNode(expression, context))} is true)`;
}

function relationOf({ from }: Statement): Relation {
  if (!from) throw queryError('Query must SELECT FROM events');
  const name = from.name.toLowerCase();
  if (name === 'events' || name === 'persons') return name;
  throw queryError(`Query must only SELECT FROM events or persons, not ${excerpt(from.name)}`);
}

type ColumnWithPosition = CompiledColumn & { at: QueryPosition };

function columnsOf(item: Item, relation: Relation, context: QueryContext): ColumnWithPosition[] {
  if (item.kind === 'expression') {
    return [columnOf(item.alias ?? fieldName(item.value), item.value, item.source, context)];
  }
  return starFields(relation).map((name) =>
    columnOf(name, { kind: 'path', steps: [name], at: item.at }, name, context),
  );
}

function columnOf(name: string, value: Expression, expression: string, context: QueryContext): ColumnWithPosition {
  const compiled = compileNode(value, context);
  const { type, sql } = compiled.type === 'null' ? convert(compiled, 'text') : compiled;
  return { name, type: type as ColumnType, sql, expression, at: value.at };
}

function withoutPosition({ name, type, sql, expression }: ColumnWithPosition): CompiledColumn {
  return { name, type, sql, expression };
}

/** Names a field or a property by the end of its path. */
function fieldName({ at, ...expression }: Expression): string {
  const last = expression.kind === 'path' ? expression.steps.at(-1) : undefined;
  if (typeof last === 'string') return last;
  throw invalidQuery('every selected expression must be a field or have an alias', at);
}

function checkNames(columns: readonly ColumnWithPosition[]): void {
  const seen = new Set<string>();
  for (const { name, at } of columns) {
    const folded = name.toLowerCase();
    if (!/^[\p{L}\p{N}_$][\p{L}\p{N}_$ .:/-]*$/u.test(name) || Buffer.byteLength(name) > MAX_NAME_BYTES) {
      throw invalidQuery(`${excerpt(name)} cannot be a column's name: give it an alias of letters, digits and _`, at);
    }
    if (folded.startsWith('_sluice_'))
      throw invalidQuery(`names that begin with _sluice_ are ours: ${excerpt(name)}`, at);
    if (seen.has(folded)) throw invalidQuery(`two columns are named ${excerpt(name)}`, at);
    seen.add(folded);
  }
  if (columns.length > MAX_COLUMNS) throw invalidQuery(`more than ${MAX_COLUMNS} columns`, columns[MAX_COLUMNS]!.at);
}
