/** One valid use of every route that changes something. */
import type { DescribedRoute } from '../../../src/platform/http/route.ts';
import { dashboardOperations } from './dashboards.ts';
import { exportOperations } from './exports.ts';
import { flagOperations } from './flags.ts';
import { organizationOperations, ownOperations, projectOperations } from './identity.ts';
import type { Operation } from './workplace.ts';

/** By where a route lives, then by its method and path. */
export const OPERATIONS: Readonly<Record<Place, Readonly<Record<string, Operation>>>> = {
  project: { ...projectOperations, ...flagOperations, ...exportOperations, ...dashboardOperations },
  organization: organizationOperations,
  own: ownOperations,
};

export type Place = 'project' | 'organization' | 'own';

export function placeOf({ access }: Pick<DescribedRoute, 'access'>): Place {
  if ('scope' in access) return 'project';
  return 'organization' in access ? 'organization' : 'own';
}

export function nameOf({ method, path }: Pick<DescribedRoute, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}
