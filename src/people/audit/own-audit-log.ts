/** Logs changes of users to their own account, in the audit log of their current organization. */
import type { Author } from './audit-log.ts';
import type { AuditVerb, Change } from './entry.ts';
import { findCurrentOrganization } from '../organizations/current-organization.ts';
import type { BoundIdentityStores } from '../stores.ts';

type OwnEntry = {
  activity: AuditVerb;
  name: string;
  changes?: readonly Change[];
  /** Author of the change; absent: the user. */
  author?: Author;
};

/** Records an entry about a user; none for a user without an organization, because nobody could read it. */
export async function recordOwnChange(
  stores: BoundIdentityStores,
  own: Author & { userId: number },
  { author = own, ...entry }: OwnEntry,
): Promise<void> {
  const inSession = { scopes: [], onlyProjects: null, onlyOrganizations: null, session: null, projectId: null };
  const current = await findCurrentOrganization(stores, { ...inSession, userId: own.userId, keyId: null });
  const organizationId = current ?? (await stores.organizations.listByUser(own.userId))[0]?.id;
  if (organizationId === undefined) return;
  const project = { id: null, organizationId };
  await stores.auditLog.record({ project, author, scope: 'User', itemId: own.userId, ...entry });
}
