/** Creates an organization, a user, a project and keys for the first start on a developer's machine. */
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../platform/db/transactions.ts';
import { ADVISORY_LOCKS } from '../platform/db/advisory-locks.ts';
import type { Knex } from '../platform/db/connection.ts';
import { generateKey, hashOf, KEY_PREFIXES } from './keys/keys.ts';
import { keyStore } from './keys/keys.store.ts';
import { ALL_SCOPES } from './access/scopes.ts';

export const DEMO_EMAIL = 'demo@sluice.invalid';
const KEY_LABEL = 'demo';

export type Demo = {
  organizationId: string;
  userId: number;
  projectId: number;
  /** The project's public token. */
  projectApiKey: string;
  /** A personal key with all scopes. */
  personalApiKey: string;
};

/**
 * Creates the rows that the demo lacks, and leaves the others.
 * @param knownPersonalKey the key that an earlier call returned, which stays while it is valid. Without it the demo's key is replaced,
 * because keys cannot be read back from the database.
 */
export async function seedDemo(db: Knex, knownPersonalKey?: string): Promise<Demo> {
  return inTransaction(db, async (transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(?)', [ADVISORY_LOCKS.demo]);
    const tenant = (await findDemo(transaction)) ?? (await createDemo(transaction));
    return { ...tenant, personalApiKey: await ensurePersonalKey(transaction, tenant.userId, knownPersonalKey) };
  });
}

type Tenant = Omit<Demo, 'personalApiKey'>;

async function findDemo(db: Knex): Promise<Tenant | undefined> {
  const row: Tenant | undefined = await db('users')
    .join('organization_memberships', 'organization_memberships.user_id', 'users.id')
    .join('projects', 'projects.organization_id', 'organization_memberships.organization_id')
    .where({ email: DEMO_EMAIL })
    .orderBy('projects.id')
    .first({
      organizationId: 'projects.organization_id',
      userId: 'users.id',
      projectId: 'projects.id',
      projectApiKey: 'projects.api_token',
    });
  return row;
}

type NewProject = {
  id: number;
  organization_id: string;
  name: string;
  api_token: string;
  historical_from_project_key: boolean;
};

async function createDemo(db: Knex): Promise<Tenant> {
  const organizationId = randomUUID();
  const projectApiKey = generateKey(KEY_PREFIXES.project);
  await db('organizations').insert({ id: organizationId, name: 'Demo' });
  const [user] = await db<{ id: number; uuid: string; distinct_id: string; first_name: string; email: string }>('users')
    .insert({ uuid: randomUUID(), distinct_id: randomUUID(), first_name: 'Demo', email: DEMO_EMAIL })
    .returning('id');
  await db('organization_memberships').insert({ organization_id: organizationId, user_id: user!.id, role: 'owner' });
  const [project] = await db<NewProject>('projects')
    .insert({
      organization_id: organizationId,
      name: 'Demo',
      api_token: projectApiKey,
      // On a developer's machine the convenience of importing logs with the public key outweighs the risk.
      historical_from_project_key: true,
    })
    .returning('id');
  return { organizationId, userId: user!.id, projectId: project!.id, projectApiKey };
}

async function ensurePersonalKey(db: Knex, userId: number, knownKey: string | undefined): Promise<string> {
  const keys = keyStore(db);
  const caller = knownKey && (await keys.findCaller(hashOf(knownKey)));
  if (caller && caller.userId === userId) return knownKey;
  await db('api_keys').where({ user_id: userId, label: KEY_LABEL }).delete();
  return (await keys.create({ userId }, { label: KEY_LABEL, scopes: [ALL_SCOPES] })).key;
}
