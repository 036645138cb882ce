/** Authenticates callers by the key or session of a request, and checks their rights. */
import { NotAuthenticated, NotFound, PermissionDenied } from '../../platform/errors.ts';
import {
  isAtLeast,
  reaches,
  type Caller,
  type Credentials,
  type FindProtected,
  type Gatekeeper,
  type ProjectAccess,
  type Rights,
} from '../../platform/http/access.ts';
import { carriesSession } from '../accounts/sessions.ts';
import type { AccessControlStore } from './access-controls.store.ts';
import { findCurrentOrganization } from '../organizations/current-organization.ts';
import {
  ensureKeyAllowed,
  ensureNotLimitedToProjects,
  ensureMayAccessOrganization,
  ensureMayAccessProject,
} from '../keys/key-limits.ts';
import { hashOf, isSecretKey } from '../keys/keys.ts';
import type { KeyStore } from '../keys/keys.store.ts';
import type { OrganizationStore } from '../organizations/organizations.store.ts';
import { invalidKey, findPresentedKey, type PresentedKey } from '../keys/presented-key.ts';
import type { ProjectStore } from '../projects/projects.store.ts';
import type { RequestLimit } from '../keys/request-limits.ts';
import { ensureMayChangeAccess, RIGHTS_OF_PROJECT_KEY, rightsOfMember } from './rights.ts';
import { allows } from './scopes.ts';
import type { TenantStore } from '../organizations/tenants.store.ts';

export type GatekeeperOptions = {
  keys: KeyStore;
  projects: ProjectStore;
  organizations: OrganizationStore;
  tenants: TenantStore;
  accessControls: AccessControlStore;
  /** Authenticates by a session; absent: only keys are accepted. */
  callerOf?: (request: Credentials) => Promise<Caller | undefined>;
  /** Limit for each key; absent: no limit. */
  requestLimit?: RequestLimit;
  /** Lookups, by kind, of the objects that have access controls of their own. */
  protectedObjects?: Readonly<Record<string, FindProtected>>;
};

export function createGatekeeper(options: GatekeeperOptions): Gatekeeper {
  const { keys, projects, tenants, accessControls, callerOf, requestLimit, protectedObjects = {} } = options;

  async function findKeyCaller(key: PresentedKey): Promise<Caller> {
    // A key with a wrong checksum is mistyped or guessed, so it needs no query.
    const caller = isSecretKey(key.key) ? await keys.findCaller(hashOf(key.key)) : undefined;
    if (!caller) throw invalidKey(key);
    return caller;
  }

  async function findRights({ userId }: Caller, projectId: number): Promise<Rights | null> {
    if (userId === null) return RIGHTS_OF_PROJECT_KEY;
    const member = await accessControls.findMember(projectId, userId);
    // tooth: gatekeeper-members-only
    return member ? rightsOfMember(member) : null;
  }

  return {
    async authenticate(request) {
      const key = await findPresentedKey(request);
      const caller = key ? await findKeyCaller(key) : await callerOf?.(request);
      if (!caller && carriesSession(request.headers)) {
        throw new NotAuthenticated('Your session has ended: log in again.', 'session_expired');
      }
      if (!caller) throw new NotAuthenticated();
      return caller;
    },

    current: projects.resolveCurrent,

    async enter(caller, projectId, access) {
      const found = await tenants.findProject(projectId);
      if (!found) throw new NotFound('Project not found.');
      const { project, policy } = found;
      const rights = await findRights(caller, projectId);
      if (rights?.membership) ensureKeyAllowed(caller, policy, rights.membership.role);
      ensureMayAccessProject(caller, project);
      ensureScope(caller, access.scope);
      if (!rights) throw new PermissionDenied("You don't have access to the project.");
      // tooth: gatekeeper-admin
      if (access.admin && !rights.isProjectAdmin) {
        throw new PermissionDenied("You don't have sufficient permissions in the project.");
      }
      ensureKindLevel(rights, access);
      return { project, rights };
    },

    async enterOrganization(caller, id, access) {
      if (caller.userId === null) {
        throw new PermissionDenied('Project secret API keys are only supported on project-based endpoints.');
      }
      const organizationId = id === '@current' ? await findCurrentOrganization(options, caller) : id;
      const found =
        organizationId === undefined ? undefined : await tenants.findOrganization(caller.userId, organizationId);
      if (!found) throw new NotFound('Organization not found.');
      const { policy, membership } = found;
      ensureKeyAllowed(caller, policy, membership.role);
      ensureNotLimitedToProjects(caller);
      ensureMayAccessOrganization(caller, found.id);
      ensureScope(caller, access.organization);
      // tooth: gatekeeper-role
      if (access.role && !isAtLeast(membership.role, access.role)) {
        throw new PermissionDenied('Your organization access level is insufficient.');
      }
      return { id: found.id, name: policy.name, membershipId: membership.id, role: membership.role };
    },

    allow(caller, { needs, limitedKeys }) {
      if (!limitedKeys) ensureNotLimitedToProjects(caller);
      if (needs) ensureScope(caller, needs);
    },

    throttle({ keyId }) {
      if (keyId !== null) requestLimit?.(keyId);
    },

    async guard({ caller, project, rights }, { object, scope }, id) {
      const found = await protectedObjects[object.resource]?.(project.id, id);
      if (!found || (found.deleted && !object.includeDeleted)) throw new NotFound(object.notFoundDetail);
      const required = object.level ?? levelFor(scope);
      // tooth: gatekeeper-object
      if (required === 'manager') ensureMayChangeAccess(rights, object.resource, found);
      else if (!reaches(rights.levelOf(object.resource, found), required)) {
        throw object.deniedDetail === undefined
          ? insufficientLevel(required)
          : new PermissionDenied(object.deniedDetail);
      }
      const refusal = scope.endsWith(':write') ? found.refusal?.(caller, rights) : undefined;
      if (refusal !== undefined) throw new PermissionDenied(refusal);
    },
  };
}

function ensureScope({ scopes }: Caller, scope: ProjectAccess['scope']): void {
  // tooth: gatekeeper-scope
  if (!allows(scopes, scope)) throw new PermissionDenied(`API key missing required scope '${scope}'`);
}

/** Checks the level for a kind of object. Routes of single objects are checked later by `guard`, and lists are filtered instead. */
function ensureKindLevel(rights: Rights, { scope, object, filtered }: ProjectAccess): void {
  const [resource = ''] = scope.split(':');
  // Access to the project itself has levels of its own, which were checked when rights were computed.
  if (filtered || object?.resource === resource || resource === 'project') return;
  const required = levelFor(scope);
  // tooth: gatekeeper-kind
  if (!reaches(rights.levelOf(resource), required)) throw insufficientLevel(required);
}

function levelFor(scope: ProjectAccess['scope']) {
  return scope.endsWith(':write') ? 'editor' : 'viewer';
}

function insufficientLevel(level: string): PermissionDenied {
  return new PermissionDenied(`You do not have ${level} access to this resource.`);
}
