/** The organization that `@current` stands for. */
import type { Caller } from '../../platform/http/access.ts';
import type { OrganizationStore } from './organizations.store.ts';
import type { ProjectStore } from '../projects/projects.store.ts';

type Stores = { projects: ProjectStore; organizations: OrganizationStore };

/**
 * The organization of the project which the caller's user works in, else that of all projects which are open to the caller. A caller who has no project
 * yet is in the organization that is there the longest.
 * @returns undefined when there is none, or projects of several are open, or the caller is a key of a project
 */
export async function currentOrganization(
  { projects, organizations }: Stores,
  caller: Caller,
): Promise<string | undefined> {
  if (caller.userId === null) return undefined;
  const [id, second] = await projects.organizationsWorkedIn(caller);
  if (id !== undefined) return second === undefined ? id : undefined;
  return (await organizations.ofUser(caller.userId, caller.onlyOrganizations))[0]?.id;
}
