/** Rows of feature flags. Writers hold the project's lock (`stores.inTransaction`); instants are ISO text with microseconds. */
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { NotFound } from '../../platform/errors.ts';
import type { Visible } from '../../platform/http/access.ts';
import { seesAll, whereVisible } from '../../people/access/visible.store.ts';
import type { FlagFilters } from './filters.ts';
import { selectFlags, type FlagQuery } from './list.store.ts';

export const RUNTIMES = ['all', 'client', 'server'] as const;
export const IDENTIFIERS = ['distinct_id', 'device_id'] as const;

export type FeatureFlag = {
  id: number;
  projectId: number;
  key: string;
  /** A description of the flag, despite the name. */
  name: string;
  filters: FlagFilters;
  active: boolean;
  deleted: boolean;
  /** Rises with every change. */
  version: number;
  ensureExperienceContinuity: boolean;
  evaluationRuntime: (typeof RUNTIMES)[number];
  bucketingIdentifier: (typeof IDENTIFIERS)[number];
  evaluationContexts: string[];
  tags: string[];
  isRemoteConfiguration: boolean;
  /** Whether the payloads are encrypted; the filters then have none. */
  hasEncryptedPayloads: boolean;
  encryptedPayloads: string | null;
  createdBy: number | null;
  lastModifiedBy: number | null;
  createdAt: string;
  updatedAt: string;
};

/** Fields of a flag that clients may set. */
export type FlagFields = Omit<
  FeatureFlag,
  'id' | 'projectId' | 'version' | 'createdBy' | 'lastModifiedBy' | 'createdAt' | 'updatedAt'
>;

type Row = {
  id: number;
  project_id: number;
  key: string;
  name: string;
  filters: FlagFilters;
  active: boolean;
  deleted: boolean;
  version: number;
  ensure_experience_continuity: boolean;
  evaluation_runtime: FeatureFlag['evaluationRuntime'];
  bucketing_identifier: FeatureFlag['bucketingIdentifier'];
  evaluation_contexts: string[];
  tags: string[];
  is_remote_configuration: boolean;
  has_encrypted_payloads: boolean;
  sealed_payloads: string | null;
  created_by: number | null;
  last_modified_by: number | null;
  created_at: string;
  updated_at: string;
};

function flagFrom(row: Row): FeatureFlag {
  return {
    id: row.id,
    projectId: row.project_id,
    key: row.key,
    name: row.name,
    filters: row.filters,
    active: row.active,
    deleted: row.deleted,
    version: row.version,
    ensureExperienceContinuity: row.ensure_experience_continuity,
    evaluationRuntime: row.evaluation_runtime,
    bucketingIdentifier: row.bucketing_identifier,
    evaluationContexts: row.evaluation_contexts,
    tags: row.tags,
    isRemoteConfiguration: row.is_remote_configuration,
    hasEncryptedPayloads: row.has_encrypted_payloads,
    encryptedPayloads: row.sealed_payloads,
    createdBy: row.created_by,
    lastModifiedBy: row.last_modified_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Column of each field, which is also its name on the wire. */
export const COLUMN: Record<keyof FlagFields, keyof Row> = {
  key: 'key',
  name: 'name',
  filters: 'filters',
  active: 'active',
  deleted: 'deleted',
  ensureExperienceContinuity: 'ensure_experience_continuity',
  evaluationRuntime: 'evaluation_runtime',
  bucketingIdentifier: 'bucketing_identifier',
  evaluationContexts: 'evaluation_contexts',
  tags: 'tags',
  isRemoteConfiguration: 'is_remote_configuration',
  hasEncryptedPayloads: 'has_encrypted_payloads',
  encryptedPayloads: 'sealed_payloads',
};

function toColumns(fields: Partial<FlagFields>): Partial<Row> {
  const entries = Object.entries(fields) as [keyof FlagFields, unknown][];
  return Object.fromEntries(entries.map(([name, value]) => [COLUMN[name], value]));
}

export function featureFlagStore(db: Knex) {
  const table = () => db<Row>('feature_flags');

  return {
    /** Returns deleted flags too. @throws NotFound */
    async get(projectId: number, id: number): Promise<FeatureFlag> {
      const row = await table().where({ project_id: projectId, id }).first();
      if (!row) throw new NotFound();
      return flagFrom(row);
    },

    /** Returns deleted flags too. */
    async find(projectId: number, id: number): Promise<FeatureFlag | undefined> {
      const row = await table().where({ project_id: projectId, id }).first();
      return row && flagFrom(row);
    },

    /** Returns only a flag that is not deleted. */
    async findByKey(projectId: number, key: string): Promise<FeatureFlag | undefined> {
      const row = await table().where({ project_id: projectId, key, deleted: false }).first();
      return row && flagFrom(row);
    },

    /** Lists flags, without deleted ones and those that belong to a survey. */
    async list(projectId: number, query: FlagQuery): Promise<{ count: number; results: FeatureFlag[] }> {
      const { count, rows } = await selectFlags(db, projectId, query);
      return { count, results: (rows as Row[]).map(flagFrom) };
    },

    /** Lists the keys of flags that the viewer may not see, without deleted flags. */
    async hiddenKeys(projectId: number, visible: Visible): Promise<string[]> {
      if (seesAll(visible)) return [];
      const seen = whereVisible(table().where({ project_id: projectId }), visible).select('id');
      return table().where({ project_id: projectId, deleted: false }).whereNotIn('id', seen).pluck('key');
    },

    /** Finds flags that exist and are not deleted, sorted by id. */
    async findByIds(projectId: number, ids: readonly number[]): Promise<FeatureFlag[]> {
      const rows = await table().where({ project_id: projectId, deleted: false }).whereIn('id', ids).orderBy('id');
      return rows.map(flagFrom);
    },

    /** Finds flags, including deleted ones, in no order. */
    async findByIdsWithDeleted(projectId: number, ids: readonly number[]): Promise<FeatureFlag[]> {
      return (await table().where({ project_id: projectId }).whereIn('id', ids)).map(flagFrom);
    },

    /** Inserts a flag. Deletes the row of a deleted flag with the same key, unless other objects still refer to it. */
    async insert(projectId: number, userId: number | null, fields: FlagFields): Promise<FeatureFlag> {
      await db
        .transaction((savepoint) =>
          savepoint('feature_flags').where({ project_id: projectId, key: fields.key, deleted: true }).delete(),
        )
        .catch((error: unknown) => {
          if (sqlState(error) !== SQL_STATE.foreignKeyViolation) throw error;
        });
      const [row] = await table()
        .insert({ project_id: projectId, created_by: userId, last_modified_by: userId, ...toColumns(fields) })
        .returning('*');
      return flagFrom(row!);
    },

    /** Stores payloads that could only be encrypted once the flag had an id. Keeps the version. */
    async setEncryptedPayloads(id: number, encryptedPayloads: string): Promise<FeatureFlag> {
      const [row] = await table().where({ id }).update({ sealed_payloads: encryptedPayloads }).returning('*');
      return flagFrom(row!);
    },

    /** Changes fields and raises the version. */
    async update(id: number, userId: number | null, fields: Partial<FlagFields>): Promise<FeatureFlag> {
      const [row] = await table()
        .where({ id })
        .update({
          ...toColumns(fields),
          last_modified_by: userId,
          version: db.raw('version + 1'),
          updated_at: db.raw('clock_timestamp()'),
        })
        .returning('*');
      return flagFrom(row!);
    },
  };
}

export type FeatureFlagStore = ReturnType<typeof featureFlagStore>;
