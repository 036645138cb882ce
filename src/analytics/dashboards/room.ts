/** Routes of dashboards themselves, their collaborators and their access controls. */
import { accessControlRoutes, type AccessControlsApi } from '../../people/access/access-controls.routes.ts';
import type { Route } from '../../platform/http/route.ts';
import { dashboardCollaborators } from './collaborators/collaborators.ts';
import { collaboratorRoutes, type CollaboratorsApi } from './collaborators/collaborators.routes.ts';
import { dashboardCrudRoutes, type DashboardManagementApi } from './dashboards.routes.ts';
import { dashboardManagement, type DashboardsOptions } from './dashboards.ts';
import { templateRoutes } from './templates/templates.routes.ts';

export type DashboardsOwnApi = DashboardManagementApi & CollaboratorsApi;

/** Routes with a word in the place of an id come first, or the word would match as an id. */
export const dashboardsOwnRoutes: readonly Route<DashboardsOwnApi & AccessControlsApi>[] = [
  ...templateRoutes,
  ...dashboardCrudRoutes,
  ...collaboratorRoutes,
  ...accessControlRoutes({
    resource: 'dashboard',
    path: '/dashboards/',
    activity: { scope: 'Dashboard', type: 'dashboard' },
  }),
];

export function dashboardsOwnApi(options: DashboardsOptions): DashboardsOwnApi {
  return {
    dashboards: dashboardManagement(options),
    dashboardCollaborators: dashboardCollaborators(options.stores),
  };
}
