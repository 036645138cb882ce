/** Builders of what flags are decided by, as rows. */
import type { Knex } from '../../src/db/connection.ts';

export type FlagRow = {
  id: number;
  key: string;
  name: string;
  filters: object;
  active: boolean;
  deleted: boolean;
  version: number;
  ensure_experience_continuity: boolean;
  evaluation_runtime: string;
  bucketing_identifier: string;
  evaluation_contexts: string[];
  tags: string[];
  is_remote_configuration: boolean;
  has_encrypted_payloads: boolean;
};

/** @returns the flag's id; what is not given is as of a plain flag for everybody */
export async function buildFlag(db: Knex, projectId: number, flag: Partial<Omit<FlagRow, 'id'>> = {}): Promise<number> {
  const row = {
    key: 'flag',
    name: '',
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    active: true,
    ensure_experience_continuity: false,
    evaluation_runtime: 'all',
    bucketing_identifier: 'distinct_id',
    evaluation_contexts: [],
    tags: [],
    is_remote_configuration: false,
    has_encrypted_payloads: false,
    ...flag,
    project_id: projectId,
  };
  const [stored] = await db<FlagRow>('feature_flags').insert(row).returning('id');
  return stored!.id;
}

/** @param properties absent: a static cohort */
export async function buildCohort(db: Knex, projectId: number, properties?: object): Promise<number> {
  const row = {
    project_id: projectId,
    name: 'cohort',
    description: '',
    is_static: properties === undefined,
    filters: properties === undefined ? {} : { properties },
  };
  const [stored] = await db('cohorts').insert(row).returning<{ id: number }[]>('id');
  return stored!.id;
}
