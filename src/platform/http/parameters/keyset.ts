/** Reads a page of a list that has the newest first by its key `(created_at, id)`, however long the list is. */
import type { PageWindow, Position } from './pagination.ts';

type Keyset = { sign: '<' | '>'; order: 'asc' | 'desc'; edge?: Position };

/**
 * Returns the comparison with the edge, and the order in which the rows next to it come first.
 * @param ascending the list has the oldest first, so "older" in a page's window means later in the list
 */
export function keysetOf({ olderThan, newerThan }: PageWindow, { ascending = false } = {}): Keyset {
  const edge = newerThan ?? olderThan;
  const isUpwards = (newerThan !== undefined) !== ascending;
  return { ...(isUpwards ? { sign: '>', order: 'asc' } : { sign: '<', order: 'desc' }), ...(edge && { edge }) };
}

/** Brings rows that were read next to the edge into the list's order. */
export function newestFirst<Row>(rows: Row[], { newerThan }: PageWindow): Row[] {
  return newerThan ? rows.toReversed() : rows;
}
