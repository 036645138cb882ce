/** All that is answered about insights: themselves, who may do what with them, and what those of a dashboard give. */
import type { Route } from '../../http/route.ts';
import { accessControlRoutes, type AccessControlsApi } from '../../identity/access-controls.routes.ts';
import type { DashboardStores } from '../stores.ts';
import { insightManagement } from './insight-management.ts';
import { insightRoutes, type InsightsApi as ManagementApi } from './insights.routes.ts';
import type { Results } from './results.ts';
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
