/** Deleting and restoring dashboards with their tiles and insights, inside a transaction of the stores. */
import { reaches } from '../../platform/http/access.ts';
import { allows } from '../../people/access/scopes.ts';
import type { ChangeContext } from './change-context.ts';
import { changeInsight } from '../insights/insights.ts';
import type { Insight } from '../insights/insight.ts';
import { mayEditInsight } from '../insights/restriction.ts';
import { ensureSeesAll } from './tiles/permissions.ts';
import { isOpen } from '../sharing/configurations.store.ts';
import { enforceTileLimit } from './tiles/tile-limit.ts';
import { MAX_TILES } from './tiles/schema.ts';

/** @param deleteInsights also deletes insights that no other dashboard shows and the caller may change */
export async function deleteWithTiles(context: ChangeContext, id: number, deleteInsights: boolean): Promise<void> {
  const { stores, project } = context;
  const insightIds = deleteInsights ? await stores.tiles.findInsightsOnlyOn(id) : [];
  await stores.tiles.softDeleteAll(id, { beyond: MAX_TILES });
  const insights = await stores.insights.findByIds(project.id, insightIds);
  for (const insight of insights.values()) await setDeleted(context, insight, true);
}

/** Restores the dashboard's tiles, and their deleted insights that the caller may change. */
export async function restoreTiles(context: ChangeContext, id: number): Promise<void> {
  const { stores, project } = context;
  for (const insightId of await stores.tiles.restoreAll(id)) {
    const insight = await stores.insights.find(project.id, String(insightId));
    if (insight?.deleted) await setDeleted(context, insight, false);
  }
}

/**
 * Checks the restored tiles, without those that the same change removed.
 * @throws InvalidInput when they are too many for a dashboard
 * @throws PermissionDenied when the dashboard is shared, and the caller may not see all of it
 */
export async function ensureRestorable(context: ChangeContext, id: number): Promise<void> {
  const { stores, project } = context;
  const { length: tileCount } = await stores.tiles.listLive(id);
  await enforceTileLimit(stores, id, { before: 0, after: tileCount });
  const shared = await stores.sharing.find(project.id, { kind: 'dashboard', id });
  if (shared && isOpen(shared)) await ensureSeesAll(context, id);
}

async function setDeleted({ stores, project, caller, rights }: ChangeContext, insight: Insight, deleted: boolean) {
  const { id, created_by: createdBy } = insight;
  if (!allows(caller.scopes, 'insight:write')) return;
  if (!reaches(rights.levelOf('insight', { id, createdBy }), 'editor')) return;
  const locations = (await stores.insights.findLocations(project.id, [id])).get(id) ?? [];
  if (!mayEditInsight(locations, caller, rights)) return;
  await changeInsight(stores, project, caller, insight, { deleted });
}
