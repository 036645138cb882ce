/** Resolves the organization that `@current` stands for. */
import type { Caller } from '../../platform/http/access.ts';
import type { OrganizationStore } from './organizations.store.ts';
import type { ProjectStore } from '../projects/projects.store.ts';

type Stores = { projects: ProjectStore; organizations: OrganizationStore };

/**
 * Returns the organization of the user's current project, or else the one that owns all projects that the caller can access, or without
 * projects, the user's oldest organization.
 * @returns undefined if there is none, if accessible projects belong to several, or for a key of a project
 */
export async function findCurrentOrganization(
  { projects, organizations }: Stores,
  caller: Caller,
): Promise<string | undefined> {
  if (caller.userId === null) return undefined;
  const [id, second] = await projects.findCurrentOrganizations(caller);
  if (id !== undefined) return second === undefined ? id : undefined;
  return (await organizations.listByUser(caller.userId, caller.onlyOrganizations))[0]?.id;
}
