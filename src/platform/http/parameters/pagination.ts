/** Pages of long lists: by offset if a count is cheap, by cursor if rows keep arriving. */
import { InvalidInput } from '../../errors.ts';
import { parseDatetime } from './datetime.ts';
import { LENIENT } from './parameters.ts';
import { nullable, Type, type Static, type TSchema } from '../../schema.ts';

const MAX_LIMIT = 1000;
const LIMIT_DESCRIPTION = `Results per page; more than ${MAX_LIMIT} counts as ${MAX_LIMIT}.`;

const OFFSET = { minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'The index of the first result.' };

/** Query of a page by offset. A larger `limit` than the maximum counts as the maximum; an invalid number counts as absent. */
export function offsetQuery(defaultLimit = 100) {
  return Type.Object({
    limit: Type.Integer({ minimum: 1, default: defaultLimit, description: LIMIT_DESCRIPTION, [LENIENT]: true }),
    offset: Type.Integer({ ...OFFSET, [LENIENT]: true }),
  });
}

/** An offset that is refused when it is not a number. */
export const Offset = Type.Integer(OFFSET);

export type OffsetQuery = Static<ReturnType<typeof offsetQuery>>;

export function offsetPageOf<S extends TSchema>(item: S) {
  return Type.Object({
    count: Type.Integer({ description: 'The total number of results.' }),
    next: nullable(Type.String({ format: 'uri' })),
    previous: nullable(Type.String({ format: 'uri' })),
    results: Type.Array(item),
  });
}

/** Brings a `limit` from a query into bounds. */
export function clampLimit(limit: number): number {
  return Math.min(limit, MAX_LIMIT);
}

/** The part of a list that a page shows. */
export function pageBounds({ limit, offset }: OffsetQuery): OffsetQuery {
  return { limit: clampLimit(limit), offset };
}

/** The page of a list that is short enough to be read as a whole. */
export function pageOfAll<T>(all: readonly T[], query: OffsetQuery): { count: number; results: readonly T[] } {
  return { count: all.length, results: all.slice(query.offset, query.offset + clampLimit(query.limit)) };
}

/**
 * @param url of this request; the links repeat it with another offset
 * @param page the total count, and the requested rows
 */
export function offsetPage<T>(url: URL, query: OffsetQuery, page: { count: number; results: readonly T[] }) {
  const limit = clampLimit(query.limit);
  const pageAt = (offset: number) =>
    withQuery(url, { limit: String(limit), offset: offset > 0 ? String(offset) : null });
  return {
    count: page.count,
    next: query.offset + limit < page.count ? pageAt(query.offset + limit) : null,
    previous: query.offset > 0 ? pageAt(Math.max(0, query.offset - limit)) : null,
    results: page.results,
  };
}

export function cursorPageOf<S extends TSchema>(item: S) {
  return Type.Object({
    next: nullable(Type.String({ format: 'uri' })),
    previous: nullable(Type.String({ format: 'uri' })),
    results: Type.Array(item),
  });
}

/** Query of a page by cursor. */
export function cursorQuery(defaultLimit: number) {
  return Type.Object({
    limit: Type.Integer({ minimum: 1, default: defaultLimit, description: LIMIT_DESCRIPTION }),
    cursor: Type.Optional(Type.String({ description: 'The cursor from the `next` or `previous` URL of a page.' })),
  });
}
export type CursorQuery = Static<ReturnType<typeof cursorQuery>>;

/** A row's position in a list that has the newest first. */
export type Position = { createdAt: string; id: string };

/**
 * A row of a list. `beyond`: not shown; only tells that the list continues, because a page of large rows ends early. `lastSearched`: does
 * not match; only tells how far the search got, and the list continues from there.
 */
export type ListedRow = Position & { beyond?: boolean; lastSearched?: boolean };

/** The rows next to a position, on one side of it; without a position the newest. Newest first in every case. */
export type PageWindow = { limit: number; olderThan?: Position; newerThan?: Position };

/**
 * @param url of this request; the links repeat it with another cursor
 * @param load reads the rows next to a position
 * @param isId whether a text may be a row's `id`
 */
export async function cursorPage<Row extends ListedRow, T>(
  url: URL,
  query: CursorQuery,
  load: (position: PageWindow) => Promise<Row[]>,
  present: (row: Row) => T,
  isId: (text: string) => boolean = isUuid,
) {
  const limit = clampLimit(query.limit);
  const position = query.cursor === undefined ? {} : decodeCursor(query.cursor, isId);
  // One row more than the page shows tells whether the list continues.
  const loadedRows = await load({ limit: limit + 1, ...position });
  const isUpwards = 'newerThan' in position;
  const listed = loadedRows.filter((row) => !row.beyond && !row.lastSearched);
  const lastSearched = listed.length > limit ? undefined : loadedRows.find((row) => row.lastSearched);
  const rows = isUpwards ? listed.slice(-limit) : listed.slice(0, limit);
  const hasMore = loadedRows.length > rows.length;
  const [newest, oldest] = isUpwards ? [lastSearched ?? rows[0], rows.at(-1)] : [rows[0], lastSearched ?? rows.at(-1)];
  const link = (side: keyof Cursor, row: Row | undefined) =>
    row ? withQuery(url, { cursor: encodeCursor(side, row) }) : null;
  return {
    next: isUpwards || hasMore ? link('olderThan', oldest) : null,
    previous: (isUpwards ? hasMore : query.cursor !== undefined) ? link('newerThan', newest) : null,
    results: rows.map(present),
  };
}

type Cursor = Pick<PageWindow, 'olderThan' | 'newerThan'>;

function encodeCursor(side: keyof Cursor, { createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([side, createdAt, id])).toString('base64url');
}

const CURSOR = /^\["(olderThan|newerThan)","(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)",("(?:[^"\\]|\\.)*")\]$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** @throws InvalidInput for a cursor that we did not create */
function decodeCursor(text: string, isId: (text: string) => boolean): Cursor {
  const [, side, createdAt = '', json = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const id = parseText(json);
  if (side === undefined || id === undefined || parseDatetime(createdAt) === undefined || !isId(id)) {
    throw new InvalidInput('Invalid cursor.', 'cursor');
  }
  return side === 'newerThan' ? { newerThan: { createdAt, id } } : { olderThan: { createdAt, id } };
}

/** @returns undefined for JSON that is not a text */
function parseText(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

/** Sorts the parameters by name, as upstream does. */
function withQuery(url: URL, changes: Record<string, string | null>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  changed.searchParams.sort();
  return changed.href;
}
