/** All stores of this room over one connection or one transaction. */
import type { Knex } from '../db/connection.ts';

function bind(_db: Knex) {
  return {};
}

/** Stores that share one connection or transaction. */
export type FlagBound = ReturnType<typeof bind>;

export type FlagStores = FlagBound & {
  /**
   * Runs the work with stores that share one transaction; it commits when the work returns. Transactions of one project take
   * turns: what one of them checks about other flags and cohorts still holds when it commits.
   */
  inTransaction<T>(projectId: number, work: (stores: FlagBound) => Promise<T>): Promise<T>;
};

const LOCK = 7_316_008;

export function flagStores(db: Knex): FlagStores {
  return {
    ...bind(db),
    inTransaction: (projectId, work) =>
      db.transaction(async (transaction) => {
        await transaction.raw('select pg_advisory_xact_lock(?, ?)', [LOCK, projectId]);
        return work(bind(transaction));
      }),
  };
}
