/** Changes an organization's members. Callers cannot raise others above their own level, and one owner must remain. */
import { Conflict, PermissionDenied } from '../../platform/errors.ts';
import type { Caller, Organization, OrganizationRole } from '../../platform/http/access.ts';
import type { Member } from './members.store.ts';
import { LEVEL_OF } from './organization-body.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';

const SCOPE = 'OrganizationMembership';

type MemberContext = { caller: Caller; organization: Organization };

/**
 * Changes the level of a member, and revokes invites that they sent to a higher level.
 * @returns the changed member
 * @throws NotFound, PermissionDenied
 * @throws Conflict if the organization would have no owner
 */
export async function changeLevel(
  identity: IdentityStores,
  context: MemberContext,
  userUuid: string,
  role: OrganizationRole,
): Promise<Member> {
  return withLockedMember(identity, context, userUuid, async (stores, member) => {
    ensureMayGive(context.organization, member, role);
    if (role !== 'owner') await ensureOwnerStays(stores, member);
    await stores.members.setRole(member.id, role);
    await stores.invites.deleteSentBy(member, role);
    await recordChange(stores, context, member, 'updated', role);
    return stores.members.get(member.organizationId, userUuid);
  });
}

/**
 * Removes a member, and revokes the invites that they sent. Members may remove themselves, and admins others.
 * @throws NotFound, PermissionDenied
 * @throws Conflict if the organization would have no owner
 */
export async function removeMember(identity: IdentityStores, context: MemberContext, userUuid: string): Promise<void> {
  await withLockedMember(identity, context, userUuid, async (stores, member) => {
    if (member.id !== context.organization.membershipId) ensureMayEdit(context.organization, member);
    await ensureOwnerStays(stores, member);
    await stores.members.remove(member);
    await stores.invites.deleteSentBy(member);
    await recordChange(stores, context, member, 'deleted', member.role);
  });
}

/** Runs work with the organization locked, so two owners cannot leave at the same time. */
async function withLockedMember<T>(
  identity: IdentityStores,
  { organization }: MemberContext,
  userUuid: string,
  work: (stores: BoundIdentityStores, member: Member) => Promise<T>,
): Promise<T> {
  return identity.inTransaction(async (stores) => {
    await stores.organizations.lock(organization.id);
    return work(stores, await stores.members.get(organization.id, userUuid));
  });
}

/** Checks the right to give a member a role, with upstream's messages. */
function ensureMayGive(editor: Organization, member: Member, role: OrganizationRole): void {
  if (member.id === editor.membershipId) throw new PermissionDenied("You can't change your own access level.");
  ensureMayEdit(editor, member);
  // tooth: member-raise
  if (LEVEL_OF[role] <= LEVEL_OF[editor.role]) return;
  throw new PermissionDenied(
    role === 'owner'
      ? "You can only make another member owner if you're this organization's owner."
      : 'You can only change access level of others to lower or equal to your current one.',
  );
}

function ensureMayEdit(editor: Organization, member: Member): void {
  if (editor.role === 'member') throw new PermissionDenied('You can only edit others if you are an admin.');
  if (LEVEL_OF[member.role] <= LEVEL_OF[editor.role]) return;
  throw new PermissionDenied('You can only edit others with level lower or equal to you.');
}

async function ensureOwnerStays({ members }: BoundIdentityStores, member: Member): Promise<void> {
  // tooth: organization-owner
  if (member.role !== 'owner' || (await members.countOwners(member.organizationId)) > 1) return;
  throw new Conflict('An organization needs an owner: make another member an owner first.');
}

async function recordChange(
  { auditLog }: BoundIdentityStores,
  { caller }: MemberContext,
  member: Member,
  verb: 'updated' | 'deleted',
  role: OrganizationRole,
): Promise<void> {
  const project = { id: null, organizationId: member.organizationId };
  const entry = { project, author: caller, scope: SCOPE, itemId: member.id, activity: verb, name: member.user.email };
  const before = verb === 'updated' ? { level: LEVEL_OF[member.role] } : undefined;
  await auditLog.recordChange(entry, before, { level: LEVEL_OF[role] });
}
