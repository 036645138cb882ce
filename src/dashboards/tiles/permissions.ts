/** What somebody may do with dashboards and insights other than the one that their request names. */
import { PermissionDenied } from '../../errors.ts';
import { reaches, type Caller, type Project, type Rights } from '../../http/access.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { Acting } from '../acting.ts';
import type { Insight } from '../insights/insights.store.ts';
import type { DashboardBound } from '../stores.ts';
import { mayEdit } from '../restriction.ts';
import type { Tile, TilePlace } from './tiles.store.ts';

/** Who looks at tiles. */
export type Looking = {
  stores: Pick<DashboardBound, 'insights' | 'tiles'>;
  project: Pick<Project, 'id'>;
  rights: Pick<Rights, 'levelOf'>;
};

type Asking = { caller: Pick<Caller, 'userId'>; rights: Rights };

export function maySeeDashboard({ id, created_by: createdBy }: Dashboard, rights: Rights): boolean {
  return reaches(rights.levelOf('dashboard', { id, createdBy }), 'viewer');
}

export function mayEditDashboard(dashboard: Dashboard, { caller, rights }: Asking): boolean {
  const { id, created_by: createdBy } = dashboard;
  return reaches(rights.levelOf('dashboard', { id, createdBy }), 'editor') && mayEdit(dashboard, caller, rights);
}

export function maySeeInsight({ id, created_by: createdBy }: Insight, rights: Pick<Rights, 'levelOf'>): boolean {
  return reaches(rights.levelOf('insight', { id, createdBy }), 'viewer');
}

/** @param tiles that are shown @returns those that show nothing that is hidden from the caller */
export async function visibleTiles({ stores, project, rights }: Looking, tiles: readonly Tile[]): Promise<Tile[]> {
  const ids = tiles.flatMap(({ insight_id }) => insight_id ?? []);
  const insights = await stores.insights.byIds(project.id, ids);
  return tiles.filter(({ insight_id }) => {
    if (insight_id === null) return true;
    const insight = insights.get(insight_id);
    return insight !== undefined && maySeeInsight(insight, rights);
  });
}

/** @throws PermissionDenied when the caller may not see what is on it */
export async function ensureSeesTile(
  { stores, project, rights }: Looking,
  { insight_id }: Pick<Tile, 'insight_id'>,
): Promise<void> {
  if (insight_id === null) return;
  const insight = await stores.insights.find(project.id, String(insight_id));
  if (insight && maySeeInsight(insight, rights)) return;
  throw new PermissionDenied("You don't have permission to view this insight.");
}

/**
 * Who has the link of a dashboard sees all of it: nobody opens one to what they may not see themselves.
 * @throws PermissionDenied
 */
export async function ensureSeesAll(looking: Looking, dashboardId: number): Promise<void> {
  const shown = await looking.stores.tiles.live(dashboardId);
  if ((await visibleTiles(looking, shown)).length === shown.length) return;
  throw new PermissionDenied("You don't have permission to share an insight on this dashboard.");
}

/**
 * Texts and buttons are shared by the copies of a dashboard: whoever may edit one copy only must not change the others through it,
 * nor those that are deleted: they come back as they were.
 * @param places of the text or button
 */
export async function mayChangeEverywhere(acting: Acting, places: readonly TilePlace[]): Promise<boolean> {
  const { stores, project } = acting;
  const ids = new Set(places.map(({ dashboard_id }) => dashboard_id));
  for (const id of ids) {
    const dashboard = await stores.dashboards.find(project.id, id);
    if (dashboard && !mayEditDashboard(dashboard, acting)) return false;
  }
  return true;
}
