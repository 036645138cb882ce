/** More people of a tenant's organization, with access rules and keys. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../../src/platform/db/connection.ts';
import type { OrganizationRole } from '../../../src/platform/http/access.ts';
import { buildPersonalKey, type Tenant } from './identity.ts';

/** Another user of the tenant's organization; the other fields are the tenant's. */
export type Member = Tenant & { membershipId: string; uuid: string; key: string };

/** A member with a key that may do everything. */
export async function buildMember(db: Knex, tenant: Tenant, role: OrganizationRole = 'member'): Promise<Member> {
  const uuid = randomUUID();
  const [user] = await db('users')
    .insert({ uuid, distinct_id: uuid, email: `${uuid}@example.com` })
    .returning<{ id: number }[]>('id');
  const [membership] = await db('organization_memberships')
    .insert({ organization_id: tenant.organizationId, user_id: user!.id, role })
    .returning<{ id: string }[]>('id');
  const member = { ...tenant, userId: user!.id, membershipId: membership!.id, uuid };
  return { ...member, key: await buildPersonalKey(db, member, '*') };
}

/** A role of the organization, given to these members. */
export async function buildRole(
  db: Knex,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  ...members: Member[]
): Promise<string> {
  const id = randomUUID();
  await db('roles').insert({ id, organization_id: organizationId, name: id });
  for (const { membershipId } of members) {
    await db('role_memberships').insert({ id: randomUUID(), role_id: id, membership_id: membershipId });
  }
  return id;
}

type RuleColumns = { resource: string; resource_id?: string; membership_id?: string; role_id?: string };

/** Inserts an access rule; it applies to everybody unless it names a member or a role. */
export async function buildRule(
  db: Knex,
  { projectId }: Pick<Tenant, 'projectId'>,
  level: string,
  about: RuleColumns,
): Promise<void> {
  await db('access_controls').insert({ id: randomUUID(), project_id: projectId, access_level: level, ...about });
}
