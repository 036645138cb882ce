/** Applies the `tiles` of a dashboard's POST or PATCH. Call in a transaction. */
import { omitUndefined } from '../../../platform/omit-undefined.ts';
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';
import { limitValues } from '../../../platform/http/value-limit.ts';
import type { Change } from '../../../people/audit/entry.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { ChangeContext } from '../change-context.ts';
import { ensureMayFilter } from '../../queries/raw-data.ts';
import { changeButton, makeButton } from './buttons.ts';
import { checkLayouts } from './given-layouts.ts';
import { resolveInsight, type NewInsights } from './insights.ts';
import { collectTileChanges } from './log.ts';
import { ensureSeesTile } from './permissions.ts';
import type { GivenTile } from './schema.ts';
import { rewriteText, writeText } from './texts.ts';
import type { NewTile, Tile, TileContent, TileFields } from './tiles.store.ts';

/** Changes of one request to one dashboard; `tiles` has all tiles that were ever on it, by id. */
type Work = { context: ChangeContext; dashboardId: number; tiles: Map<number, Tile>; newInsights: NewInsights };

/**
 * Changes the tiles that are named by their `id` and adds the others, one by one. With an id that
 * this dashboard does not have, a text or a button becomes a new tile, and anything else is ignored, as upstream does.
 * @param newInsights facts about the insights that are created
 * @returns what changed, for the entry in the audit log
 * @throws InvalidInput naming the field
 * @throws PermissionDenied for an insight that the caller may not see, or make
 */
export async function changeTiles(
  context: ChangeContext,
  dashboard: Pick<Dashboard, 'id' | 'project_id'>,
  input: readonly GivenTile[],
  newInsights: NewInsights = {},
): Promise<Change[]> {
  if (input.length === 0) return [];
  const all = await context.stores.tiles.listAll(dashboard.id);
  const tiles = new Map(all.map((tile) => [tile.id, tile]));
  const work = { context, dashboardId: dashboard.id, tiles, newInsights };
  return collectTileChanges(context, dashboard, async () => {
    for (const [index, tile] of input.entries()) {
      await changeTile(work, tile, index).catch((error: unknown) => {
        throw withIndex(error, index, input.length);
      });
    }
  });
}

/** Adds the tile's index to the message if there are several tiles, because upstream's `attr` of texts does not name the tile. */
function withIndex(error: unknown, index: number, count: number): unknown {
  if (!(error instanceof InvalidInput) || error.attr?.startsWith('tiles__')) return error;
  const { message, attr, code } = error;
  if (attr?.startsWith('button_tile')) return new InvalidInput(message, `tiles__${index}__${attr}`, code);
  return count > 1 ? new InvalidInput(`${message} (tiles__${index})`, attr, code) : error;
}

async function changeTile(work: Work, input: GivenTile, index: number): Promise<void> {
  checkLayouts(input, 'tiles', index);
  const tile = work.tiles.get(input.id ?? 0);
  const filters = limitValues(input.filters_overrides, `tiles__${index}__filters_overrides`);
  if (!isDeepStrictEqual(filters, tile?.filters_overrides)) ensureMayFilter(work.context, filters);
  if (input.text) return changeTextTile(work, tile, { ...input, text: input.text });
  if (input.button_tile) return changeButtonTile(work, tile, { ...input, button_tile: input.button_tile });
  if (tile) return changeTileFields(work, tile, input);
  if (input.id) return;
  if (input.insight !== undefined && input.insight !== null) return addInsight(work, input, `tiles__${index}__insight`);
  throw new InvalidInput('A new tile needs a `text`, a `button_tile` or an `insight`.', `tiles__${index}`);
}

/** Restoring a tile shows it to everyone with the dashboard's link, so the caller must be allowed to see it. */
async function changeTileFields({ context }: Work, tile: Tile, input: GivenTile): Promise<void> {
  if (tile.deleted && input.deleted === false) await ensureSeesTile(context, tile);
  await context.stores.tiles.update(tile.id, changesOf(input));
}

async function changeTextTile(
  work: Work,
  currentTile: Tile | undefined,
  input: GivenTile & { text: NonNullable<GivenTile['text']> },
): Promise<void> {
  const { context } = work;
  const { text } = input;
  const tile = currentTile ?? tileWith(work, 'text_id', text.id);
  if (text.id && tile?.text_id !== text.id) throw await unknownTextError(context, text.id);
  if (!tile && input.deleted) return;
  // An empty text is allowed, as upstream; a missing one is an error.
  if (!tile && text.body === undefined) throw new InvalidInput('This field is required.', 'text__body', 'required');
  if (!tile) return insertTile(work, input, { text_id: (await writeText(context, text)).id });
  if (tile.text_id === null) throw new InvalidInput('Tile is not a text tile.', 'text');
  const text_id = await rewriteText(context, tile.text_id, text);
  await context.stores.tiles.update(tile.id, { ...changesOf(input), text_id });
}

async function unknownTextError({ stores, project }: ChangeContext, id: number): Promise<InvalidInput> {
  const isOurs = (await stores.texts.findByIds(project.id, [id])).has(id);
  return new InvalidInput(isOurs ? 'Text tile not found.' : 'Text tile not found in this team.', 'text');
}

async function changeButtonTile(
  work: Work,
  currentTile: Tile | undefined,
  input: GivenTile & { button_tile: NonNullable<GivenTile['button_tile']> },
): Promise<void> {
  const { context } = work;
  const { button_tile: button } = input;
  const tile = currentTile ?? tileWith(work, 'button_id', button.id);
  if (button.id && tile?.button_id !== button.id) throw new InvalidInput('Button tile not found.', 'button_tile');
  if (!tile && input.deleted) return;
  if (!tile) return insertTile(work, input, { button_id: (await makeButton(context, button)).id });
  if (tile.button_id === null) throw new InvalidInput('Tile is not a button tile.', 'button_tile');
  const button_id = await changeButton(context, tile.button_id, button);
  await context.stores.tiles.update(tile.id, { ...changesOf(input), button_id });
}

/** Adds an insight, or restores its tile if that was removed. */
async function addInsight(work: Work, input: GivenTile, attr: string): Promise<void> {
  const insight_id = await resolveInsight(work.context, input.insight, attr, work.newInsights);
  const tile = tileWith(work, 'insight_id', insight_id);
  if (!tile) return insertTile(work, input, { insight_id });
  await work.context.stores.tiles.update(tile.id, { deleted: false, ...changesOf(input) });
}

async function insertTile(work: Work, input: GivenTile, content: Partial<TileContent>): Promise<void> {
  const newTile: NewTile = { ...changesOf(input), ...content, dashboard_id: work.dashboardId };
  const tile = await work.context.stores.tiles.insert(newTile);
  work.tiles.set(tile.id, tile);
}

function tileWith<Field extends keyof TileContent>(
  { tiles }: Work,
  field: Field,
  id: TileContent[Field] | undefined,
): Tile | undefined {
  return id ? [...tiles.values()].find((tile) => tile[field] === id) : undefined;
}

/** Absent fields are unchanged; null resets to the default. */
function changesOf(tile: GivenTile): Partial<TileFields & Pick<Tile, 'deleted'>> {
  const { layouts, color, filters_overrides, show_description, transparent_background, deleted } = tile;
  return omitUndefined({
    layouts: layouts === null ? {} : layouts,
    color,
    filters_overrides: filters_overrides === null ? {} : filters_overrides,
    show_description,
    transparent_background,
    deleted: deleted ?? undefined,
  });
}
