/** Lists of protected objects, without those that the caller may not see. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Visible } from '../../platform/http/access.ts';

/** Whether none of a kind's objects is hidden from the viewer. */
export function seesAll(visible: Visible): boolean {
  return 'except' in visible && visible.except.length === 0;
}

/**
 * Limits a query to the rows that the viewer sees: exactly those where their level is not `none`.
 * @param query over the objects of one kind; it is changed
 * @param columns of the object's id, and of the user who made it
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
