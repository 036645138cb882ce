/** Transactions of work that can wait, beside writers that cannot. */
import type { Pool, PoolClient } from './connection.ts';

/** Begins a transaction that others wait for little: after a second without a lock, Postgres ends it (55P03). */
const BEGIN = `begin; set local lock_timeout = '1s'; set local statement_timeout = '30s';
  set local idle_in_transaction_session_timeout = '30s'`;

export async function inShortTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // The connection is closed, and its transaction with it.
    client.release(true);
    throw error;
  }
}
