/** Prepares a database before the API or a worker uses it. */
import { createPool } from '../platform/db/connection.ts';
import { POOLS } from '../platform/db/pools.ts';
import { migrate } from '../platform/db/migrate.ts';
import { CommandFailed } from '../platform/errors.ts';
import { ensurePartitions } from '../events/table/partitions.ts';

export type PreparedDatabase = {
  /** Names of the applied migrations, oldest first. */
  applied: string[];
  /** Names of the created partitions of events. */
  partitioned: string[];
};

/**
 * Applies missing migrations, then creates the coming months' partitions.
 * @throws CommandFailed when the database cannot be reached
 */
export async function prepareDatabase(url: string): Promise<PreparedDatabase> {
  const pool = createPool({ url, ...POOLS.migrate });
  try {
    return { applied: await migrate(url), partitioned: await ensurePartitions(pool) };
  } catch (error) {
    throw unreachableError(error) ?? error;
  } finally {
    await pool.end();
  }
}

/** Recognizes socket errors, and errors of Postgres before a session exists: bad password (28), no such database (3D), starting (57P03). */
export function unreachableError(error: unknown): CommandFailed | undefined {
  const { code = '', message } = error as { code?: string; message: string };
  if (!/^(E[A-Z]+|28\w{3}|3D000|57P03)$/.test(code)) return undefined;
  return new CommandFailed(`The database of DATABASE_URL cannot be used: ${message || code}.`);
}
