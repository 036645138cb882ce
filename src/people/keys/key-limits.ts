/** Checks the limits of a key within its user's rights: its own limits, and organizations' policies about personal keys. */
import { PermissionDenied } from '../../platform/errors.ts';
import type { Caller, OrganizationRole, Project } from '../../platform/http/access.ts';
import type { Policy } from '../organizations/tenants.store.ts';

/** @throws PermissionDenied if the key belongs to another project, or is limited to others */
export function ensureMayAccessProject(caller: Caller, { id, organizationId }: Project): void {
  const only = caller.projectId === null ? caller.onlyProjects : [caller.projectId];
  // tooth: key-projects
  if (only && !only.includes(id)) {
    throw new PermissionDenied(`API key does not have access to the requested project: ID ${id}.`);
  }
  ensureMayAccessOrganization(caller, organizationId);
}

/** @throws PermissionDenied when the key is limited to other organizations */
export function ensureMayAccessOrganization({ onlyOrganizations }: Caller, id: string): void {
  // tooth: key-organizations
  if (!onlyOrganizations || onlyOrganizations.includes(id)) return;
  throw new PermissionDenied(`API key does not have access to the requested organization: ID ${id}.`);
}

/** @throws PermissionDenied if the key is limited to projects, for requests outside of projects */
export function ensureNotLimitedToProjects({ onlyProjects }: Caller): void {
  // tooth: key-not-of-projects
  if (!onlyProjects) return;
  throw new PermissionDenied('API keys with scoped projects are only supported on project-based endpoints.');
}

/** @throws PermissionDenied if the organization does not accept personal keys of members who are not admins */
export function ensureKeyAllowed(caller: Caller, { name, membersMayUseKeys }: Policy, role: OrganizationRole): void {
  // tooth: key-of-members
  if (caller.keyId === null || membersMayUseKeys || role !== 'member') return;
  throw new PermissionDenied(
    `Organization '${name}' does not allow using personal API keys. ` +
      'Contact an admin to enable personal API keys for this organization.',
  );
}
