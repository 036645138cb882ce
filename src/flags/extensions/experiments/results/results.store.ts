/** Reads the exposures and measures of an experiment from Postgres, with a time limit. */
import { SQL_STATE, sqlState } from '../../../../platform/db/sql-states.ts';
import type { Pool } from '../../../../platform/db/connection.ts';
import { POOLS } from '../../../../platform/db/pools.ts';
import { Unavailable } from '../../../../platform/errors.ts';
import { resultsSql, type ResultsQuery, type ResultsRow } from './results-sql.ts';

const TIMEOUT_MS = 15_000;

/** Options of the connections that read results. */
export const RESULTS_POOL = {
  ...POOLS.experiments,
  statementTimeoutMs: TIMEOUT_MS,
} as const;

/** @param pool with `RESULTS_POOL` */
export function experimentResultsStore(pool: Pool) {
  return {
    /** Returns a row for each variant that anybody was exposed to. @throws Unavailable when it takes too long */
    async read(query: ResultsQuery): Promise<ResultsRow[]> {
      try {
        return (await pool.query<ResultsRow>(resultsSql(query))).rows;
      } catch (error) {
        if (sqlState(error) !== SQL_STATE.queryCanceled) throw error;
        throw new Unavailable(
          `Computing the results took longer than ${TIMEOUT_MS / 1000} seconds: remove metrics, or move the start of the ` +
            'experiment to a later date.',
          TIMEOUT_MS / 1000,
          { cause: error },
        );
      }
    },
  };
}

export type ExperimentResultsStore = ReturnType<typeof experimentResultsStore>;
