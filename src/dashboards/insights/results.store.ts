/** What queries gave when they were last computed. Everything here may be lost at any time. */
import type { Knex } from '../../db/connection.ts';
import { Unavailable } from '../../errors.ts';
import type { QueryResult } from '../queries/result.ts';

export type CachedResult = {
  result: QueryResult;
  /** When its computation began; ISO. */
  computed_at: string;
};

export type ResultKey = { projectId: number; hash: Buffer };

type Row = CachedResult & { project_id: number; query_hash: Buffer };

const LOCK = 7_316_010;
const LOCK_NOT_AVAILABLE = '55P03';
const LONGEST_WAIT_SECONDS = 10;
/** Of those that are removed at once. */
const SWEPT_ROWS = 1_000;

export function resultStore(db: Knex) {
  const at = (key: ResultKey) => db<Row>('insight_results').where({ project_id: key.projectId, query_hash: key.hash });

  return {
    /** By whose clock the project's days begin and end: an IANA name. */
    async timezoneOf(projectId: number): Promise<string> {
      const row = await db<{ id: number; timezone: string }>('projects').where({ id: projectId }).first('timezone');
      return row?.timezone ?? 'UTC';
    },

    /** By their hashes in hexadecimal. */
    async byHashes(projectId: number, hashes: readonly Buffer[]): Promise<ReadonlyMap<string, CachedResult>> {
      if (hashes.length === 0) return new Map();
      const rows = await db<Row>('insight_results').where({ project_id: projectId }).whereIn('query_hash', hashes);
      return new Map(
        rows.map(({ query_hash, result, computed_at }) => [query_hash.toString('hex'), { result, computed_at }]),
      );
    },

    /**
     * Runs the work while nobody else, in any process, runs one for the same key.
     * @throws Unavailable when somebody else's takes too long
     * @param work gets what is stored when its turn has come, and returns what is to be stored; undefined: that stays
     */
    async inTurn(
      key: ResultKey,
      work: (stored: CachedResult | undefined) => Promise<CachedResult | undefined>,
    ): Promise<void> {
      await db.transaction(async (transaction) => {
        await transaction.raw(`set local lock_timeout = '${LONGEST_WAIT_SECONDS}s'`);
        await transaction.raw('select pg_advisory_xact_lock(?, ?)', [LOCK, key.hash.readInt32BE()]).catch(sayBusy);
        const made = await work(await at(key).transacting(transaction).first('result', 'computed_at'));
        if (!made) return;
        await transaction<Row>('insight_results')
          .insert({ project_id: key.projectId, query_hash: key.hash, ...made })
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

function sayBusy(error: unknown): never {
  if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  throw new Unavailable('The result is being computed already.', LONGEST_WAIT_SECONDS, { cause: error });
}
