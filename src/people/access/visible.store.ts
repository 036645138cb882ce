/** Limits lists of protected objects to those that the viewer may see. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Visible } from '../../platform/http/access.ts';

/** Whether the viewer sees all objects of a kind. */
export function seesAll(visible: Visible): boolean {
  return 'except' in visible && visible.except.length === 0;
}

/**
 * Limits a query to the rows that the viewer sees: those for which their level is not `none`.
 * @param query over the objects of one kind; changed in place
 * @param columns names of the columns with the object's id and its creator
 * @returns the same query
 */
export function whereVisible<Query extends Knex.QueryBuilder>(
  query: Query,
  visible: Visible,
  columns: { id: string; createdBy: string } = { id: 'id', createdBy: 'created_by' },
): Query {
  if (seesAll(visible)) return query;
  const [among, named] = 'only' in visible ? ['= any', visible.only] : ['<> all', visible.except];
  query.where((either) => {
    void either.whereRaw(`??::text ${among} (?::text[])`, [columns.id, [...named]]);
    if (visible.madeBy !== null) void either.orWhere(columns.createdBy, visible.madeBy);
  });
  return query;
}
