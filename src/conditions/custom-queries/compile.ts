/**
 * Compiles custom queries: one SELECT over events or persons, in HogQL's syntax, to SQL expressions over that relation. Callers add
 * project, interval and cutoff, so a query cannot reach another table or another project's rows.
 *
 * The text is parsed, every node of the tree must be an allowed one, and new SQL is generated from the tree. So characters of the query
 * reach Postgres only inside of escaped literals. The SQL does not fail for any row.
 */
import type { ColumnType } from '../rows/columns.ts';
import { condition } from './choices.ts';
import { convert } from './conversions.ts';
import { compileNode, LONGEST_SQL, type Scope } from './expressions.ts';
import { everything, fieldsOf, type Relation } from './fields.ts';
import { parseExpression, parseStatement } from './parser.ts';
import { invalid, excerpt, queryRefusal } from './refusal.ts';
import type { Expression, Item, Place, Statement } from './syntax.ts';

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
const LONGEST_NAME_BYTES = 63;

/**
 * @param text a `hogql_query`
 * @param interval value of the placeholders; columns and types do not depend on it
 * @throws InvalidInput for `hogql_query`, naming the unsupported part and its position
 */
export function compileQuery(text: string, interval: QueryInterval): CompiledQuery {
  const statement = parseStatement(text);
  const relation = relationOf(statement);
  const scope: Scope = { fields: fieldsOf(relation, statement.from?.alias ?? null), interval };
  const columns = statement.items.flatMap((item) => columnsOf(item, relation, scope));
  const where = statement.where ? filter(statement.where, scope) : 'true';
  scope.fields.refuseUnknown();
  refuseNames(columns);
  let length = where.length;
  for (const { sql, at } of columns) {
    length += sql.length;
    if (length > LONGEST_SQL) throw invalid('the query becomes too large', at);
  }
  return { relation, columns: columns.map(withoutPlace), where };
}

/**
 * @param text one boolean expression over the relation, as a filter of type `hogql` holds it
 * @returns a boolean operand that is never NULL
 * @throws InvalidInput like `compileQuery`
 */
export function compileExpression(text: string, relation: Relation, interval: QueryInterval): string {
  const scope: Scope = { fields: fieldsOf(relation, null), interval };
  const sql = filter(parseExpression(text), scope);
  scope.fields.refuseUnknown();
  return sql;
}

/** Adds IS TRUE, so Postgres sees one condition rather than hundreds, for which its planner takes quadratic time. */
function filter(expression: Expression, scope: Scope): string {
  return `(${condition(compileNode(expression, scope))} is true)`;
}

function relationOf({ from }: Statement): Relation {
  if (!from) throw queryRefusal('Query must SELECT FROM events');
  const name = from.name.toLowerCase();
  if (name === 'events' || name === 'persons') return name;
  throw queryRefusal(`Query must only SELECT FROM events or persons, not ${excerpt(from.name)}`);
}

type PlacedColumn = CompiledColumn & { at: Place };

function columnsOf(item: Item, relation: Relation, scope: Scope): PlacedColumn[] {
  if (item.kind === 'expression') {
    return [columnOf(item.alias ?? fieldName(item.value), item.value, item.source, scope)];
  }
  return everything(relation).map((name) => columnOf(name, { kind: 'path', steps: [name], at: item.at }, name, scope));
}

function columnOf(name: string, value: Expression, expression: string, scope: Scope): PlacedColumn {
  const given = compileNode(value, scope);
  const { type, sql } = given.type === 'null' ? convert(given, 'text') : given;
  return { name, type: type as ColumnType, sql, expression, at: value.at };
}

function withoutPlace({ name, type, sql, expression }: PlacedColumn): CompiledColumn {
  return { name, type, sql, expression };
}

/** Names a field or a property by the end of its path. */
function fieldName({ at, ...expression }: Expression): string {
  const last = expression.kind === 'path' ? expression.steps.at(-1) : undefined;
  if (typeof last === 'string') return last;
  throw invalid('every selected expression must be a field or have an alias', at);
}

function refuseNames(columns: readonly PlacedColumn[]): void {
  const seen = new Set<string>();
  for (const { name, at } of columns) {
    const folded = name.toLowerCase();
    if (!/^[\p{L}\p{N}_$][\p{L}\p{N}_$ .:/-]*$/u.test(name) || Buffer.byteLength(name) > LONGEST_NAME_BYTES) {
      throw invalid(`${excerpt(name)} cannot be a column's name: give it an alias of letters, digits and _`, at);
    }
    if (folded.startsWith('_sluice_')) throw invalid(`names that begin with _sluice_ are ours: ${excerpt(name)}`, at);
    if (seen.has(folded)) throw invalid(`two columns are named ${excerpt(name)}`, at);
    seen.add(folded);
  }
  if (columns.length > MAX_COLUMNS) throw invalid(`more than ${MAX_COLUMNS} columns`, columns[MAX_COLUMNS]!.at);
}
