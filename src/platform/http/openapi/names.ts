/** Names of operations in the OpenAPI document, derived from their paths and methods. */
import { pathsOf } from '../paths.ts';
import type { DescribedRoute } from '../route.ts';

const VERBS = { get: 'retrieve', post: 'create', put: 'update', patch: 'partial_update', delete: 'destroy' } as const;

/**
 * Returns an id such as `dashboards_tiles_list` for `GET /dashboards/:id/tiles/`, unless the route has its own.
 * @param path the one of the route's paths to name
 */
export function operationIdOf(route: DescribedRoute, path = pathsOf(route)[0]): string {
  if (route.operationId) return route.operationId;
  const words = [...prefixOf(route, path), ...literalsOf(route.path)].map((word) =>
    word.replace(/\W+/g, '_').replace(/^_+/, ''),
  );
  return [...words, isList(route) ? 'list' : VERBS[route.method]].join('_');
}

/** Returns the subject of a route: `dashboards` for all paths below `/dashboards/`. */
export function tagOf(route: DescribedRoute): string {
  const [subject = 'projects'] = route.tag === undefined ? literalsOf(route.path) : [route.tag];
  return (subject.startsWith('_') ? 'health' : subject).replace(/\.\w+$/, '');
}

/** The noun that an identifier in the path stands for: the `dashboard` of `/dashboards/:id/`. */
export function resourceNamedBy(route: DescribedRoute, parameter: string): string {
  const segments = pathsOf(route)[0].split('/');
  const noun = segments.slice(0, segments.indexOf(`:${parameter}`)).findLast((segment) => !segment.startsWith(':'));
  return (noun ?? 'object').replaceAll('_', ' ').replace(/ies$/, 'y').replace(/s$/, '');
}

/** Returns a prefix for routes of an organization or project itself, whose paths have no segment for it. */
function prefixOf({ access, path }: DescribedRoute, fullPath: string): string[] {
  if ('organization' in access) return ['organizations'];
  return 'scope' in access && path === '/' ? literalsOf(fullPath) : [];
}

function literalsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.startsWith(':'));
  return segments[0] === 'api' ? segments.slice(1) : segments;
}

function isList({ method, answers, path }: DescribedRoute): boolean {
  const found = answers[200] as { type?: string; properties?: object } | null | undefined;
  if (method !== 'get' || /:\w+\/$/.test(path) || !found) return false;
  return found.type === 'array' || Object.hasOwn(found.properties ?? {}, 'results');
}
