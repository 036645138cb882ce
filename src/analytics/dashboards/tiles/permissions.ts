/** Rights to dashboards and insights other than the one that a request names. */
import { NotFound, PermissionDenied } from '../../../platform/errors.ts';
import { reaches, type Caller, type Project, type Rights } from '../../../platform/http/access.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { ChangeContext } from '../change-context.ts';
import { ensureRaw, rawAccess, rawAccessByLevel } from '../../../people/access/raw-data.ts';
import { NO_OVERLAY, overlayOf } from '../../insights/results/overlay.ts';
import { rawDataInInsight } from '../../queries/raw-data.ts';
import type { Insight } from '../../insights/insight.ts';
import type { BoundDashboardStores } from '../stores.ts';
import { mayEdit } from '../restriction.ts';
import type { Tile, TileLocation } from './tiles.store.ts';

/** The viewer of tiles, and the stores to read them from. */
export type ViewerContext = {
  stores: Pick<BoundDashboardStores, 'dashboards' | 'insights' | 'tiles'>;
  project: Pick<Project, 'id'>;
  caller: Pick<Caller, 'scopes'>;
  rights: Pick<Rights, 'levelOf'>;
};

type EditorContext = { caller: Pick<Caller, 'userId'>; rights: Rights };

export function maySeeDashboard({ id, created_by: createdBy }: Dashboard, rights: Rights): boolean {
  return reaches(rights.levelOf('dashboard', { id, createdBy }), 'viewer');
}

export function mayEditDashboard(dashboard: Dashboard, { caller, rights }: EditorContext): boolean {
  const { id, created_by: createdBy } = dashboard;
  return reaches(rights.levelOf('dashboard', { id, createdBy }), 'editor') && mayEdit(dashboard, caller, rights);
}

export function maySeeInsight({ id, created_by: createdBy }: Insight, rights: Pick<Rights, 'levelOf'>): boolean {
  return reaches(rights.levelOf('insight', { id, createdBy }), 'viewer');
}

/** @throws PermissionDenied when the caller may not see the insight, or the events and persons that it shows */
export function ensureShows(insight: Insight | undefined, rights: Pick<Rights, 'levelOf'>): void {
  if (!insight || !maySeeInsight(insight, rights)) {
    throw new PermissionDenied("You don't have permission to view this insight.");
  }
  ensureRaw(rawAccessByLevel(rights), rawDataInInsight(insight.query, NO_OVERLAY));
}

/** @param tiles to filter @returns the tiles without content that is hidden from the caller */
export async function visibleTiles(
  { stores, project, rights }: ViewerContext,
  tiles: readonly Tile[],
): Promise<Tile[]> {
  const ids = tiles.flatMap(({ insight_id }) => insight_id ?? []);
  const insights = await stores.insights.findByIds(project.id, ids);
  return tiles.filter(({ insight_id }) => {
    if (insight_id === null) return true;
    const insight = insights.get(insight_id);
    return insight !== undefined && maySeeInsight(insight, rights);
  });
}

/** @throws PermissionDenied when the caller may not see the tile's insight */
export async function ensureSeesTile(
  { stores, project, rights }: ViewerContext,
  { insight_id }: Pick<Tile, 'insight_id'>,
): Promise<void> {
  if (insight_id === null) return;
  ensureShows(await stores.insights.find(project.id, String(insight_id)), rights);
}

/**
 * The link of a dashboard shows all of it, so users cannot share what they may not see themselves.
 * @throws PermissionDenied
 */
export async function ensureSeesAll(viewer: ViewerContext, dashboardId: number): Promise<void> {
  const { stores, project } = viewer;
  const liveTiles = await stores.tiles.listLive(dashboardId);
  if ((await visibleTiles(viewer, liveTiles)).length < liveTiles.length) {
    throw new PermissionDenied("You don't have permission to share an insight on this dashboard.");
  }
  // A deleted dashboard may be about to be restored.
  const dashboard = await stores.dashboards.find(project.id, dashboardId);
  if (!dashboard) throw new NotFound();
  const insights = await stores.insights.findByIds(
    project.id,
    liveTiles.flatMap(({ insight_id }) => insight_id ?? []),
  );
  for (const tile of liveTiles) {
    const query = insights.get(tile.insight_id ?? 0)?.query ?? null;
    ensureRaw(rawAccess(viewer), rawDataInInsight(query, overlayOf(dashboard, tile)));
  }
}

/**
 * Whether the caller may edit all dashboards that show a text or button. Copies of a dashboard share these, so callers who may edit only one
 * copy must not change the others through it. Deleted dashboards count, too, because a restore must return them unchanged.
 * @param locations of the text or button
 */
export async function mayChangeEverywhere(
  context: ChangeContext,
  locations: readonly TileLocation[],
): Promise<boolean> {
  const { stores, project } = context;
  const ids = new Set(locations.map(({ dashboard_id }) => dashboard_id));
  for (const id of ids) {
    const dashboard = await stores.dashboards.find(project.id, id);
    if (dashboard && !mayEditDashboard(dashboard, context)) return false;
  }
  return true;
}
