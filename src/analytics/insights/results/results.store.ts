/** Results of queries, as they were last computed. Everything here may be lost at any time. */
import { SQL_STATE, sqlState } from '../../../platform/db/sql-states.ts';
import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts';
import type { Knex } from '../../../platform/db/connection.ts';
import { Unavailable } from '../../../platform/errors.ts';
import type { QueryResult } from '../../queries/computing/result.ts';

export type CachedResult = {
  result: QueryResult;
  /** When its computation began; ISO. */
  computed_at: string;
  /** Approximate size of the result as JSON. */
  bytes: number;
};

export type ResultKey = { projectId: number; hash: Buffer };

type Row = Omit<CachedResult, 'bytes'> & { project_id: number; query_hash: Buffer };
type SizedResult = Pick<CachedResult, 'bytes'>;

const LONGEST_WAIT_SECONDS = 10;
/** Number of results removed at once. */
const SWEPT_ROWS = 1_000;
const BYTES = 'octet_length(result::text) as bytes';

export function resultStore(db: Knex) {
  const rowsAt = (key: ResultKey) =>
    db<Row>('insight_results').where({ project_id: key.projectId, query_hash: key.hash });
  const storedRows = (projectId: number, hashes: readonly Buffer[]) =>
    db<Row>('insight_results').where({ project_id: projectId }).whereIn('query_hash', hashes);

  return {
    /** Returns the IANA time zone in which the project's days begin and end. */
    async findTimezone(projectId: number): Promise<string> {
      const row = await db<{ id: number; timezone: string }>('projects').where({ id: projectId }).first('timezone');
      return row?.timezone ?? 'UTC';
    },

    /** Returns the sizes of stored results by hexadecimal hash, so results that are too large need not be read. */
    async findSizes(projectId: number, hashes: readonly Buffer[]): Promise<ReadonlyMap<string, number>> {
      if (hashes.length === 0) return new Map();
      const rows = await storedRows(projectId, hashes).select<(Row & SizedResult)[]>('query_hash', db.raw(BYTES));
      return new Map(rows.map(({ query_hash, bytes }) => [query_hash.toString('hex'), bytes]));
    },

    /** Returns results by hexadecimal hash. */
    async findByHashes(projectId: number, hashes: readonly Buffer[]): Promise<ReadonlyMap<string, CachedResult>> {
      if (hashes.length === 0) return new Map();
      const rows = await storedRows(projectId, hashes).select<(Row & SizedResult)[]>('*', db.raw(BYTES));
      return new Map(
        rows.map(({ query_hash, result, computed_at, bytes }) => [
          query_hash.toString('hex'),
          { result, computed_at, bytes },
        ]),
      );
    },

    /**
     * Runs the work while no other caller, in any process, runs work for the same key.
     * @throws Unavailable when another caller's work takes too long
     * @param work gets the stored result when its turn has come, and returns the one to store; undefined keeps the stored one
     */
    async runInTurn(
      key: ResultKey,
      work: (stored: CachedResult | undefined) => Promise<CachedResult | undefined>,
    ): Promise<void> {
      await db.transaction(async (transaction) => {
        await transaction.raw(`set local lock_timeout = '${LONGEST_WAIT_SECONDS}s'`);
        await transaction
          .raw('select pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.insightResults, key.hash.readInt32BE()])
          .catch(throwBusy);
        const stored = rowsAt(key)
          .transacting(transaction)
          .select<CachedResult[]>('result', 'computed_at', db.raw(BYTES));
        const newResult = await work((await stored)[0]);
        if (!newResult) return;
        const { result, computed_at } = newResult;
        await transaction<Row>('insight_results')
          .insert({ project_id: key.projectId, query_hash: key.hash, result, computed_at })
          .onConflict(['project_id', 'query_hash'])
          .merge();
      });
    },

    /** @param before ISO @returns how many were removed */
    async sweep(before: string): Promise<number> {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from insight_results where ctid = any(array(
           select ctid from insight_results where computed_at < ? limit ?))`,
        [before, SWEPT_ROWS],
      );
      return rowCount;
    },
  };
}

export type ResultStore = ReturnType<typeof resultStore>;

function throwBusy(error: unknown): never {
  if (sqlState(error) !== SQL_STATE.lockNotAvailable) throw error;
  throw new Unavailable('The result is being computed already.', LONGEST_WAIT_SECONDS, { cause: error });
}
