/** Full paths of a route. */
import type { DescribedRoute } from './route.ts';

/** Prefixes of the same routes, because a project and its environment are one. */
const PROJECT_PREFIXES = ['/api/environments/:project_id', '/api/projects/:project_id'] as const;

const ORGANIZATION_PREFIX = '/api/organizations/:organization_id';

/** @returns the full paths, each with a trailing slash; the first is the one to advertise */
export function pathsOf({ access, path }: Pick<DescribedRoute, 'access' | 'path'>): readonly [string, ...string[]] {
  if ('organization' in access) return [ORGANIZATION_PREFIX + path];
  if (!('scope' in access)) return [path];
  const [first, ...others] = PROJECT_PREFIXES;
  return [first + path, ...others.map((prefix) => prefix + path)];
}
