/** Creates and changes projects, with entries in the audit log. */
import type { Caller, Organization } from '../../platform/http/access.ts';
import { PermissionDenied } from '../../platform/errors.ts';
import { changesBetween } from '../audit/audit-log.ts';
import { generateKey, KEY_PREFIXES } from '../keys/keys.ts';
import { settingsOf } from './project-body.ts';
import type { Project, ProjectChanges } from './projects.store.ts';
import type { IdentityStores } from '../stores.ts';

const SCOPE = 'Project';

/**
 * Creates a project, which becomes its author's current project if they have none.
 * @throws PermissionDenied when the caller is not an admin of the organization
 */
export async function createProject(
  identity: IdentityStores,
  { caller, organization }: { caller: Caller; organization: Organization },
  settings: ProjectChanges & { name: string },
): Promise<Project> {
  if (organization.role === 'member') {
    throw new PermissionDenied('You need to be an organization admin or above to create new projects.');
  }
  return identity.inTransaction(async ({ projects, accounts, auditLog }) => {
    const project = await projects.create(organization.id, generateKey(KEY_PREFIXES.project), settings);
    const hasCurrent = (await projects.findCurrentProject(caller)) !== undefined;
    if (caller.userId !== null && !hasCurrent) await accounts.change(caller.userId, { currentProjectId: project.id });
    const entry = { project, author: caller, scope: SCOPE, itemId: project.id, name: project.name };
    await auditLog.record({ ...entry, activity: 'created' });
    return project;
  });
}

/**
 * Changes a project, and logs the changed fields, if any.
 * @param ensureMayChange throws when the caller may not change the locked project so
 * @throws NotFound
 */
export async function changeProject(
  identity: IdentityStores,
  { caller, projectId }: { caller: Caller; projectId: number },
  changes: ProjectChanges,
  ensureMayChange: (before: Project) => void,
): Promise<Project> {
  return identity.inTransaction(async ({ projects, auditLog }) => {
    const before = await projects.lock(projectId);
    ensureMayChange(before);
    const after = await projects.change(projectId, changes);
    const entry = { project: after, author: caller, scope: SCOPE, itemId: projectId, name: after.name };
    await auditLog.recordChange({ ...entry, activity: 'updated' }, auditedFields(before), auditedFields(after));
    return after;
  });
}

function auditedFields(project: Project) {
  return { name: project.name, ...settingsOf(project) };
}

/** Gives the project a new public key, and invalidates the old one. @throws NotFound */
export async function resetToken(
  identity: IdentityStores,
  { caller, projectId }: { caller: Caller; projectId: number },
): Promise<Project> {
  return identity.inTransaction(async ({ projects, auditLog }) => {
    const before = await projects.lock(projectId);
    const after = await projects.change(projectId, { apiToken: generateKey(KEY_PREFIXES.project) });
    const [was, is] = [before, after].map(({ apiToken }) => ({
      api_token: `${apiToken.slice(0, 4)}...${apiToken.slice(-4)}`,
    }));
    const entry = { project: after, author: caller, scope: SCOPE, itemId: projectId, name: after.name };
    await auditLog.record({ ...entry, activity: 'updated', changes: changesBetween(SCOPE, was!, is!) });
    return after;
  });
}
