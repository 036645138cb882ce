/** Creates and changes organizations, with entries in the audit log. */
import type { Caller, Organization } from '../../platform/http/access.ts';
import type { OrganizationSettings, OwnOrganization } from './organizations.store.ts';
import type { IdentityStores } from '../stores.ts';

const SCOPE = 'Organization';

/** Creates an organization, and makes the author its owner. */
export async function createOrganization(
  identity: IdentityStores,
  author: { userId: number; keyId: string | null },
  name: string,
): Promise<OwnOrganization> {
  return identity.inTransaction(async ({ organizations, members, auditLog }) => {
    const organization = await organizations.create(name);
    await members.add(organization.id, author.userId, 'owner');
    const project = { id: null, organizationId: organization.id };
    const entry = { project, author, scope: SCOPE, itemId: organization.id, name };
    await auditLog.record({ ...entry, activity: 'created' });
    return { ...organization, role: 'owner' };
  });
}

/** Changes an organization, and logs the changed fields, if any. @throws NotFound */
export async function changeOrganization(
  identity: IdentityStores,
  { caller, organization }: { caller: Caller; organization: Organization },
  changes: { [Name in keyof OrganizationSettings]?: OrganizationSettings[Name] | undefined },
): Promise<OwnOrganization> {
  return identity.inTransaction(async ({ organizations, auditLog }) => {
    const before = await organizations.lock(organization.id);
    const after = await organizations.change(organization.id, changes);
    const project = { id: null, organizationId: organization.id };
    const entry = { project, author: caller, scope: SCOPE, itemId: organization.id, name: after.name };
    await auditLog.recordChange({ ...entry, activity: 'updated' }, settingsOf(before), settingsOf(after));
    return { ...after, role: organization.role };
  });
}

/** Settings under their names on the wire. */
function settingsOf(organization: OrganizationSettings) {
  return {
    name: organization.name,
    members_can_invite: organization.membersCanInvite,
    members_can_use_personal_api_keys: organization.membersCanUsePersonalApiKeys,
    allow_publicly_shared_resources: organization.allowPubliclySharedResources,
  };
}
