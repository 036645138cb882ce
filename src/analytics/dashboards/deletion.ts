/** Deleting and restoring dashboards with their tiles and insights, inside a transaction of the stores. */
import { reaches } from '../../platform/http/access.ts';
import { allows } from '../../people/access/scopes.ts';
import type { Acting } from './acting.ts';
import { changeInsight } from '../insights/insights.ts';
import type { Insight } from '../insights/insight.ts';
import { mayEditInsight } from '../insights/restriction.ts';
import { ensureSeesAll } from './tiles/permissions.ts';
import { isOpen } from '../sharing/configurations.store.ts';
import { enforceTileLimit } from './tiles/tile-limit.ts';
import { MAX_TILES } from './tiles/schema.ts';

/** @param withInsights also deletes insights that no other dashboard shows and the caller may change */
export async function deleteWithTiles(acting: Acting, id: number, withInsights: boolean): Promise<void> {
  const { stores, project } = acting;
  const insightIds = withInsights ? await stores.tiles.findInsightsOnlyOn(id) : [];
  await stores.tiles.softDeleteAll(id, { beyond: MAX_TILES });
  const insights = await stores.insights.findByIds(project.id, insightIds);
  for (const insight of insights.values()) await setDeleted(acting, insight, true);
}

/** Restores the dashboard's tiles, and their deleted insights that the caller may change. */
export async function restoreTiles(acting: Acting, id: number): Promise<void> {
  const { stores, project } = acting;
  for (const insightId of await stores.tiles.restoreAll(id)) {
    const insight = await stores.insights.find(project.id, String(insightId));
    if (insight?.deleted) await setDeleted(acting, insight, false);
  }
}

/**
 * Checks the restored tiles, without those that the same change removed.
 * @throws InvalidInput when they are too many for a dashboard
 * @throws PermissionDenied when the dashboard is shared, and the caller may not see all of it
 */
export async function ensureRestorable(acting: Acting, id: number): Promise<void> {
  const { stores, project } = acting;
  const { length: after } = await stores.tiles.listLive(id);
  await enforceTileLimit(stores, id, { before: 0, after });
  const shared = await stores.sharing.find(project.id, { kind: 'dashboard', id });
  if (shared && isOpen(shared)) await ensureSeesAll(acting, id);
}

async function setDeleted({ stores, project, caller, rights }: Acting, insight: Insight, deleted: boolean) {
  const { id, created_by: createdBy } = insight;
  if (!allows(caller.scopes, 'insight:write')) return;
  if (!reaches(rights.levelOf('insight', { id, createdBy }), 'editor')) return;
  const places = (await stores.insights.findLocations(project.id, [id])).get(id) ?? [];
  if (!mayEditInsight(places, caller, rights)) return;
  await changeInsight(stores, project, caller, insight, { deleted });
}
