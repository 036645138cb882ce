/** An export's content, applied to a window: the relation, the rows and the columns that are read. */
import type { Carrier, Column, RowVersions } from '../../conditions/rows/columns.ts';
import type { Content, Model } from '../../conditions/rows/content.ts';
import { ROW_ID } from '../../conditions/rows/rows-digest.ts';
import { compileQuery } from '../../conditions/custom-queries/compile.ts';
import { filtersSql } from '../../conditions/sql/filters.ts';
import { events } from './models/events.ts';
import { textArraySql } from './models/literals.ts';
import type { ModelSource, SourceColumn, Window } from './models/model.ts';
import { persons } from './models/persons.ts';
import { sessions } from './models/sessions.ts';
import { transformColumn } from './transform.ts';

/** Rows of a window that new rows can no longer change. */
export type Slice = Window & { content: Content };

export type Selection = {
  source: ModelSource;
  /** Every column that the content may name. */
  columns: readonly SourceColumn[];
  /** Columns that files get only where an export names them. */
  tableOnly: ReadonlySet<string>;
  /** Conditions on the relation's columns that exclude rows from the export. */
  conditions: readonly string[];
};

type SelectedColumn = Column & { sql: string };

const MODELS: Record<Model, ModelSource> = { events, persons, sessions };

/** SQL for how long before a window the events begin of which its rows are made, as an interval; null: rows are not made of events. @param model SQL */
export function eventsFromBeforeSql(model: string): string {
  const cases = Object.entries(MODELS).map(([name, { eventsFromHoursBefore: hours }]) =>
    hours === null ? '' : ` when '${name}' then interval '${hours} hours'`,
  );
  return `case ${model}${cases.join('')} end`;
}

/** Columns, their types and the relation do not depend on the interval. */
const ANY_INTERVAL = { start: '1970-01-01T00:00:00.000000Z', end: '1970-01-01T01:00:00.000000Z' };

/** @throws InvalidInput for a query that does not compile */
export function selectionOf(content: Content, interval: { start: string; end: string } = ANY_INTERVAL): Selection {
  const query = content.query === null ? undefined : compileQuery(content.query, interval);
  const model = query?.relation ?? content.model;
  const source = MODELS[model];
  return {
    source,
    columns: query?.columns ?? source.columns,
    tableOnly: query ? new Set() : source.tableOnly,
    conditions: [
      ...eventConditions(content, model),
      ...(content.filters.length > 0 ? [`(${filtersSql(content.filters, model, interval)})`] : []),
      ...(query ? [`(${query.where})`] : []),
    ],
  };
}

function eventConditions({ includeEvents, excludeEvents }: Content, model: Model): string[] {
  if (model !== 'events') return [];
  return [
    ...(includeEvents.length > 0 ? [`event = any (${textArraySql(includeEvents)})`] : []),
    ...(excludeEvents.length > 0 ? [`event <> all (${textArraySql(excludeEvents)})`] : []),
  ];
}

/** FROM and WHERE of the slice's rows. */
export function rowsOf(slice: Slice, { source, conditions }: Selection): { from: string; where: string } {
  const { from, where } = source.rows(slice);
  return { from, where: [where, ...conditions].join(' and ') };
}

/** How a table of this content decides which of two versions of a row is newer; null: its rows do not change. */
export function mergeOf(content: Content): RowVersions | null {
  return content.query === null ? selectionOf(content).source.merge : null;
}

/**
 * Columns that are delivered for a content, in order. If none of them identifies the row, the row's id comes first, hidden.
 * @param carrier files get fewer columns than tables, unless the export names its own
 */
export function columnsOf(content: Content, carrier: Carrier): Column[] {
  const selected = selectedColumns(content, selectionOf(content), carrier);
  return selected.map(({ name, type, hidden }) => ({ name, type, ...(hidden && { hidden }) }));
}

function selectedColumns(
  { includeColumns, excludeColumns, transformations }: Content,
  { source, columns, tableOnly }: Selection,
  carrier: Carrier,
): SelectedColumn[] {
  const isWanted = ({ name }: SourceColumn) =>
    !excludeColumns.includes(name) &&
    (includeColumns ? includeColumns.includes(name) : carrier === 'rows' || !tableOnly.has(name));
  const delivered = columns.filter(isWanted).flatMap((column) => deliveredColumns(column, columns, transformations));
  const isIdentified = delivered.some(({ name, sql }) => name === 'uuid' && sql === source.rowId);
  return isIdentified ? delivered : [{ ...ROW_ID, sql: source.rowId }, ...delivered];
}

/** Whether columns or conditions of the content read persons' properties. */
export function readsPersons(content: Content): boolean {
  const selection = selectionOf(content);
  if (selection.source.model === 'persons') return true;
  const columns = selectedColumns(content, selection, 'rows').map(({ sql }) => sql);
  return [...columns, ...selection.conditions].some((sql) => sql.includes('person_properties'));
}

/** The column after its own and its base column's transformations; empty if one of them removes it. */
function deliveredColumns(
  { name, type, sql }: SourceColumn,
  all: readonly SourceColumn[],
  transformations: Content['transformations'],
): SelectedColumn[] {
  if (typeof sql === 'string') {
    const result = transformColumn({ name, type, sql }, transformations);
    return result ? [{ name, ...result }] : [];
  }
  const [base] = all
    .filter(({ name }) => name === sql.of)
    .flatMap((column) => deliveredColumns(column, all, transformations));
  if (base?.type !== 'jsonb') return [];
  const result = transformColumn({ name, type, sql: `(${sql.sql(base.sql)})` }, transformations);
  return result ? [{ name, ...result }] : [];
}

/** The select list of columns that a plan names. @throws Error for a column that the content no longer has */
export function selectList(content: Content, selection: Selection, columns: readonly Column[]): string {
  const sources = new Map(selectedColumns(content, selection, 'rows').map((column) => [column.name, column.sql]));
  // Aliased, because Postgres may otherwise name a column `uuid` and sort by it in ORDER BY; it does so for `uuid::text`.
  return columns
    .map(({ name }, i) => {
      const sql = sources.get(name);
      if (sql === undefined) throw new Error(`The export has no column ${name}`);
      return `${sql} as c${i}`;
    })
    .join(', ');
}
