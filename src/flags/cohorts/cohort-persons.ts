/** The persons of a cohort, as `/persons/` shows them. */
import type { Pool } from '../../platform/db/connection.ts';
import { ensureAnswered } from '../../events/table/lookup.ts';
import { personFromRow, personsPageSql, type Person, type PersonRow } from '../../events/records/persons.store.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { PageWindow } from '../../platform/http/parameters/pagination.ts';
import { cohortSql } from '../matching/matching-sql.ts';
import { loadMatchingSettings } from '../matching/scope.ts';
import { ALIAS } from '../matching/subject.ts';

/**
 * @param pool with a timeout for statements
 * @returns a function that reads persons of a cohort, newest first. It throws Unavailable when that takes too long
 */
export function cohortPersons({ pool, now }: { pool: Pool; now: () => number }) {
  return async (projectId: number, cohortId: number, pageWindow: PageWindow): Promise<Person[]> => {
    const { from, exists, matches } = cohortSql(cohortId, await loadMatchingSettings(pool, projectId, now()));
    const { sign, order, edge } = keysetOf(pageWindow);
    const behind = edge ? `and (${ALIAS}.created_at, ${ALIAS}.id) ${sign} ($2, $3)` : '';
    const sorting = `created_at ${order}, id ${order}`;
    const nearest = `select ${ALIAS}.*, octet_length(${ALIAS}.properties::text) as row_bytes from ${from}
      where ${exists} and ${matches} ${behind} order by ${sorting} limit $1`;
    const values = [pageWindow.limit, ...(edge ? [edge.createdAt, edge.id] : [])];
    const page = pool.query<PersonRow>(personsPageSql(nearest, sorting), values);
    const { rows } = await ensureAnswered(page, 'A cohort with fewer or simpler conditions is read faster.');
    return newestFirst(rows.map(personFromRow), pageWindow);
  };
}

export type CohortPersons = ReturnType<typeof cohortPersons>;
