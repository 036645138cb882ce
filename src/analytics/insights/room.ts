/** Routes of insights: insights themselves, their access controls, and the results of a dashboard's insights. */
import type { Route } from '../../platform/http/route.ts';
import { accessControlRoutes, type AccessControlsApi } from '../../people/access/access-controls.routes.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import { insightManagement } from './insight-management.ts';
import { insightRoutes, type InsightsApi as ManagementApi } from './insights.routes.ts';
import type { Results } from './results/results.ts';
import { runRoutes, type RunsApi } from './runs.routes.ts';

export type InsightsApi = ManagementApi & RunsApi;

export const insightsApiRoutes: readonly Route<InsightsApi & AccessControlsApi>[] = [
  ...insightRoutes,
  ...accessControlRoutes({ resource: 'insight', path: '/insights/', activity: { scope: 'Insight', type: 'insight' } }),
  ...runRoutes,
];

export function insightsApi({ stores, results }: { stores: DashboardStores; results: Results }): InsightsApi {
  return { insights: insightManagement({ stores, results }), dashboardStores: stores, results };
}
