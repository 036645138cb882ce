/** Lists that may be long travel as pages: by offset where a count is cheap, by cursor where rows keep arriving. */
import { InvalidInput } from '../errors.ts';
import { nullable, Type, type Static, type TSchema } from '../schema.ts';

const MAX_LIMIT = 1000;

/** Query of a page by offset. A larger `limit` than the maximum counts as the maximum. */
export function offsetQuery(defaultLimit = 100) {
  return Type.Object({
    limit: Type.Integer({
      minimum: 1,
      default: defaultLimit,
      description: `Results per page; more than ${MAX_LIMIT} counts as ${MAX_LIMIT}.`,
    }),
    offset: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, default: 0, description: 'Index of the first result.' }),
  });
}
export type OffsetQuery = Static<ReturnType<typeof offsetQuery>>;

export function offsetPageOf<S extends TSchema>(item: S) {
  return Type.Object({
    count: Type.Integer({ description: 'How many results there are in all.' }),
    next: nullable(Type.String({ format: 'uri' })),
    previous: nullable(Type.String({ format: 'uri' })),
    results: Type.Array(item),
  });
}

/** Brings a `limit` from a query into bounds. */
export function boundedLimit(limit: number): number {
  return Math.min(limit, MAX_LIMIT);
}

/**
 * @param url of this request; the links are it with another offset
 * @param page how many there are in all, and those that the query asked for
 */
export function offsetPage<T>(url: URL, query: OffsetQuery, page: { count: number; results: readonly T[] }) {
  const limit = boundedLimit(query.limit);
  const at = (offset: number) => withQuery(url, { limit: String(limit), offset: offset > 0 ? String(offset) : null });
  return {
    count: page.count,
    next: query.offset + limit < page.count ? at(query.offset + limit) : null,
    previous: query.offset > 0 ? at(Math.max(0, query.offset - limit)) : null,
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

/** A position in an ordered list: the sort key of the row at its edge, and the side of it that is meant. */
export type Cursor = { direction: 'after' | 'before'; key: readonly string[] };

export function encodeCursor({ direction, key }: Cursor): string {
  return Buffer.from(JSON.stringify([direction, ...key])).toString('base64url');
}

/** @throws InvalidInput when the text is not a cursor that we gave out for a key of that many parts */
export function decodeCursor(text: string, keyParts: number): Cursor {
  const invalid = new InvalidInput('Invalid cursor.', 'cursor');
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw invalid;
  }
  if (!Array.isArray(parts) || parts.length !== keyParts + 1) throw invalid;
  const [direction, ...key] = parts as unknown[];
  if (direction !== 'after' && direction !== 'before') throw invalid;
  if (!key.every((part) => typeof part === 'string')) throw invalid;
  return { direction, key };
}

/**
 * @param url of this request; the links are it with another cursor
 * @param page the results in the list's order, and the cursors of its neighbours where there are any
 */
export function cursorPage<T>(
  url: URL,
  page: { next: Cursor | undefined; previous: Cursor | undefined; results: readonly T[] },
) {
  const at = (cursor: Cursor | undefined) => (cursor ? withQuery(url, { cursor: encodeCursor(cursor) }) : null);
  return { next: at(page.next), previous: at(page.previous), results: page.results };
}

function withQuery(url: URL, changes: Record<string, string | null>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  return changed.href;
}
