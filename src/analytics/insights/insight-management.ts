/** Actions of users on insights. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import { reaches } from '../../platform/http/access.ts';
import { ensureVersion } from '../../platform/http/parameters/preconditions.ts';
import { rawAccess } from '../../people/access/raw-data.ts';
import { ensureMayStore } from '../queries/raw-data.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import { givenFields } from './fields.ts';
import { changeInsight, createInsight } from './insights.ts';
import type { Insight } from './insight.ts';
import type { InsightQuery } from './list.store.ts';
import { setMembership, type Actor } from './membership.ts';
import { NO_OVERLAY, overlayOf, type Overlay, type Overrides } from './results/overlay.ts';
import { presentInsight } from './present.ts';
import type { Refresh } from './results/refresh.ts';
import { restrictionOf, visibleLocations } from './restriction.ts';
import type { Results } from './results/results.ts';
import type { GivenInsight, InsightBody } from './schema.ts';

export type InsightManagement = ReturnType<typeof insightManagement>;

/** How a caller wants to see insights. */
export type InsightViewOptions = { refresh: Refresh; overlay?: Overlay };

export function insightManagement({ stores: allStores, results }: { stores: DashboardStores; results: Results }) {
  return {
    list: (projectId: number, query: InsightQuery) => allStores.insights.list(projectId, query),

    /** @throws NotFound */
    async get(projectId: number, reference: string): Promise<Insight> {
      const insight = await allStores.insights.find(projectId, reference);
      if (!insight || insight.deleted) throw new NotFound();
      return insight;
    },

    /** @throws InvalidInput naming the field; PermissionDenied for a query or a dashboard that the caller may not use */
    async create(context: Actor, input: GivenInsight): Promise<Insight> {
      const { deleted = false, ...fields } = givenFields(input);
      if (deleted) throw new InvalidInput('An insight cannot be created as deleted.', 'deleted');
      ensureMayStore(context, fields.query);
      return allStores.inTransaction(context.project.id, async (stores) => {
        const insight = await createInsight(stores, context.project, context.caller, fields);
        await setMembership(stores, context, insight.id, input.dashboards ?? []);
        return insight;
      });
    },

    /**
     * Omitted fields keep their values. A deleted insight can only be restored.
     * @param expected the version that the caller read
     * @throws NotFound, InvalidInput, PermissionDenied; Stale when it changed since
     */
    async change(context: Actor, reference: string, input: GivenInsight, expected?: string): Promise<Insight> {
      const { project, caller } = context;
      const fields = givenFields(input);
      return allStores.inTransaction(project.id, async (stores) => {
        const before = await stores.insights.find(project.id, reference);
        if (!before || (before.deleted && fields.deleted !== false)) throw new NotFound();
        ensureVersion(expected, before.version, 'insight');
        if (!isDeepStrictEqual(fields.query, before.query)) ensureMayStore(context, fields.query);
        const dashboardIds = input.dashboards ?? undefined;
        const membershipChange = dashboardIds && (await setMembership(stores, context, before.id, dashboardIds));
        return changeInsight(stores, project, caller, before, fields, membershipChange);
      });
    },

    /** @throws NotFound for a dashboard that is not there, or that the caller may not see */
    async loadOverlay(
      { project, rights }: Actor,
      insight: Insight,
      dashboardId: number | undefined,
      overrides: Overrides,
    ): Promise<Overlay> {
      if (dashboardId === undefined) return overlayOf(NO_OVERLAY, undefined, overrides);
      const dashboard = await allStores.dashboards.get(project.id, dashboardId);
      const level = rights.levelOf('dashboard', { id: dashboardId, createdBy: dashboard.created_by });
      if (!reaches(level, 'viewer')) throw new NotFound();
      const tiles = await allStores.tiles.listLive(dashboardId);
      const tile = tiles.find(({ insight_id }) => insight_id === insight.id);
      return overlayOf(dashboard, tile, overrides);
    },

    /** Presents insights in the given order. */
    async show(context: Actor, insights: readonly Insight[], look: InsightViewOptions): Promise<InsightBody[]> {
      const { project, caller, rights } = context;
      const { refresh, overlay = NO_OVERLAY } = look;
      const [locations, users, shown] = await Promise.all([
        allStores.insights.findLocations(
          project.id,
          insights.map(({ id }) => id),
        ),
        allStores.users.findByIds(insights.flatMap((item) => [item.created_by, item.last_modified_by])),
        results.getResults(
          project,
          insights.map((insight) => ({ insight, overlay })),
          refresh,
          rawAccess(context),
        ),
      ]);
      return insights.map((insight, index) => {
        const tiles = locations.get(insight.id) ?? [];
        const restriction = restrictionOf(tiles, caller, rights);
        const visibleTiles = visibleLocations(tiles, rights);
        return presentInsight(insight, { rights, users, result: shown[index]!, locations: visibleTiles, restriction });
      });
    },
  };
}
