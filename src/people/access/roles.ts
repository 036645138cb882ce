/** Presents roles of an organization with their members, and logs changes to them. */
import type { Caller, Organization } from '../../platform/http/access.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { type AuditVerb } from '../audit/entry.ts';
import type { Member } from '../organizations/members.store.ts';
import type { Role, RoleMembership } from './roles.store.ts';
import type { BoundIdentityStores } from '../stores.ts';
import { nullable } from '../../platform/schema.ts';
import { presentUser, UserBody, userOf } from '../accounts/users.ts';

const Id = Type.String({ format: 'uuid' });
const Instant = Type.String({ format: 'date-time' });

export const RoleMembershipBody = Type.Object(
  {
    id: Id,
    role_id: Id,
    organization_member: Type.String({ format: 'uuid', description: 'The ID of the membership.' }),
    user: UserBody,
    user_uuid: Id,
    joined_at: Instant,
  },
  { title: 'RoleMembership' },
);

export const RoleBody = Type.Object(
  {
    id: Id,
    name: Type.String(),
    created_at: Instant,
    created_by: nullable(UserBody),
    members: Type.Array(RoleMembershipBody),
    is_default: Type.Literal(false),
  },
  { title: 'Role' },
);

export function presentRoleMembership(membership: RoleMembership, member: Member): Static<typeof RoleMembershipBody> {
  return {
    id: membership.id,
    role_id: membership.roleId,
    organization_member: membership.membershipId,
    user: presentUser(member.user),
    user_uuid: member.user.uuid,
    joined_at: membership.joinedAt,
  };
}

/** Presents roles with their members, with three queries for any number of roles. */
export async function presentRoles(
  roles: readonly Role[],
  organizationId: string,
  stores: BoundIdentityStores,
): Promise<Static<typeof RoleBody>[]> {
  const memberships = await listMemberships(
    roles.map(({ id }) => id),
    organizationId,
    stores,
  );
  const users = await stores.users.findByIds(roles.map(({ createdBy }) => createdBy));
  return roles.map((role) => ({
    id: role.id,
    name: role.name,
    created_at: role.createdAt,
    created_by: userOf(users, role.createdBy),
    members: memberships.filter(({ role_id }) => role_id === role.id),
    is_default: false,
  }));
}

/** Lists the members of the roles, in the order in which they joined. */
export async function listMemberships(
  roleIds: readonly string[],
  organizationId: string,
  { roles, members }: BoundIdentityStores,
): Promise<Static<typeof RoleMembershipBody>[]> {
  const all = await roles.listMemberships(roleIds);
  const knownMembers = await members.findByIds(
    organizationId,
    all.map(({ membershipId }) => membershipId),
  );
  const byId = new Map(knownMembers.map((member) => [member.id, member]));
  return all.flatMap((membership) => {
    const member = byId.get(membership.membershipId);
    return member ? [presentRoleMembership(membership, member)] : [];
  });
}

/** Logs a change to a role's name or members, unless nothing changed. */
export async function recordRoleChange(
  { auditLog }: BoundIdentityStores,
  { caller, organization }: { caller: Caller; organization: Organization },
  role: Role,
  { verb, before = {}, after = {} }: { verb: AuditVerb; before?: RoleState; after?: RoleState },
): Promise<void> {
  const project = { id: null, organizationId: organization.id };
  const entry = { project, author: caller, scope: 'Role', itemId: role.id, activity: verb, name: role.name };
  await auditLog.recordChange(entry, verb === 'updated' ? before : undefined, after);
}

type RoleState = { name?: string; member?: string };
