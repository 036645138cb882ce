/** Copies of tiles, inside a transaction of the stores. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Change } from '../../../people/audit/entry.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { ChangeContext } from '../change-context.ts';
import { copyInsight } from '../../insights/insights.ts';
import { checkLayouts } from './given-layouts.ts';
import { moveToFreePosition } from './layout.ts';
import { collectTileChanges } from './log.ts';
import { ensureMakesInsights } from './insights.ts';
import { ensureSeesTile, visibleTiles } from './permissions.ts';
import { ensureTilesFit } from './tile-limit.ts';
import type { TileToDuplicate } from './schema.ts';
import { contentOf, fieldsOf, type Tile, type TileContent } from './tiles.store.ts';

type Ids = Pick<Dashboard, 'id' | 'project_id'>;

/**
 * Copies the tiles that a dashboard shows to one that was just made. Leaves out insights that the caller may not see, because the caller may
 * share the copy.
 * @param options `copiesContent`: also copies insights, texts and buttons; without it both dashboards share them
 * @throws PermissionDenied when the caller may not create insights
 * @throws InvalidInput for too many tiles
 */
export async function copyTiles(
  context: ChangeContext,
  source: Ids,
  target: Ids,
  options: { copiesContent: boolean },
): Promise<void> {
  const { stores } = context;
  const tiles = await visibleTiles(context, await stores.tiles.listLive(source.id));
  ensureTilesFit({ before: 0, after: tiles.length });
  for (const tile of tiles) {
    const content = options.copiesContent ? await copyContent(context, tile) : contentOf(tile);
    await stores.tiles.insert({ ...fieldsOf(tile), ...content, dashboard_id: target.id });
  }
}

/**
 * Duplicates tiles and their contents on the same dashboard: at the layouts in the body, or below the tiles that are in the way.
 * @returns what changed, for the entry in the audit log
 * @throws InvalidInput for an id that is not a tile of the dashboard, and when there are too many tiles
 * @throws PermissionDenied when the caller may not see a tile's insight, or may not create insights
 */
export async function duplicateTiles(
  context: ChangeContext,
  dashboard: Ids,
  input: readonly TileToDuplicate[],
): Promise<Change[]> {
  if (input.length === 0) return [];
  const { stores } = context;
  const { length: tileCount } = await stores.tiles.listLive(dashboard.id);
  ensureTilesFit({ before: tileCount, after: tileCount + input.length });
  return collectTileChanges(context, dashboard, async () => {
    for (const [index, requested] of input.entries()) {
      checkLayouts(requested, 'duplicate_tiles', index);
      const { id, layouts } = requested;
      const liveTiles = await stores.tiles.listLive(dashboard.id);
      const tile = liveTiles.find((candidate) => candidate.id === id);
      if (!tile) throw unknownTileError(id);
      await ensureSeesTile(context, tile);
      const content = await copyContent(context, tile);
      const newLayouts = layouts ?? moveToFreePosition(liveTiles, tile.layouts);
      await stores.tiles.insert({ ...fieldsOf(tile), layouts: newLayouts, ...content, dashboard_id: dashboard.id });
    }
  });
}

function unknownTileError(id: number): InvalidInput {
  return new InvalidInput(`Invalid pk "${id}" - object does not exist.`, 'duplicate_tiles', 'does_not_exist');
}

async function copyContent(context: ChangeContext, tile: Tile): Promise<TileContent> {
  const { stores, project, caller } = context;
  const { insight_id, text_id, button_id } = tile;
  if (insight_id !== null) {
    ensureMakesInsights(context);
    const insight = await stores.insights.get(project.id, insight_id);
    return { ...contentOf(tile), insight_id: (await copyInsight(stores, project, caller, insight)).id };
  }
  if (text_id !== null) {
    const { body } = (await stores.texts.findByIds(project.id, [text_id])).get(text_id)!;
    const copy = { project_id: project.id, body, created_by: caller.userId, last_modified_by: null };
    return { ...contentOf(tile), text_id: (await stores.texts.insert(copy)).id };
  }
  const { url, text, placement, style } = (await stores.buttons.findByIds(project.id, [button_id!])).get(button_id!)!;
  return {
    ...contentOf(tile),
    button_id: (await stores.buttons.insert(project.id, { url, text, placement, style })).id,
  };
}
