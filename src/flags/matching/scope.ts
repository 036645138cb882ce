/** Loads the settings that filters of a project depend on: cohorts, time zone, and the version of comparisons. */
import type { Pool } from '../../platform/db/connection.ts';
import { parseJson } from '../../conditions/operators/json-values.ts';
import type { MatchingSettings } from './matching-sql.ts';

type ProjectRow = { timezone: string; property_matching_version: 1 | 2 };
type Row = { id: number; is_static: boolean; filters: string };

/** @param now milliseconds since 1970, for relative dates */
export async function loadMatchingSettings(pool: Pool, projectId: number, now: number): Promise<MatchingSettings> {
  const [project, cohorts] = await Promise.all([
    pool.query<ProjectRow>('select timezone, property_matching_version from projects where id = $1', [projectId]),
    pool.query<Row>('select id, is_static, filters::text from cohorts where project_id = $1 and not deleted', [
      projectId,
    ]),
  ]);
  return {
    projectId,
    cohorts: new Map(
      cohorts.rows.map(({ id, is_static: isStatic, filters }) => [id, { id, isStatic, filters: parseJson(filters) }]),
    ),
    context: {
      timeZone: project.rows[0]?.timezone ?? 'UTC',
      version: project.rows[0]?.property_matching_version ?? 1,
      now,
      nulls: 'set',
    },
  };
}
