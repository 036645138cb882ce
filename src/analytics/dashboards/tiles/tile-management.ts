/** Actions of users on single tiles. Each change is one transaction, with its entries in the activity log. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';
import { ensureVersion } from '../../../platform/http/parameters/preconditions.ts';
import type { Acting } from '../acting.ts';
import type { Actor } from '../dashboards.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { DashboardStores } from '../stores.ts';
import { checkLayouts } from './given-layouts.ts';
import {
  arrange,
  compact,
  sortByPosition,
  placeAmong,
  FIRST_PLACE,
  type TileLayouts,
  type Layouts,
  type LayoutStyle,
} from './layout.ts';
import { withChangesLogged } from './log.ts';
import { copyTile, moveTile } from './move.ts';
import type { ChangedTextTile, NewTextTile, TileBody } from './schema.ts';
import { checkBody, rewriteText, writeText } from './texts.ts';
import { loadTile } from './tiles.ts';
import type { Tile } from './tiles.store.ts';

/** The dashboard that a request names, and the version that the caller expects it to have. */
export type DashboardTarget = { id: number; ifMatch: string | undefined };

/** The ids in a given order that the dashboard has no tiles for. */
export type UnknownTiles = { unknown: number[] };

export function tileManagement(allStores: DashboardStores) {
  /** @throws NotFound when there is no such dashboard; Stale when it has another version */
  const changeDashboard = <T>(
    actor: Actor,
    { id, ifMatch }: DashboardTarget,
    work: (acting: Acting, dashboard: Dashboard) => Promise<T>,
  ): Promise<T> =>
    allStores.inTransaction(actor.project.id, async (stores) => {
      const dashboard = await stores.dashboards.get(actor.project.id, id);
      ensureVersion(ifMatch, dashboard.version, 'dashboard');
      return work({ ...actor, stores }, dashboard);
    });

  async function presentTile(actor: Actor, { id, dashboard_id }: Tile): Promise<TileBody> {
    return loadTile(allStores, await allStores.dashboards.get(actor.project.id, dashboard_id), actor, id);
  }

  return {
    /** @returns the source after it. @throws as `moveTile` */
    move: (actor: Actor, aim: DashboardTarget, ids: { tile: number; to: number }): Promise<Dashboard> =>
      changeDashboard(actor, aim, async (acting, source) => {
        await moveTile(acting, source, ids);
        return reread(acting, source);
      }),

    /** @returns the target after it. @throws as `copyTile` */
    copy: (actor: Actor, aim: DashboardTarget, ids: { tile: number; from: number }): Promise<Dashboard> =>
      changeDashboard(actor, aim, async (acting, target) => {
        await copyTile(acting, target, ids);
        return reread(acting, target);
      }),

    /**
     * Arranges all tiles anew. Tiles that the order leaves out follow in their old order.
     * @param order ids, each once
     */
    reorder: (
      actor: Actor,
      aim: DashboardTarget,
      { order, style }: { order: readonly number[]; style: LayoutStyle },
    ): Promise<Dashboard | UnknownTiles> =>
      changeDashboard(actor, aim, async (acting, dashboard) => {
        const tiles = sortByPosition(await acting.stores.tiles.listLive(dashboard.id));
        const byId = new Map(tiles.map((tile) => [tile.id, tile]));
        const unknown = order.filter((id) => !byId.has(id));
        if (unknown.length > 0) return { unknown: unknown.toSorted((a, b) => a - b) };
        const namedTiles = order.map((id) => byId.get(id)!);
        const rest = tiles.filter(({ id }) => !order.includes(id));
        await withChangesLogged(acting, dashboard, () =>
          storeMoved(acting, tiles, arrange([...namedTiles, ...rest], style)),
        );
        return reread(acting, dashboard);
      }),

    /** Adds a text; without `layouts` in the first free place on the left. @throws InvalidInput naming the field */
    async addText(actor: Actor, aim: DashboardTarget, given: NewTextTile): Promise<TileBody> {
      const body = filledBody(given.body);
      const display = displayOf(given);
      const tile = await changeDashboard(actor, aim, (acting, dashboard) =>
        withChangesLogged(acting, dashboard, async () => {
          const { id: text_id } = await writeText(acting, { body });
          const { tiles } = acting.stores;
          const layouts = display.layouts ?? placeAmong(await tiles.listLive(dashboard.id), FIRST_PLACE);
          return tiles.insert({ ...display, layouts, text_id, dashboard_id: dashboard.id });
        }),
      );
      return presentTile(actor, tile);
    },

    /** @throws NotFound when the dashboard shows no such tile; InvalidInput naming the field */
    async changeText(actor: Actor, aim: DashboardTarget, given: ChangedTextTile): Promise<TileBody> {
      const body = given.body === undefined ? undefined : filledBody(given.body);
      const display = displayOf(given);
      const tile = await changeDashboard(actor, aim, async (acting, dashboard) => {
        const found = await acting.stores.tiles.getLive(dashboard.id, given.tile_id);
        const { id, text_id } = found;
        if (text_id === null) throw new InvalidInput('Tile is not a text tile.', 'tile_id');
        await withChangesLogged(acting, dashboard, async () => {
          const text = body === undefined ? text_id : await rewriteText(acting, text_id, { body });
          await acting.stores.tiles.update(id, { ...display, text_id: text });
        });
        return found;
      });
      return presentTile(actor, tile);
    },

    /** Takes a tile off the dashboard; those below it move up. @throws NotFound when the dashboard shows no such tile */
    remove: (actor: Actor, aim: DashboardTarget, tileId: number): Promise<void> =>
      changeDashboard(actor, aim, async (acting, dashboard) => {
        const { tiles } = acting.stores;
        const { id } = await tiles.getLive(dashboard.id, tileId);
        await withChangesLogged(acting, dashboard, async () => {
          await tiles.update(id, { deleted: true });
          const remainingTiles = await tiles.listLive(dashboard.id);
          await storeMoved(acting, remainingTiles, compact(remainingTiles));
        });
      }),
  };
}

export type TileManagement = ReturnType<typeof tileManagement>;

function reread({ stores, project }: Acting, { id }: Dashboard): Promise<Dashboard> {
  return stores.dashboards.get(project.id, id);
}

/** Stores the layouts that changed. */
async function storeMoved(
  { stores }: Acting,
  before: readonly TileLayouts[],
  laid: readonly TileLayouts[],
): Promise<void> {
  const former = new Map(before.map(({ id, layouts }) => [id, layouts]));
  await stores.tiles.updateLayouts(laid.filter(({ id, layouts }) => !isDeepStrictEqual(layouts, former.get(id))));
}

function filledBody(body: string): string {
  if (body.trim() === '') throw new InvalidInput('Text body cannot be empty', 'body', 'blank');
  checkBody(body, 'body');
  return body;
}

/** @throws InvalidInput for an invalid position, which would be lost */
function displayOf(given: Pick<NewTextTile, 'layouts' | 'color'>): { layouts?: Layouts; color?: string | null } {
  checkLayouts(given);
  const { layouts, color } = given;
  return { ...(layouts && { layouts }), ...(color !== undefined && { color }) };
}
