/** Access to routes as the OpenAPI document describes it: credentials, refusals, and a sentence about both. */
import type { Access, LoginAccess } from '../access.ts';
import type { DescribedRoute } from '../route.ts';

type Json = Record<string, unknown>;

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal API key (`phx_…`) or a secret key of the project (`phs_…`).',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sessionid',
    description: 'The session of a signed-in user.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRFToken',
    description: 'The value of the cookie `posthog_csrftoken`; required for changes within a session.',
  },
  projectKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The key of the project, public (`phc_…`) or secret (`phs_…`).',
  },
  projectKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The key of the project in a separate header.',
  },
};

/** Why a request is refused, by status. */
export const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is malformed or has an invalid value',
  401: 'The credentials are missing or not valid',
  402: 'The project has used its quota',
  403: 'The caller may not do this',
  404: 'There is no such object, or the caller does not see it',
  405: 'The method is not offered',
  409: 'The request conflicts with the present state',
  412: 'The object was changed since `If-Match`',
  413: 'The body is too large',
  415: 'The media type of the body is not supported',
  429: 'Too many requests; `Retry-After` says when to retry',
  431: 'Address and headers are too long',
  500: 'A fault of the server',
  503: 'A dependency of the server is unavailable; `Retry-After` says when to retry',
};

/** Status of requests that cannot be read far enough to find their route; the answer has no body. */
export const UNREAD_HEADERS = 431;

/** @returns the statuses with which a request can be refused, from how the route is declared */
export function refusalsOf(route: DescribedRoute): number[] {
  const { access, body, query, params, errors = [] } = route;
  if (route.refusals) return [...route.refusals, UNREAD_HEADERS];
  const statuses = new Set<number>([...errors, UNREAD_HEADERS, 500, 503]);
  const add = (...more: number[]) => more.forEach((status) => statuses.add(status));
  if (!('public' in access)) add(401, 403, 429);
  if ('public' in access && access.ownPages && route.method !== 'get') add(403);
  if ('scope' in access || 'organization' in access || params || /:\w/.test(route.path)) add(404);
  if (query || body || route.method !== 'get') add(400);
  if (body) add(400, 413, 415);
  return [...statuses].sort((a, b) => a - b);
}

export function securityOf({ method, access, security }: DescribedRoute): Json {
  if (security) return { security: security.map((name) => ({ [name]: [] })) };
  if ('public' in access) return { security: [] };
  const scope = scopeOf(access);
  const bySession = method === 'get' ? { session: [] } : { session: [], csrf: [] };
  if (access.sessionOnly) return { security: [bySession] };
  // Roles of a bearer scheme, as OpenAPI 3.1 has it.
  const byKey = { apiKey: scope === undefined ? [] : [scope] };
  return { security: [byKey, bySession], ...(scope !== undefined && { 'x-scope': scope }) };
}

/** Access to an operation, in a sentence. */
export function accessSentence({ access, security }: DescribedRoute): string {
  if ('public' in access) return security ? 'Requires a key of the project.' : 'Requires no authentication.';
  const scope = scopeOf(access);
  const key = scope === undefined ? 'a key' : `a key with the scope \`${scope}\``;
  const user = (access as LoginAccess).sensitive ? 'a user who signed in recently' : 'a signed-in user';
  return `Requires ${access.sessionOnly ? user : `${key} or ${user}`}${conditionOf(access)}.`;
}

function conditionOf(access: Exclude<Access, { public: true }>): string {
  if ('organization' in access && access.role) return `, with the role \`${access.role}\` in the organization`;
  if ('scope' in access && access.admin) return ', with the role `admin` in the project';
  if (!('scope' in access) || !access.object) return '';
  const level = access.object.level ?? (access.scope.endsWith(':write') ? 'editor' : 'viewer');
  return `, with the access level \`${level}\` for the object`;
}

function scopeOf(access: Exclude<Access, { public: true }>): string | undefined {
  if ('authenticated' in access) return access.needs;
  return 'organization' in access ? access.organization : access.scope;
}
