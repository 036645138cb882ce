/** Composes what the API does with dashboards: routes, what is answered before the application, and what they share. */
import { createKnex, createPool, STORE_TIMEOUTS } from './db/connection.ts';
import { dashboardsOwnApi, dashboardsOwnRoutes, type DashboardsOwnApi } from './dashboards/api.ts';
import { insightsApi, insightsApiRoutes, type InsightsApi } from './dashboards/insights/api.ts';
import { protectedInsights } from './dashboards/insights/restriction.ts';
import { resultStore } from './dashboards/insights/results.store.ts';
import { createResults } from './dashboards/insights/results.ts';
import { createAnswerQuery } from './dashboards/queries/answering.ts';
import { QUERY_OPTIONS } from './dashboards/queries/asking.ts';
import { queryRoutes, type QueriesApi } from './dashboards/queries/queries.routes.ts';
import { runQuery } from './dashboards/queries/run.ts';
import { protectedDashboards } from './dashboards/restriction.ts';
import { sharingRoutes, type SharingApi } from './dashboards/sharing/sharing.routes.ts';
import { createSharing } from './dashboards/sharing/sharing.ts';
import { dashboardStores } from './dashboards/stores.ts';
import type { EngineOptions } from './engine.ts';
import type { FindProtected } from './http/access.ts';
import type { Route } from './http/route.ts';
import type { AccessControlsApi } from './identity/access-controls.routes.ts';

export type DashboardsApi = DashboardsOwnApi &
  InsightsApi &
  QueriesApi &
  SharingApi;

export const dashboardRoutes: Route<DashboardsApi & AccessControlsApi>[] = [...dashboardsOwnRoutes, ...insightsApiRoutes, ...sharingRoutes];

export type DashboardPartsOptions = Pick<EngineOptions, 'databaseUrl' | 'encryptionKeys' | 'log'> & {
  publicUrl: string;
};

export type DashboardParts = {
  collaborators: DashboardsApi;
  /** How the gatekeeper finds what is protected one by one. */
  protectedObjects: Readonly<Record<string, FindProtected>>;
  close(): Promise<void>;
};

/** Connects lazily. */
export function createDashboardParts({ databaseUrl: url, log }: DashboardPartsOptions): DashboardParts {
  const db = createKnex({ url, applicationName: 'sluice-dashboards', ...STORE_TIMEOUTS });
  const queryPool = createPool({ url, ...QUERY_OPTIONS });
  const stores = dashboardStores(db);
  const results = createResults({
    cache: resultStore(db),
    compute: (project, query) => runQuery(queryPool, project, query, { now: Date.now() }),
    log,
  });
  return {
    collaborators: {
      ...dashboardsOwnApi({ stores, results }),
      ...insightsApi({ stores, results }),
      sharing: createSharing(stores),
    },
    protectedObjects: {
      dashboard: protectedDashboards(stores.dashboards),
      insight: protectedInsights(stores.insights),
    },
    async close() {
      await results.close();
      await Promise.all([db.destroy(), queryPool.end()]);
    },
  };
}
