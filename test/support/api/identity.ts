/** Builders of tenants: each call makes an organization, a user and a project of its own, and their keys on request. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../../src/platform/db/connection.ts';
import { generateKey, KEY_PREFIXES } from '../../../src/people/keys/keys.ts';
import type { OrganizationRole } from '../../../src/platform/http/access.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { createSessions } from '../../../src/people/accounts/sessions.ts';
import { identityStores } from '../../../src/people/stores.ts';

export type Tenant = { organizationId: string; userId: number; projectId: number; apiToken: string };

type Settings = { name?: string; historicalFromProjectKey?: boolean; anonymizeIps?: boolean; cookieless?: boolean };

export async function buildTenant(
  db: Knex,
  { name = 'Tenant', historicalFromProjectKey = false, anonymizeIps = false, cookieless = false }: Settings = {},
): Promise<Tenant> {
  const organizationId = randomUUID();
  const apiToken = generateKey(KEY_PREFIXES.project);
  await db('organizations').insert({ id: organizationId, name });
  const { rows } = await db.raw<{ rows: { user_id: number; project_id: number }[] }>(
    `with one_user as (insert into users (uuid, distinct_id, email) values (:uuid, :uuid, :email) returning id),
          membership as (insert into organization_memberships (organization_id, user_id, role)
                         select :organizationId, id, 'member' from one_user),
          project as (insert into projects (organization_id, name, api_token, historical_from_project_key, anonymize_ips,
                        cookieless_server_hash_mode)
                      values (:organizationId, :name, :apiToken, :historicalFromProjectKey, :anonymizeIps, :cookieless) returning id)
     select one_user.id as user_id, project.id as project_id from one_user, project`,
    {
      uuid: randomUUID(),
      email: `${randomUUID()}@example.com`,
      organizationId,
      name,
      apiToken,
      historicalFromProjectKey,
      anonymizeIps,
      cookieless: cookieless ? 1 : 0,
    },
  );
  const { user_id: userId, project_id: projectId } = rows[0]!;
  return { organizationId, userId, projectId, apiToken };
}

/** A key of the tenant's user. */
export async function buildPersonalKey(db: Knex, { userId }: Tenant, ...scopes: string[]): Promise<string> {
  return (await keyStore(db).create({ userId }, { label: 'test', scopes })).key;
}

/** A secret key of the tenant's project. */
export async function buildProjectSecretKey(db: Knex, { projectId }: Tenant, ...scopes: string[]): Promise<string> {
  return (await keyStore(db).create({ projectId }, { label: 'test', scopes })).key;
}

/** Headers of a logged-in user's request from our own pages. */
export async function buildSession(db: Knex, { userId }: Pick<Tenant, 'userId'>): Promise<Record<string, string>> {
  const { sessions } = identityStores(db);
  const cookies = await createSessions({ sessions, publicUrl: 'http://test' }).begin(sessions, userId, {
    headers: {},
    address: '',
  });
  const pairs = cookies.map((cookie) => cookie.split(';')[0]!);
  const csrfToken = pairs.find((pair) => pair.startsWith('posthog_csrftoken='))?.split('=')[1] ?? '';
  return { Cookie: pairs.join('; '), 'X-CSRFToken': csrfToken };
}

/** Sets the role of the tenant's user in the organization. */
export async function promote(db: Knex, { organizationId, userId }: Tenant, role: OrganizationRole): Promise<void> {
  await db('organization_memberships').where({ organization_id: organizationId, user_id: userId }).update({ role });
}
