/** Reads all definitions of a project in one statement, so they are consistent and take one round trip. */
import type { Pool } from '../../platform/db/connection.ts';
import { parseJson } from '../../conditions/operators/json-values.ts';
import type { Snapshot, StoredFlag } from './stored-definitions.ts';

type FlagRow = {
  id: number;
  key: string;
  name: string;
  filters: string;
  active: boolean;
  version: number;
  ensure_experience_continuity: boolean;
  evaluation_runtime: StoredFlag['evaluationRuntime'];
  bucketing_identifier: StoredFlag['bucketingIdentifier'];
  evaluation_contexts: string[];
  tags: string[];
  is_remote_configuration: boolean;
  has_encrypted_payloads: boolean;
  has_experiment: boolean;
};

type Row = {
  id: number;
  organization_id: string;
  api_token: string;
  timezone: string;
  property_matching_version: 1 | 2;
  has_surveys: boolean;
  cookieless: boolean;
  version: string;
  flags: FlagRow[];
  cohorts: { id: number; is_static: boolean; filters: string }[];
  group_types: { index: number; name: string }[];
};

/** Reads filters as text, because the driver's `JSON.parse` would lose the notation of numbers. */
const SNAPSHOT = `
  select projects.id, organization_id, api_token, timezone, property_matching_version, cookieless_server_hash_mode = 1 as cookieless,
    exists (select from surveys where project_id = projects.id and not archived and start_date is not null) as has_surveys,
    coalesce((select version from flag_definitions where project_id = projects.id), 0) as version,
    (select coalesce(json_agg(flag), '[]') from (
      select id, key, name, filters::text as filters, active, version, ensure_experience_continuity, evaluation_runtime,
        bucketing_identifier, evaluation_contexts, tags, is_remote_configuration, has_encrypted_payloads,
        exists (select from experiments where flag_id = feature_flags.id and not deleted) as has_experiment
      from feature_flags where project_id = projects.id and not deleted order by key collate "C"
    ) as flag) as flags,
    (select coalesce(json_agg(cohort), '[]') from (
      select id, is_static, filters::text as filters from cohorts where project_id = projects.id and not deleted order by id
    ) as cohort) as cohorts,
    (select coalesce(json_agg(group_type), '[]') from (
      select group_type_index as index, group_type as name from group_types where project_id = projects.id order by 1
    ) as group_type) as group_types
  from projects where `;

const VERSIONS = `
  select projects.id, coalesce(version, 0) as version
  from projects left join flag_definitions on project_id = projects.id where projects.id = any ($1)`;

export function definitionsStore(pool: Pool) {
  async function find(condition: string, value: string | number): Promise<Snapshot | undefined> {
    const { rows } = await pool.query<Row>(SNAPSHOT + condition, [value]);
    return rows[0] && snapshotFrom(rows[0]);
  }

  return {
    findByToken: (token: string) => find('api_token = $1', token),
    findById: (projectId: number) => find('projects.id = $1', projectId),

    /** @returns the current versions of the projects that still exist */
    async findVersions(projectIds: readonly number[]): Promise<Map<number, string>> {
      const { rows } = await pool.query<{ id: number; version: string }>(VERSIONS, [projectIds]);
      return new Map(rows.map(({ id, version }) => [id, version]));
    },
  };
}

export type DefinitionsStore = ReturnType<typeof definitionsStore>;

function snapshotFrom(row: Row): Snapshot {
  return {
    projectId: row.id,
    organizationId: row.organization_id,
    token: row.api_token,
    version: row.version,
    definitions: {
      flags: row.flags.map(flagFromRow),
      cohorts: row.cohorts.map(({ id, is_static, filters }) => ({
        id,
        isStatic: is_static,
        filters: parseJson(filters),
      })),
      groupTypes: new Map(row.group_types.map(({ index, name }) => [index, name])),
      timeZone: row.timezone,
      matchingVersion: row.property_matching_version,
    },
    settings: { hasSurveys: row.has_surveys, cookieless: row.cookieless },
  };
}

function flagFromRow(row: FlagRow): StoredFlag {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    filters: parseJson(row.filters),
    active: row.active,
    version: row.version,
    ensureExperienceContinuity: row.ensure_experience_continuity,
    evaluationRuntime: row.evaluation_runtime,
    bucketingIdentifier: row.bucketing_identifier,
    evaluationContexts: row.evaluation_contexts,
    tags: row.tags,
    isRemoteConfiguration: row.is_remote_configuration,
    hasEncryptedPayloads: row.has_encrypted_payloads,
    hasExperiment: row.has_experiment,
  };
}
