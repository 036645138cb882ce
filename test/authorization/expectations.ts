/** The answer that each caller must get, from nothing but what a route declares about its access. */
import {
  reaches,
  type Access,
  type Level,
  type OrganizationAccess,
  type ProjectAccess,
  type UserAccess,
} from '../../src/platform/http/access.ts';
import { allows, SCOPES } from '../../src/people/access/scopes.ts';
import type { CallerName } from './callers.ts';

const OUTSIDE = ['project', 'organization', 'organization_member', 'user'];
/** Every kind of object in projects that scopes name. */
export const KINDS = [...new Set(SCOPES.map((scope) => scope.split(':')[0]!))].filter(
  (kind) => !OUTSIDE.includes(kind),
);

/** `in`: the route was reached, whatever it says then about an empty body or an id that nothing has. */
export type Expected = 'in' | 401 | 403 | 404;

/** A person without any key's limits, or a key of the editor's. */
const LEVELS_OF: Partial<Record<CallerName, Level>> = { viewer: 'viewer', editor: 'editor', manager: 'manager', admin: 'manager', 'logged in admin': 'manager', 'read key': 'editor', 'write key': 'editor' }; // prettier-ignore

/** Routes that refuse members themselves, in upstream's words. */
const FOR_ADMINS = ['post /api/projects/', 'post /projects/'];

export function expectedFor({ method, path, access }: Asked, caller: CallerName): Expected {
  const expected = byAccess(access, caller);
  return expected === 'in' && FOR_ADMINS.includes(`${method} ${path}`) && !isAdmin(caller) ? 403 : expected;
}

type Asked = { method: string; path: string; access: Access };

function byAccess(access: Access, caller: CallerName): Expected {
  if ('public' in access) return 'in';
  if (caller === 'anonymous' || caller === 'share token') return 401;
  if (access.sessionOnly && caller !== 'logged in admin') return 403;
  if ('authenticated' in access) return ofUser(access, caller);
  if ('organization' in access) return inOrganization(access, caller);
  return inProject(access, caller);
}

function ofUser({ needs, limitedKeys }: UserAccess, caller: CallerName): Expected {
  if (caller === 'wrong-project key' && !limitedKeys) return 403;
  return needs && !carries(caller, needs) ? 403 : 'in';
}

function inOrganization({ organization, role = 'member' }: OrganizationAccess, caller: CallerName): Expected {
  if (!carries(caller, organization)) return 403;
  if (caller === 'other organization') return 404;
  if (caller === 'wrong-project key') return 403;
  const actualRole = isAdmin(caller) ? 'admin' : 'member';
  const roles = ['member', 'admin', 'owner'];
  return roles.indexOf(actualRole) >= roles.indexOf(role) ? 'in' : 403;
}

function inProject({ scope, object, admin, filtered }: ProjectAccess, caller: CallerName): Expected {
  const [kind = ''] = scope.split(':');
  // The rules of this world are about kinds of objects.
  const level = caller === 'viewer' && !KINDS.includes(kind) ? 'editor' : LEVELS_OF[caller];
  if (level === undefined || !carries(caller, scope)) return 403;
  if ((admin || isAboutRules(object)) && !isAdmin(caller)) return 403;
  // A filtered route refuses one object at a time, in its answer.
  const wanted = object?.level ?? (scope.endsWith(':write') && !filtered ? 'editor' : 'viewer');
  return reaches(level, wanted) ? 'in' : 403;
}

function isAdmin(caller: CallerName): boolean {
  return caller === 'admin' || caller === 'logged in admin';
}

function carries(caller: CallerName, scope: ProjectAccess['scope']): boolean {
  return allows(scopesOf(caller), scope);
}

/** The scopes of the two limited keys; the others may do everything. */
export function scopesOf(caller: CallerName): readonly string[] {
  if (caller === 'read key') return SCOPES.filter((scope) => scope.endsWith(':read'));
  if (caller === 'write key') return SCOPES.filter((scope) => scope.endsWith(':write') || isNeverWritten(scope));
  return ['*'];
}

function isNeverWritten(scope: string): boolean {
  return !(SCOPES as readonly string[]).includes(scope.replace(/:read$/, ':write'));
}

/** Rules for everybody in the project are its admins' to make. */
function isAboutRules(object: ProjectAccess['object']): boolean {
  return object !== undefined && object.param === 'project_id';
}
