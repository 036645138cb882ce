/** Events as they were stored. */
import { EVENTS_WITH_PERSONS } from '../../table/person-states.ts';
import { instantSql, integerSql } from './literals.ts';
import { inWindow, type ModelSource } from './model.ts';

export const events: ModelSource = {
  model: 'events',
  rows: (window) => ({
    from: EVENTS_WITH_PERSONS,
    where: `${inWindow(window)} and inserted_at < ${instantSql(window.cutoff)}`,
  }),
  history: (projectId) => ({
    from: EVENTS_WITH_PERSONS,
    where: `project_id = ${integerSql(projectId)}`,
    hasRelationColumns: true,
  }),
  rowId: 'uuid',
  bytes: 'row_bytes',
  columns: [
    { name: 'uuid', type: 'uuid', sql: 'uuid' },
    { name: 'event', type: 'text', sql: 'event' },
    { name: 'distinct_id', type: 'text', sql: 'distinct_id' },
    { name: 'person_id', type: 'uuid', sql: 'person_id' },
    { name: 'properties', type: 'jsonb', sql: 'properties' },
    { name: 'person_properties', type: 'jsonb', sql: 'person_properties' },
    { name: 'elements_chain', type: 'text', sql: 'elements_chain' },
    { name: 'timestamp', type: 'timestamptz', sql: '"timestamp"' },
    { name: 'created_at', type: 'timestamptz', sql: 'created_at' },
    { name: '_inserted_at', type: 'timestamptz', sql: 'inserted_at' },
    { name: 'team_id', type: 'int4', sql: 'project_id' },
    { name: 'ip', type: 'text', sql: { of: 'properties', sql: (properties) => `${properties} ->> '$ip'` } },
    // Events have not carried a site's address for years; tables of the contract still have the column.
    { name: 'site_url', type: 'text', sql: `''::text` },
    { name: 'set', type: 'jsonb', sql: { of: 'properties', sql: (properties) => `${properties} -> '$set'` } },
    { name: 'set_once', type: 'jsonb', sql: { of: 'properties', sql: (properties) => `${properties} -> '$set_once'` } },
  ],
  tableOnly: new Set(['team_id', 'ip', 'site_url', 'set', 'set_once']),
  merge: null,
  importable: true,
  eventsFromHoursBefore: 0,
};
