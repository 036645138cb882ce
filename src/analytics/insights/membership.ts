/** Puts an insight on dashboards, and takes it off others. */
import { InvalidInput, PermissionDenied } from '../../platform/errors.ts';
import { reaches, type Caller, type Project, type Rights } from '../../platform/http/access.ts';
import { mayEdit } from '../dashboards/restriction.ts';
import { ensureShows } from '../dashboards/tiles/permissions.ts';
import { enforceTileLimit } from '../dashboards/tiles/tile-limit.ts';
import type { BoundDashboardStores } from '../dashboards/stores.ts';
import type { DashboardsChange } from './insights.ts';
import { visibleLocations } from './restriction.ts';

/** The author, with their rights. */
export type Actor = { project: Pick<Project, 'id' | 'organizationId'>; caller: Caller; rights: Rights };

/**
 * Sets the dashboards that show an insight. On a dashboard that showed it before, the insight takes its old position.
 * @param dashboardIds all dashboards that should show the insight, except ones hidden from the caller
 * @throws InvalidInput for a missing dashboard, PermissionDenied for one that the caller may not change
 */
export async function setMembership(
  stores: BoundDashboardStores,
  context: Actor,
  insightId: number,
  dashboardIds: readonly number[],
): Promise<DashboardsChange> {
  const { project } = context;
  const locations = (await stores.insights.findLocations(project.id, [insightId])).get(insightId) ?? [];
  const from = locations.filter(({ deleted }) => !deleted).map(({ dashboard_id }) => dashboard_id);
  const to = [...new Set(dashboardIds)];
  const added = to.filter((id) => !from.includes(id));
  const visibleIds = new Set(visibleLocations(locations, context.rights).map(({ dashboard_id }) => dashboard_id));
  const removed = from.filter((id) => visibleIds.has(id) && !to.includes(id));
  if (added.length > 0) ensureShows(await stores.insights.find(project.id, String(insightId)), context.rights);
  for (const id of added) await ensureEditable(stores, context, id, 'add insights to');
  for (const id of removed) await ensureEditable(stores, context, id, 'remove insights from');

  for (const dashboardId of [...added, ...removed]) {
    const deleted = removed.includes(dashboardId);
    const location = locations.find(({ dashboard_id }) => dashboard_id === dashboardId);
    const { length: tileCount } = await stores.tiles.listLive(dashboardId);
    if (location) await stores.tiles.update(location.id, { deleted });
    else await stores.tiles.insert({ dashboard_id: dashboardId, insight_id: insightId });
    if (!deleted) await enforceTileLimit(stores, dashboardId, { before: tileCount, after: tileCount + 1 });
    await stores.dashboards.touch(project.id, dashboardId);
  }
  return { from, to: [...from.filter((id) => !removed.includes(id)), ...added] };
}

async function ensureEditable(
  stores: BoundDashboardStores,
  { project, caller, rights }: Actor,
  id: number,
  activity: string,
): Promise<void> {
  const dashboard = await stores.dashboards.find(project.id, id);
  if (!dashboard || dashboard.deleted) throw new InvalidInput('Dashboard not found', 'dashboards');
  const level = rights.levelOf('dashboard', { id, createdBy: dashboard.created_by });
  if (reaches(level, 'editor') && mayEdit(dashboard, caller, rights)) return;
  throw new PermissionDenied(`You don't have permission to ${activity} dashboard: ${id}`);
}
