/** Composes what the API does with dashboards: routes, shared pages, and what they share. */
import { createKnex, createPool, STORE_TIMEOUTS } from '../platform/db/connection.ts';
import { POOLS } from '../platform/db/pools.ts';
import { dashboardsOwnApi, dashboardsOwnRoutes, type DashboardsOwnApi } from '../analytics/dashboards/api.ts';
import { insightsApi, insightsApiRoutes, type InsightsApi } from '../analytics/insights/api.ts';
import { protectedInsights } from '../analytics/insights/restriction.ts';
import { resultStore } from '../analytics/insights/results/results.store.ts';
import { createResults } from '../analytics/insights/results/results.ts';
import { createAnswerQuery } from '../analytics/queries/answering.ts';
import { QUERY_OPTIONS } from '../analytics/queries/query-connection.ts';
import { queryRoutes, type QueriesApi } from '../analytics/queries/queries.routes.ts';
import { runQuery } from '../analytics/queries/computing/run.ts';
import { protectedDashboards } from '../analytics/dashboards/restriction.ts';
import { createShownOf } from '../analytics/sharing/exported.ts';
import { createSharedPages } from '../analytics/sharing/shared-pages.ts';
import { createShareTokens } from '../analytics/sharing/share-tokens.ts';
import { createSharedResults } from '../analytics/sharing/shared-results.ts';
import { shareStore } from '../analytics/sharing/shares.store.ts';
import { sharingRoutes, type SharingApi } from '../analytics/sharing/sharing.routes.ts';
import { createSharing } from '../analytics/sharing/sharing.ts';
import { createUnlocking } from '../analytics/sharing/unlocking.ts';
import { dashboardStores } from '../analytics/dashboards/stores.ts';
import { tileManagement } from '../analytics/dashboards/tiles/tile-management.ts';
import { tileRoutes, type TileManagementApi } from '../analytics/dashboards/tiles/tiles.routes.ts';
import type { EngineOptions } from './engine.ts';
import type { FindProtected } from '../platform/http/access.ts';
import type { RawHandler } from '../platform/http/raw-answers.ts';
import type { Route } from '../platform/http/route.ts';
import type { AccessControlsApi } from '../people/access/access-controls.routes.ts';
import { accessControlStore } from '../people/access/access-controls.store.ts';
import { rawAccessOfLink, type RawAccess } from '../people/access/raw-data.ts';
import { levelForEverybody } from '../people/access/rights.ts';
import { createKeyRing } from '../platform/secrets/key-ring.ts';
import type { ClientAddress } from '../platform/wire/client-address.ts';

export type DashboardsApi = DashboardsOwnApi & InsightsApi & QueriesApi & SharingApi & TileManagementApi;

export const dashboardRoutes: Route<DashboardsApi & AccessControlsApi>[] = [
  ...dashboardsOwnRoutes,
  ...tileRoutes,
  ...insightsApiRoutes,
  ...queryRoutes,
  ...sharingRoutes,
];

export type DashboardPartsOptions = Pick<EngineOptions, 'databaseUrl' | 'encryptionKeys' | 'log'> & {
  publicUrl: string;
  clientAddress: ClientAddress;
};

export type DashboardParts = {
  /** Shared pages. */
  handle: RawHandler;
  collaborators: DashboardsApi;
  /** How the gatekeeper finds what is protected one by one. */
  protectedObjects: Readonly<Record<string, FindProtected>>;
  close(): Promise<void>;
};

/** Connects lazily. */
export function createDashboardParts(options: DashboardPartsOptions): DashboardParts {
  const { databaseUrl: url, encryptionKeys, publicUrl, clientAddress, log } = options;
  const db = createKnex({ url, ...POOLS.dashboards, ...STORE_TIMEOUTS });
  const queryPool = createPool({ url, ...QUERY_OPTIONS });
  const stores = dashboardStores(db);
  const results = createResults({
    cache: resultStore(db),
    compute: (project, query) => runQuery(queryPool, project, query, { now: Date.now() }),
    log,
  });
  const rules = accessControlStore(db);
  async function accessOfLinks(projectId: number): Promise<RawAccess> {
    const forEverybody = await rules.forEverybody(projectId);
    return rawAccessOfLink((kind) => levelForEverybody(forEverybody, kind));
  }
  const sharedPages = createSharedPages({
    shares: shareStore(db),
    unlocking: createUnlocking({ stores, tokens: createShareTokens(createKeyRing(encryptionKeys)) }),
    shownOf: createShownOf({ stores, resultsOf: createSharedResults({ results, accessOf: accessOfLinks }) }),
    clientAddress,
    isSecure: new URL(publicUrl).protocol === 'https:',
    log,
  });
  return {
    handle: sharedPages.handle,
    collaborators: {
      ...dashboardsOwnApi({ stores, results }),
      dashboardTiles: tileManagement(stores),
      ...insightsApi({ stores, results }),
      answerQuery: createAnswerQuery(queryPool),
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
