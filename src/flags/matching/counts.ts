/** Counts matching persons or groups in Postgres, within a few seconds. */
import type { Pool } from '../../platform/db/connection.ts';
import { ensureAnswered } from '../../events/table/lookup.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { cohortSql, matchingSql } from './matching-sql.ts';
import { loadMatchingSettings } from './scope.ts';
import type { Subject } from './subject.ts';

const TIMEOUT_ADVICE = 'Fewer or simpler conditions are counted faster.';

export type Counts = {
  /**
   * @param filters of one condition set, all of which must match. Filters on other flags count as matching
   * @throws Unavailable when it takes too long
   */
  countMatching(
    projectId: number,
    filters: readonly Json[],
    subject: Subject,
  ): Promise<{ matching: number; total: number }>;
  /** @throws Unavailable when it takes too long */
  countCohort(projectId: number, cohortId: number): Promise<number>;
};

/** @param pool with a timeout for statements */
export function createCounts({ pool, now }: { pool: Pool; now: () => number }): Counts {
  // Sent without knex, which reads question marks in SQL as parameters.
  const query = <Row extends object>(sql: string) => ensureAnswered(pool.query<Row>(sql), TIMEOUT_ADVICE);

  return {
    async countMatching(projectId, filters, subject) {
      const { from, exists, matches } = matchingSql(
        filters,
        subject,
        await loadMatchingSettings(pool, projectId, now()),
      );
      const { rows } = await query<{ matching: string; total: string }>(
        `select count(*) filter (where ${matches}) as matching, count(*) as total from ${from} where ${exists}`,
      );
      return { matching: Number(rows[0]!.matching), total: Number(rows[0]!.total) };
    },

    async countCohort(projectId, cohortId) {
      const { from, exists, matches } = cohortSql(cohortId, await loadMatchingSettings(pool, projectId, now()));
      const { rows } = await query<{ count: string }>(`select count(*) from ${from} where ${exists} and ${matches}`);
      return Number(rows[0]!.count);
    },
  };
}
