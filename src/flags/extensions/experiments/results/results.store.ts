/** Reads the exposures and measures of an experiment from Postgres, with a time limit. */
import { SQL_STATE, sqlState } from '../../../../platform/db/sql-states.ts';
import type { Pool } from '../../../../platform/db/connection.ts';
import { POOLS } from '../../../../platform/db/pools.ts';
import { Unavailable } from '../../../../platform/errors.ts';
import { studySql, type Study, type StudyRow } from './results-sql.ts';

const TIMEOUT_MS = 15_000;

/** Options of the connections that read results. */
export const STUDY_OPTIONS = {
  ...POOLS.experiments,
  statementTimeoutMs: TIMEOUT_MS,
} as const;

/** @param pool with `STUDY_OPTIONS` */
export function studyStore(pool: Pool) {
  return {
    /** Returns a row for each variant that anybody was exposed to. @throws Unavailable when it takes too long */
    async read(study: Study): Promise<StudyRow[]> {
      try {
        return (await pool.query<StudyRow>(studySql(study))).rows;
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

export type StudyStore = ReturnType<typeof studyStore>;
