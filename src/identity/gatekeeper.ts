/** Who may do what, decided from the key or the session that a request carries. */
import { NotAuthenticated, NotFound, PermissionDenied } from '../errors.ts';
import {
  reaches,
  type Caller,
  type FindProtected,
  type Gatekeeper,
  type ProjectAccess,
  type Rights,
} from '../http/access.ts';
import type { AccessControlStore } from './access-controls.store.ts';
import { hashOf, isSecretKey } from './keys.ts';
import type { KeyStore } from './keys.store.ts';
import type { ProjectStore } from './projects.store.ts';
import { RIGHTS_OF_PROJECT_KEY, rightsOfMember } from './rights.ts';
import { allows } from './scopes.ts';

const BEARER = /^Bearer +(\S+) *$/i;

export type GatekeeperOptions = {
  keys: KeyStore;
  projects: ProjectStore;
  accessControls: AccessControlStore;
  /** How to find the objects of each kind that is protected one by one. */
  protectedObjects?: Readonly<Record<string, FindProtected>>;
};

export function createGatekeeper(options: GatekeeperOptions): Gatekeeper {
  const { keys, projects, accessControls, protectedObjects = {} } = options;

  async function rightsOf({ userId }: Caller, projectId: number): Promise<Rights> {
    if (userId === null) return RIGHTS_OF_PROJECT_KEY;
    const standing = await accessControls.standingOf(projectId, userId);
    const rights = standing && rightsOfMember({ userId, ...standing });
    if (!rights) throw new PermissionDenied("You don't have access to the project.");
    return rights;
  }

  return {
    async authenticate({ headersDistinct: { authorization = [] } }) {
      const [header, second] = authorization;
      if (header === undefined) throw new NotAuthenticated();
      const key = BEARER.exec(header)?.[1];
      if (second !== undefined || key === undefined) {
        throw new NotAuthenticated('Give one header `Authorization: Bearer <key>`.');
      }
      // A wrong checksum is a typing error or a guess: not worth a query.
      const caller = isSecretKey(key) ? await keys.findCaller(hashOf(key)) : undefined;
      if (!caller) throw new NotAuthenticated('The API key is not valid.');
      return caller;
    },

    current: projects.current,

    async enter(caller, projectId, access) {
      const found = await projects.find(caller, projectId);
      if (!found) throw new NotFound('Project not found.');
      if (!found.open) throw new PermissionDenied('This API key does not open this project.');
      ensureScope(caller, access.scope);
      const rights = await rightsOf(caller, projectId);
      ensureKind(rights, access);
      return { project: found.project, rights };
    },

    async enterOrganization(caller, _id, access) {
      ensureScope(caller, access.organization);
      throw new NotFound('Organization not found.');
    },

    allow(caller, { needs }) {
      if (needs) ensureScope(caller, needs);
    },

    throttle() {},

    async guard({ caller, project, rights }, { object, scope }, id) {
      const found = await protectedObjects[object.resource]?.(project.id, id);
      if (!found) throw new NotFound();
      const wanted = object.level ?? levelFor(scope);
      if (!reaches(rights.levelOf(object.resource, found), wanted)) throw lacking(wanted);
      const refusal = scope.endsWith(':write') ? found.refusal?.(caller, rights) : undefined;
      if (refusal !== undefined) throw new PermissionDenied(refusal);
    },
  };
}

function ensureScope({ scopes }: Caller, scope: ProjectAccess['scope']): void {
  if (!allows(scopes, scope)) throw new PermissionDenied(`API key missing required scope '${scope}'`);
}

/** Whether there can be anything for the caller here: single objects are asked about when they are known. */
function ensureKind(rights: Rights, { scope, object }: ProjectAccess): void {
  const [resource = ''] = scope.split(':');
  if (object) return;
  const wanted = levelFor(scope);
  if (reaches(rights.levelOf(resource), wanted)) return;
  const visible = rights.visible(resource);
  if (wanted === 'viewer' && 'only' in visible && visible.only.length > 0) return;
  throw lacking(wanted);
}

function levelFor(scope: ProjectAccess['scope']) {
  return scope.endsWith(':write') ? 'editor' : 'viewer';
}

function lacking(level: string): PermissionDenied {
  return new PermissionDenied(`You do not have ${level} access to this resource.`);
}
