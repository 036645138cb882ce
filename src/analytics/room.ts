/** Dashboards, insights and queries for the API, and the pages that strangers see by a link. */
import type { Knex, Pool } from '../platform/db/connection.ts';
import { dashboardsOwnApi, dashboardsOwnRoutes, type DashboardsOwnApi } from './dashboards/room.ts';
import { insightsApi, insightsApiRoutes, type InsightsApi } from './insights/room.ts';
import { protectedInsights } from './insights/restriction.ts';
import { resultStore } from './insights/results/results.store.ts';
import { createResults } from './insights/results/results.ts';
import { createAnswerQuery } from './queries/answering.ts';
import { queryRoutes, type QueriesApi } from './queries/queries.routes.ts';
import { runQuery } from './queries/computing/run.ts';
import { protectedDashboards } from './dashboards/restriction.ts';
import { sharedRoutes } from './sharing/description.ts';
import { createLoadShown } from './sharing/exported.ts';
import { createSharedPages } from './sharing/shared-pages.ts';
import { createShareTokens } from './sharing/share-tokens.ts';
import { createSharedResults } from './sharing/shared-results.ts';
import { shareStore } from './sharing/shares.store.ts';
import { sharingRoutes, type SharingApi } from './sharing/sharing.routes.ts';
import { createSharing } from './sharing/sharing.ts';
import { createUnlocking } from './sharing/unlocking.ts';
import { dashboardStores } from './dashboards/stores.ts';
import { tileManagement } from './dashboards/tiles/tile-management.ts';
import { tileRoutes, type TileManagementApi } from './dashboards/tiles/tiles.routes.ts';
import type { FindProtected } from '../platform/http/access.ts';
import type { Room } from '../platform/http/room.ts';
import type { DescribedRoute, Route } from '../platform/http/route.ts';
import type { AccessControlsApi } from '../people/access/access-controls.routes.ts';
import { accessControlStore } from '../people/access/access-controls.store.ts';
import { rawAccessOfLink, type RawAccess } from '../people/access/raw-data.ts';
import { levelForEverybody } from '../people/access/rights.ts';
import type { KeyRing } from '../platform/secrets/key-ring.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { ClientAddress } from '../platform/wire/client-address.ts';

export type AnalyticsApi = DashboardsOwnApi & InsightsApi & QueriesApi & SharingApi & TileManagementApi;

export const analyticsRoutes: readonly Route<AnalyticsApi & AccessControlsApi>[] = [
  ...dashboardsOwnRoutes,
  ...tileRoutes,
  ...insightsApiRoutes,
  ...queryRoutes,
  ...sharingRoutes,
];

/** Routes that the raw handler answers. */
export const analyticsRawRoutes: readonly DescribedRoute[] = sharedRoutes;

/** Lets the gatekeeper find single protected objects. */
export function protectedAnalyticsObjects(db: Knex): Record<string, FindProtected> {
  const { dashboards, insights } = dashboardStores(db);
  return { dashboard: protectedDashboards(dashboards), insight: protectedInsights(insights) };
}

export type AnalyticsRoomOptions = {
  connections: {
    db: Knex;
    /** Made with QUERY_OPTIONS. */
    queries: Pool;
  };
  keyRing: KeyRing;
  publicUrl: string;
  clientAddress: ClientAddress;
  log: Logger;
};

export type AnalyticsRoom = Room<AnalyticsApi> & { close(): Promise<void> };

export function createAnalyticsRoom(options: AnalyticsRoomOptions): AnalyticsRoom {
  const { keyRing, publicUrl, clientAddress, log } = options;
  const { db, queries } = options.connections;
  const stores = dashboardStores(db);
  const results = createResults({
    cache: resultStore(db),
    compute: (project, query) => runQuery(queries, project, query, { now: Date.now() }),
    log,
  });
  const rules = accessControlStore(db);
  async function accessOfLinks(projectId: number): Promise<RawAccess> {
    const forEverybody = await rules.listForEverybody(projectId);
    return rawAccessOfLink((kind) => levelForEverybody(forEverybody, kind));
  }
  const sharedPages = createSharedPages({
    shares: shareStore(db),
    unlocking: createUnlocking({ stores, tokens: createShareTokens(keyRing) }),
    loadShown: createLoadShown({ stores, getResults: createSharedResults({ results, loadAccess: accessOfLinks }) }),
    clientAddress,
    isSecure: new URL(publicUrl).protocol === 'https:',
    log,
  });
  return {
    rawHandlers: [sharedPages.handle],
    collaborators: {
      ...dashboardsOwnApi({ stores, results }),
      dashboardTiles: tileManagement(stores),
      ...insightsApi({ stores, results }),
      answerQuery: createAnswerQuery(queries),
      sharing: createSharing(stores),
    },
    close: results.close,
  };
}
