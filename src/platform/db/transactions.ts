/** Transactions that are repeated when others were in their way. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from './connection.ts';
import { SQL_STATE, sqlState } from './sql-states.ts';

/** The same transaction may pass once the one that was in its way has ended. */
const REPEATABLE = new Set<string | undefined>([SQL_STATE.deadlockDetected, SQL_STATE.serializationFailure]);
const TRIES = 4;
/** Milliseconds at most, at random: transactions that met in a deadlock are not to meet again. */
const PAUSE_MS = 100;

/**
 * Commits when the work returns. Inside of another transaction it is a savepoint, and the outermost is repeated: it still holds the locks that
 * led to the deadlock.
 * @param work may run several times: it changes nothing but the database, and leaves nothing from an attempt in variables outside of it
 */
export async function inTransaction<T>(db: Knex, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (db.isTransaction || tries === TRIES || !REPEATABLE.has(sqlState(error))) throw error;
      await pause(Math.random() * PAUSE_MS);
    }
  }
}
