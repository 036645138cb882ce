/** Builders of rows that decisions read: flags, cohorts, groups. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from '../../../src/platform/db/connection.ts';
import type { Tenant } from '../api/identity.ts';

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

/** @returns the flag's id; by default, the flag is on for everybody */
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

const LIVE_MS = 60_000;

/** Resolves when a started server uses the rows that are stored now. It notices rows written directly to the database with a delay. */
export async function waitUntilServerUsesRows({ db, url }: { db: Knex; url: string }, tenant: Tenant): Promise<void> {
  const stored = await db('flag_definitions').where({ project_id: tenant.projectId }).first<{ version: string }>();
  const deadline = Date.now() + LIVE_MS;
  while ((await liveVersion(url, tenant.apiToken)) < Number(stored?.version ?? 0)) {
    if (Date.now() > deadline) throw new Error('what was stored is not live');
    await sleep(20);
  }
}

/** The address of the event stream contains the version that the server uses. */
async function liveVersion(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ context: { targetingKey: 'anybody' } }),
  });
  const { eventStreams } = (await answer.json()) as { eventStreams: { url: string }[] };
  return Number(new URL(eventStreams[0]!.url).searchParams.get('since'));
}
