/** A model as the reader needs to know it: where its rows are, their ids, and their columns. */
import type { ColumnType, RowVersions } from '../../../conditions/rows/columns.ts';
import type { Model } from '../../../conditions/rows/content.ts';
import { instantSql, integerSql } from './literals.ts';

/** Rows with `interval_time` in `[start, end)` that were stored before the cutoff; instants are ISO, UTC, six decimals, Z. */
export type Window = { projectId: number; start: string; end: string; cutoff: string };

/** A column as it is read: `sql` over the relation, or over other columns as they leave after the export's transformations. */
export type SourceColumn = {
  name: string;
  type: ColumnType;
  sql: string | { of: string; sql: (column: string) => string };
};

/** `from` and `where` of a SELECT. The relation goes by the model's name, so filters and queries name its columns without one. */
export type Relation = { from: string; where: string };

export type ModelSource = {
  model: Model;
  /** Rows of a window: exactly the delivered ones, whenever they are read. */
  rows(window: Window): Relation;
  /**
   * Rows of a project at all times, for a search by `interval_time` through an index. `isWhole`: the rows have the columns of the relation,
   * so filters can be applied to them.
   */
  history(projectId: number): Relation & { hasRelationColumns: boolean };
  /** SQL of type uuid that identifies the row in every export. With `interval_time` it is the order of a window. */
  rowId: string;
  /** SQL of an estimate: the length of the row as a JSON line. */
  bytes: string;
  /** All columns, in order. */
  columns: readonly SourceColumn[];
  /** Columns that files get only where an export names them. */
  tableOnly: ReadonlySet<string>;
  /** How a table decides which of two versions of a row is newer; null: rows do not change. */
  merge: RowVersions | null;
  /** Whether rows can join a window after its end: by an import of historical events. */
  importable: boolean;
  /** How many hours before a window the events begin of which its rows are made; null: rows are not made of events. */
  eventsFromHoursBefore: number | null;
};

/** Condition for a table that has `project_id` and `interval_time`. */
export function inWindow({ projectId, start, end }: Window): string {
  return `project_id = ${integerSql(projectId)} and interval_time >= ${instantSql(start)} and interval_time < ${instantSql(end)}`;
}
