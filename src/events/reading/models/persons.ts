/**
 * Persons: for each distinct id whose person changed within the window, the latest version in it. Versions are only ever appended, and
 * never to the past, so the rows of a window are final once its end is sealed.
 */
import { VERSIONS_WITH_PROPERTIES } from '../../table/person-states.ts';
import { integerSql } from './literals.ts';
import { inWindow, type ModelSource } from './model.ts';

const COLUMNS =
  'distinct_id, person_id, properties, created_at, is_deleted, is_identified, version, interval_time, project_id';

/** Bytes of a JSON line besides the properties: names, braces and instants. */
const OTHER_BYTES = 400;

export const persons: ModelSource = {
  model: 'persons',
  rows(window) {
    // The index finds the latest versions, and only those rows are read, by their key: because of the limit Postgres has no
    // other plan, whatever it assumes about a table that is not analyzed yet.
    const latest = `select distinct_id as id, max(version) as newest from person_versions where ${inWindow(window)} group by distinct_id`;
    return {
      from: `(select ${COLUMNS} from (${latest}) as latest cross join lateral (
          select * from ${VERSIONS_WITH_PROPERTIES} as one
          where one.project_id = ${integerSql(window.projectId)} and one.distinct_id = latest.id and one.version = latest.newest
          limit 1) as versions) as persons`,
      where: 'true',
    };
  },
  history: (projectId) => ({
    from: `(select ${COLUMNS} from ${VERSIONS_WITH_PROPERTIES} as versions) as persons`,
    where: `project_id = ${integerSql(projectId)}`,
    hasRelationColumns: true,
  }),
  rowId: `md5(concat_ws('/', project_id, version, distinct_id))::uuid`,
  bytes: `${OTHER_BYTES} + octet_length(properties::text)`,
  columns: [
    { name: 'team_id', type: 'int8', sql: 'project_id::bigint' },
    { name: 'distinct_id', type: 'text', sql: 'distinct_id' },
    { name: 'person_id', type: 'uuid', sql: 'person_id' },
    { name: 'properties', type: 'jsonb', sql: 'properties' },
    // The person and its distinct id share one version, so both columns have it.
    { name: 'person_distinct_id_version', type: 'int8', sql: 'version' },
    { name: 'person_version', type: 'int8', sql: 'version' },
    { name: 'created_at', type: 'timestamptz', sql: 'created_at' },
    { name: '_inserted_at', type: 'timestamptz', sql: 'interval_time' },
    { name: 'is_deleted', type: 'bool', sql: 'is_deleted' },
  ],
  tableOnly: new Set(),
  merge: { key: ['team_id', 'distinct_id'], version: 'person_version' },
  importable: false,
  eventsFromHoursBefore: null,
};
