/** What an export's content means for a window: which rows of which relation, and which columns they leave with. */
import type { Column, Destination } from '../destinations/contract.ts';
import type { Content, Model } from '../exports/domain/content.ts';
import { ROW_ID } from '../formats/rows-digest.ts';
import { filtersSql } from '../query/filters.ts';
import { events } from './models/events.ts';
import { textArraySql } from './models/literals.ts';
import type { ModelSource, SourceColumn, Window } from './models/model.ts';
import { persons } from './models/persons.ts';
import { transformed } from './transform.ts';

/** Rows of a window: they can no longer change by new ones. */
export type Slice = Window & { content: Content };

type SelectedColumn = Column & { sql: string };

const MODELS: Partial<Record<Model, ModelSource>> = { events, persons };

/** @throws Error for a model that cannot be read */
export function sourceOf(content: Content): ModelSource {
  const source = MODELS[content.model];
  if (!source) throw new Error(`The model ${content.model} cannot be read`);
  return source;
}

/** FROM and WHERE of the slice's rows. */
export function rowsOf(slice: Slice): { from: string; where: string } {
  const { from, where } = sourceOf(slice.content).rows(slice);
  return { from, where: [where, ...restrictions(slice.content, slice)].join(' and ') };
}

/** What the export itself leaves out, as conditions on the relation. The interval is what filters may refer to. */
export function restrictions(content: Content, interval: Pick<Slice, 'start' | 'end'>): string[] {
  const { model, includeEvents, excludeEvents, filters } = content;
  const wanted = filters.length > 0 ? [filtersSql(filters, model, interval)] : [];
  if (model !== 'events') return wanted;
  return [
    ...(includeEvents.length > 0 ? [`event = any (${textArraySql(includeEvents)})`] : []),
    ...(excludeEvents.length > 0 ? [`event <> all (${textArraySql(excludeEvents)})`] : []),
    ...wanted,
  ];
}

/** How a table of this content tells which of two versions of a row is newer; null: its rows do not change. */
export function mergeOf(content: Content): ModelSource['merge'] {
  return content.query === null ? sourceOf(content).merge : null;
}

/** Every column that an export of this content may name. */
export function availableColumns(content: Content): readonly SourceColumn[] {
  return sourceOf(content).columns;
}

/**
 * What leaves for content, in order. Where no column still says which row it is, the row's id comes first, hidden.
 * @param takes files get fewer columns than tables, unless the export names its own
 */
export function columnsOf(content: Content, takes: Destination['takes']): Column[] {
  return selectedColumns(content, takes).map(({ name, type, hidden }) => ({ name, type, ...(hidden && { hidden }) }));
}

function selectedColumns(content: Content, takes: Destination['takes']): SelectedColumn[] {
  const { columns: all, rowId, tableOnly } = sourceOf(content);
  const { includeColumns, excludeColumns, transformations } = content;
  const isWanted = ({ name }: SourceColumn) =>
    !excludeColumns.includes(name) &&
    (includeColumns ? includeColumns.includes(name) : takes === 'rows' || !tableOnly.has(name));
  const leaving = all.filter(isWanted).flatMap((column) => leavingAs(column, all, transformations));
  const isIdentified = leaving.some(({ name, sql }) => name === 'uuid' && sql === rowId);
  return isIdentified ? leaving : [{ ...ROW_ID, sql: rowId }, ...leaving];
}

/** The column after its transformations and those of the column that it is made of; none when one of them takes it away. */
function leavingAs(
  { name, type, sql }: SourceColumn,
  all: readonly SourceColumn[],
  transformations: Content['transformations'],
): SelectedColumn[] {
  if (typeof sql === 'string') {
    const left = transformed({ name, type, sql }, transformations);
    return left ? [{ name, ...left }] : [];
  }
  const [base] = all.filter((one) => one.name === sql.of).flatMap((one) => leavingAs(one, all, transformations));
  if (base?.type !== 'jsonb') return [];
  const left = transformed({ name, type, sql: `(${sql.sql(base.sql)})` }, transformations);
  return left ? [{ name, ...left }] : [];
}

/** The select list of columns that a plan names. @throws Error for one that the content does not have any more */
export function selectList(content: Content, columns: readonly Column[]): string {
  const sources = new Map(selectedColumns(content, 'rows').map((column) => [column.name, column.sql]));
  return columns
    .map(({ name }) => {
      const sql = sources.get(name);
      if (sql === undefined) throw new Error(`The export has no column ${name}`);
      return sql;
    })
    .join(', ');
}
