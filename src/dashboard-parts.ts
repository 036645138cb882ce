/** Composes what the API does with dashboards: routes, what is answered before the application, and what they share. */
import { createKnex, STORE_TIMEOUTS } from './db/connection.ts';
import { protectedDashboards } from './dashboards/restriction.ts';
import { dashboardStores, type DashboardStores } from './dashboards/stores.ts';
import type { EngineOptions } from './engine.ts';
import type { FindProtected } from './http/access.ts';
import type { Route } from './http/route.ts';

export type DashboardsApi = { dashboardStores: DashboardStores };

export const dashboardRoutes: Route<DashboardsApi>[] = [];

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
export function createDashboardParts({ databaseUrl: url }: DashboardPartsOptions): DashboardParts {
  const db = createKnex({ url, applicationName: 'sluice-dashboards', ...STORE_TIMEOUTS });
  const stores = dashboardStores(db);
  return {
    collaborators: { dashboardStores: stores },
    protectedObjects: { dashboard: protectedDashboards(stores.dashboards) },
    close: () => db.destroy(),
  };
}
