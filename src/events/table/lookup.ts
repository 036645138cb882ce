/** Limits what the read API may take of the database that it shares with capture: a few seconds, connections and megabytes. */
import { POOLS } from '../../platform/db/pools.ts';
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import { Unavailable } from '../../platform/errors.ts';

const TIMEOUT_MS = 5_000;

/** Options of the connections that lookups use. */
export const LOOKUP_OPTIONS = {
  ...POOLS.lookup,
  statementTimeoutMs: TIMEOUT_MS,
  idleInTransactionTimeoutMs: TIMEOUT_MS,
  answerTimeoutMs: 2 * TIMEOUT_MS,
} as const;

/** @throws Unavailable, with the advice, when the query timed out */
export async function ensureAnswered<T>(query: PromiseLike<T>, advice: string): Promise<T> {
  try {
    return await query;
  } catch (error) {
    if (sqlState(error) !== SQL_STATE.queryCanceled) throw error;
    const detail = `This took longer than ${TIMEOUT_MS / 1000} seconds, and was given up. ${advice}`;
    throw new Unavailable(detail, TIMEOUT_MS / 1000, { cause: error });
  }
}

/** Approximate bytes of JSON in a page. */
const PAGE_BYTES = 16 * 1024 * 1024;

/**
 * @param nearest SQL that selects the rows next to the cursor, with their `row_bytes`
 * @param order SQL; the nearest row first
 * @param pageBytes limit for the sum of `row_bytes` in a page, which only its last row may exceed
 * @returns a query of the rows that fit into a page, at least one, and of the next row, for which `beyond` is true
 */
export function cutToPage(nearest: string, order: string, pageBytes: number = PAGE_BYTES): string {
  const bytesBefore = (rows: number) =>
    `coalesce(sum(row_bytes) over (order by ${order} rows between unbounded preceding and ${rows} preceding), 0)`;
  return `
    select * from (
      select *, ${bytesBefore(1)} >= ${pageBytes} as beyond, ${bytesBefore(2)} < ${pageBytes} as wanted
      from (${nearest}) as nearest
    ) as sized where wanted order by ${order}`;
}

/** @returns the pattern of texts that contain this one, for LIKE and ILIKE */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
