/** Connections for queries: statements end after a time limit, and when their client has gone. */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import { takeCancellable } from '../../platform/db/cancellable.ts';
import type { Pool } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { InvalidInput, NotFound, Unavailable } from '../../platform/errors.ts';

const TIMEOUT_MS = 15_000;

/** Options of the connections on which insights are computed. */
export const QUERY_OPTIONS = {
  ...POOLS.insights,
  statementTimeoutMs: TIMEOUT_MS,
  answerTimeoutMs: 2 * TIMEOUT_MS,
} as const;

/** Runs one statement and returns its rows. */
export type RunSql = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * Gives the work a connection; when the signal is aborted its statement is ended, and the connection closed.
 * @param pool with `QUERY_OPTIONS`
 * @throws Unavailable when it takes too long; InvalidInput for numbers that Postgres cannot compute; the signal's reason when aborted
 */
export async function withQueryConnection<T>(
  pool: Pool,
  signal: AbortSignal | undefined,
  work: (runSql: RunSql) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const { client, identify, release, abandon } = await takeCancellable(pool);
  signal?.addEventListener('abort', abandon);
  try {
    if (signal) {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      identify(rows[0]!.pid);
      signal.throwIfAborted();
    }
    const result = await work(async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
      return (await client.query<Row>(sql, [...values])).rows;
    });
    release();
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    release(!isAnswered(error));
    throw explainError(error);
  } finally {
    signal?.removeEventListener('abort', abandon);
    release(true);
  }
}

/** Whether the connection is ready for another statement, because the error came from Postgres or from our own checks. */
function isAnswered(error: unknown): boolean {
  return error instanceof InvalidInput || error instanceof NotFound || (error instanceof Error && 'severity' in error);
}

function explainError(error: unknown): unknown {
  const code = sqlState(error);
  if (code === undefined) return error;
  if (code === SQL_STATE.queryCanceled) {
    return new Unavailable(
      `The query took longer than ${TIMEOUT_MS / 1000} seconds and was stopped. Use a shorter date range or fewer series.`,
      TIMEOUT_MS / 1000,
      { cause: error },
    );
  }
  // Classes 22 and 54: data exceptions, such as sums that overflow; expressions that are too deep.
  if (!/^(22|54)/.test(code)) return error;
  return new InvalidInput(`The values of these events cannot be computed (SQLSTATE ${code}).`, 'query');
}
