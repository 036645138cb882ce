/** What people do with their own account, in the log of the organization that they work in. */
import type { ActivityVerb, Author, Change } from './activity.ts';
import { currentOrganization } from './current-organization.ts';
import type { IdentityBound } from './stores.ts';

/** Users who are in no organization leave no entry: nobody could read it. */
export async function recordOwn(
  stores: IdentityBound,
  author: Author & { userId: number },
  { activity, name, changes = [] }: { activity: ActivityVerb; name: string; changes?: readonly Change[] },
): Promise<void> {
  const inSession = { scopes: [], onlyProjects: null, onlyOrganizations: null, session: null, projectId: null };
  const current = await currentOrganization(stores, { ...inSession, userId: author.userId, keyId: null });
  const organizationId = current ?? (await stores.organizations.ofUser(author.userId))[0]?.id;
  if (organizationId === undefined) return;
  const project = { id: null, organizationId };
  await stores.activity.record({ project, author, scope: 'User', itemId: author.userId, activity, name, changes });
}
