/** Reading a place in a list that has the newest first by its key `(created_at, id)`, however long the list is. */
import type { Place, Position } from './pagination.ts';

/** How to compare with the edge, and how to sort so that the rows next to it come first. */
export function keysetOf({ olderThan, newerThan }: Place): { sign: '<' | '>'; order: 'asc' | 'desc'; edge?: Position } {
  if (newerThan) return { sign: '>', order: 'asc', edge: newerThan };
  return { sign: '<', order: 'desc', ...(olderThan && { edge: olderThan }) };
}

/** Brings rows that were read next to the edge into the list's order. */
export function newestFirst<Row>(rows: Row[], { newerThan }: Place): Row[] {
  return newerThan ? rows.toReversed() : rows;
}
