/** What somebody may do with dashboards and insights other than the one that their request names. */
import { reaches, type Caller, type Rights } from '../../http/access.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { Acting } from '../acting.ts';
import type { Insight } from '../insights/insights.store.ts';
import { mayEdit } from '../restriction.ts';
import type { TilePlace } from './tiles.store.ts';

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

/**
 * Texts and buttons are shared by the copies of a dashboard: whoever may edit one copy only must not change the others through it.
 * @param places of the text or button
 */
export async function mayChangeEverywhere(acting: Acting, places: readonly TilePlace[]): Promise<boolean> {
  const { stores, project } = acting;
  const ids = new Set(places.filter(({ deleted }) => !deleted).map(({ dashboard_id }) => dashboard_id));
  for (const id of ids) {
    const dashboard = await stores.dashboards.find(project.id, id);
    if (dashboard && !dashboard.deleted && !mayEditDashboard(dashboard, acting)) return false;
  }
  return true;
}
