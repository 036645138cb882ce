/** Moves and copies tiles from one dashboard to another, inside a transaction of the stores. */
import { InvalidInput, NotFound, PermissionDenied } from '../../../platform/errors.ts';
import { reaches } from '../../../platform/http/access.ts';
import type { ChangeContext } from '../change-context.ts';
import type { Dashboard } from '../dashboards.store.ts';
import { mayEdit } from '../restriction.ts';
import { moveToFreePosition } from './layout.ts';
import { withChangesLogged } from './log.ts';
import { ensureSeesTile, maySeeDashboard } from './permissions.ts';
import { contentOf, fieldsOf, type TileContent } from './tiles.store.ts';

const CANNOT_MOVE = 'Invalid request data for moving tile.';
const SAME_DASHBOARD = 'Destination must be a different dashboard than the source.';

/**
 * Moves a tile to a free position on the target.
 * @param ids the ids of the tile and of the target
 * @throws NotFound when there is no such tile on the source, or no such target
 * @throws PermissionDenied when the caller may not change the target, or see the tile's content
 * @throws InvalidInput when the target is the source, or shows the same content already
 */
export async function moveTile(
  context: ChangeContext,
  source: Dashboard,
  ids: { tile: number; to: number },
): Promise<void> {
  const { stores } = context;
  const tile = await stores.tiles.getLive(source.id, ids.tile);
  const target = await otherDashboard(context, ids.to);
  ensureTarget(context, target);
  if (target.id === source.id) throw new InvalidInput(`${CANNOT_MOVE} ${SAME_DASHBOARD}`);
  await ensureSeesTile(context, tile);
  if (await showsContentOf(context, target, tile)) throw new InvalidInput(CANNOT_MOVE);
  await withChangesLogged(context, source, () =>
    withChangesLogged(context, target, async () => {
      const layouts = moveToFreePosition(await stores.tiles.listLive(target.id), tile.layouts);
      await stores.tiles.update(tile.id, { dashboard_id: target.id, layouts });
    }),
  );
}

function ensureTarget({ caller, rights }: ChangeContext, target: Dashboard): void {
  const { id, created_by: createdBy } = target;
  if (!reaches(rights.levelOf('dashboard', { id, createdBy }), 'editor')) {
    throw new PermissionDenied('You do not have editor access to this resource.');
  }
  if (mayEdit(target, caller, rights)) return;
  throw new PermissionDenied("You don't have edit permissions for the destination dashboard.");
}

/**
 * Adds a tile with the same content as a tile of another dashboard.
 * @param ids the id of the tile, and of its dashboard
 * @throws NotFound when there is no such tile or dashboard
 * @throws PermissionDenied when the caller may not see the tile or its dashboard
 * @throws InvalidInput for a tile that cannot be copied, or whose content is on the target already
 */
export async function copyTile(
  context: ChangeContext,
  target: Dashboard,
  ids: { tile: number; from: number },
): Promise<void> {
  const { stores } = context;
  if (ids.from === target.id) throw new InvalidInput(SAME_DASHBOARD);
  const tile = await visibleTile(context, ids);
  if (await showsContentOf(context, target, tile)) {
    const kind = tile.insight_id === null ? 'text card' : 'insight';
    throw new InvalidInput(`This ${kind} is already on the destination dashboard.`);
  }
  await withChangesLogged(context, target, async () => {
    const layouts = moveToFreePosition(await stores.tiles.listLive(target.id), tile.layouts);
    await stores.tiles.insert({ ...fieldsOf(tile), ...contentOf(tile), layouts, dashboard_id: target.id });
  });
}

/** Finds the dashboard that the body names, not the one in the path. */
async function otherDashboard({ stores, project }: ChangeContext, id: number): Promise<Dashboard> {
  const dashboard = await stores.dashboards.find(project.id, id);
  if (!dashboard || dashboard.deleted) throw new NotFound('Dashboard not found.');
  return dashboard;
}

async function visibleTile(context: ChangeContext, { tile: id, from }: { tile: number; from: number }) {
  const { stores, rights } = context;
  const source = await otherDashboard(context, from);
  if (!maySeeDashboard(source, rights)) {
    throw new PermissionDenied("You don't have permission to view the source dashboard.");
  }
  const tile = await stores.tiles.getLive(source.id, id);
  if (tile.button_id !== null) {
    throw new InvalidInput('Only insight and text tiles can be copied between dashboards.');
  }
  await ensureSeesTile(context, tile);
  return tile;
}

/** Whether the target shows the same content. A removed tile with it is deleted for good, because a dashboard has one tile for each content. */
async function showsContentOf({ stores }: ChangeContext, target: Dashboard, tile: TileContent): Promise<boolean> {
  const twin = (await stores.tiles.listAll(target.id)).find((other) => isSame(other, tile));
  if (!twin) return false;
  if (!twin.deleted) return true;
  await stores.tiles.remove(twin.id);
  return false;
}

function isSame(a: TileContent, b: TileContent): boolean {
  return a.insight_id === b.insight_id && a.text_id === b.text_id && a.button_id === b.button_id;
}
