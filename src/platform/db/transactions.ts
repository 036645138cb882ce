/** Transactions that are repeated when they conflict with others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import type { Knex } from './connection.ts';
import { SQL_STATE, sqlState } from './sql-states.ts';

/** Errors after which the transaction is repeated, because the one that blocked it will have ended. */
const REPEATABLE = new Set<string | undefined>([SQL_STATE.deadlockDetected, SQL_STATE.serializationFailure]);
const MAX_TRIES = 4;
/** Longest delay before a repetition. Delays are random, so transactions that met in a deadlock do not meet again. */
const MAX_DELAY_MS = 100;

/**
 * Runs the work in a transaction and commits when it returns. Inside another transaction this is a savepoint, and the outermost
 * transaction is repeated, because it holds the locks that led to the deadlock.
 * @param work may run several times, so it must change only the database, and no variables outside of it
 */
export async function inTransaction<T>(db: Knex, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (db.isTransaction || tries === MAX_TRIES || !REPEATABLE.has(sqlState(error))) throw error;
      await sleep(Math.random() * MAX_DELAY_MS);
    }
  }
}

/** Stores over one connection, and `inTransaction`, which runs work with the same stores over one transaction. */
export type WithTransactions<Stores> = Stores & {
  /** Runs the work with stores that share one transaction; it commits when the work returns. */
  inTransaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
};

/** @param bind makes the stores for a connection or a transaction */
export function withTransactions<Stores extends object>(
  db: Knex,
  bind: (db: Knex) => Stores,
): WithTransactions<Stores> {
  return { ...bind(db), inTransaction: (work) => inTransaction(db, (transaction) => work(bind(transaction))) };
}

/** As `WithTransactions`, but transactions of one project run one after another, so what one has checked still holds when it commits. */
export type WithProjectTurns<Stores> = Stores & {
  /** Runs the work under the project's lock, with stores that share one transaction; it commits when the work returns. */
  inTransaction<T>(projectId: number, work: (stores: Stores) => Promise<T>): Promise<T>;
};

/**
 * @param lock name of the advisory lock; each project has its own
 * @param afterCommit awaited after each transaction
 */
export function withProjectTurns<Stores extends object>(
  db: Knex,
  bind: (db: Knex) => Stores,
  lock: 'flagChanges' | 'dashboardChanges',
  afterCommit?: (projectId: number) => Promise<void>,
): WithProjectTurns<Stores> {
  return {
    ...bind(db),
    async inTransaction(projectId, work) {
      const result = await inTransaction(db, async (transaction) => {
        await transaction.raw('select pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS[lock], projectId]);
        return work(bind(transaction));
      });
      await afterCommit?.(projectId);
      return result;
    },
  };
}
