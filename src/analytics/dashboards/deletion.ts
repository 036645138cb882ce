/** Deleting and restoring dashboards with what is on them, inside a transaction of the room's stores. */
import { reaches } from '../../platform/http/access.ts';
import { allows } from '../../people/access/scopes.ts';
import type { Acting } from './acting.ts';
import { changeInsight } from '../insights/insights.ts';
import type { Insight } from '../insights/insight.ts';
import { mayEditInsight } from '../insights/restriction.ts';
import { ensureSeesAll } from './tiles/permissions.ts';
import { reserveRoom } from './tiles/tile-limit.ts';
import { MAX_TILES } from './tiles/schema.ts';

/** @param withInsights those that no other dashboard shows, as far as the caller may change them, are deleted too */
export async function takeDown(acting: Acting, id: number, withInsights: boolean): Promise<void> {
  const { stores, project } = acting;
  const insightIds = withInsights ? await stores.tiles.insightsOnlyOn(id) : [];
  await stores.tiles.softDeleteOf(id, { beyond: MAX_TILES });
  const insights = await stores.insights.byIds(project.id, insightIds);
  for (const insight of insights.values()) await setDeleted(acting, insight, true);
}

/** Brings its tiles back, and of their insights those that were deleted, as far as the caller may change them. */
export async function bringBack(acting: Acting, id: number): Promise<void> {
  const { stores, project } = acting;
  for (const insightId of await stores.tiles.restoreOf(id)) {
    const insight = await stores.insights.find(project.id, String(insightId));
    if (insight?.deleted) await setDeleted(acting, insight, false);
  }
}

/**
 * Whether what came back may stay, without what the same change took off.
 * @throws InvalidInput when it is too much for a dashboard
 * @throws PermissionDenied when it is shared, and the caller may not see all that it shows then
 */
export async function ensureBack(acting: Acting, id: number): Promise<void> {
  const { stores, project } = acting;
  const { length: after } = await stores.tiles.live(id);
  await reserveRoom(stores, id, { before: 0, after });
  const shared = await stores.sharing.find(project.id, { kind: 'dashboard', id });
  if (shared?.enabled) await ensureSeesAll(acting, id);
}

async function setDeleted({ stores, project, caller, rights }: Acting, insight: Insight, deleted: boolean) {
  const { id, created_by: createdBy } = insight;
  if (!allows(caller.scopes, 'insight:write')) return;
  if (!reaches(rights.levelOf('insight', { id, createdBy }), 'editor')) return;
  const places = (await stores.insights.places(project.id, [id])).get(id) ?? [];
  if (!mayEditInsight(places, caller, rights)) return;
  await changeInsight(stores, project, caller, insight, { deleted });
}
