/** Caches the compiled columns of queries, because a list of exports may show the columns of a hundred queries. */
import { compileQuery, type CompiledColumn } from './compile.ts';

/** Any interval will do, because columns and types do not depend on it. */
const ANY_INTERVAL = { start: '1970-01-01T00:00:00.000000Z', end: '1970-01-01T01:00:00.000000Z' };

export type QueryColumn = Omit<CompiledColumn, 'sql'>;

const MAX_CACHED = 300;
/** Columns by the query's text, least recently used first. */
const cachedColumns = new Map<string, readonly QueryColumn[]>();

/** @throws InvalidInput for a query that does not compile */
export function queryColumns(query: string): readonly QueryColumn[] {
  const columns = cachedColumns.get(query) ?? columnsOf(query);
  cachedColumns.delete(query);
  cachedColumns.set(query, columns);
  for (const oldest of cachedColumns.keys()) {
    if (cachedColumns.size <= MAX_CACHED) break;
    cachedColumns.delete(oldest);
  }
  return columns;
}

function columnsOf(query: string): readonly QueryColumn[] {
  return compileQuery(query, ANY_INTERVAL).columns.map(({ name, type, expression }) => ({ name, type, expression }));
}
