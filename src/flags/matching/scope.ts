/** What filters of a project are read with: its cohorts, and its clock. */
import type { Pool } from '../../db/connection.ts';
import { parseJson } from '../evaluation/json-values.ts';
import type { MatchingScope } from './matching-sql.ts';

type Row = { id: number; is_static: boolean; filters: string };

/** @param now milliseconds since 1970: relative dates count back from it */
export async function loadScope(pool: Pool, projectId: number, now: number): Promise<MatchingScope> {
  const [project, cohorts] = await Promise.all([
    pool.query<{ timezone: string }>('select timezone from projects where id = $1', [projectId]),
    pool.query<Row>('select id, is_static, filters::text from cohorts where project_id = $1 and not deleted', [
      projectId,
    ]),
  ]);
  return {
    projectId,
    cohorts: new Map(
      cohorts.rows.map(({ id, is_static: isStatic, filters }) => [id, { id, isStatic, filters: parseJson(filters) }]),
    ),
    dates: { timeZone: project.rows[0]?.timezone ?? 'UTC', now },
  };
}
