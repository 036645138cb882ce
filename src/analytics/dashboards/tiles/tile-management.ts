/** Actions of users on single tiles. Each change is one transaction, with its entries in the audit log. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';
import { ensureVersion } from '../../../platform/http/parameters/preconditions.ts';
import type { ChangeContext } from '../change-context.ts';
import type { Actor } from '../dashboards.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { DashboardStores } from '../stores.ts';
import { checkLayouts } from './given-layouts.ts';
import {
  arrange,
  compact,
  sortByPosition,
  moveToFreePosition,
  FIRST_POSITION,
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

/** The ids in a requested order that are not of the dashboard's tiles. */
export type UnknownTiles = { unknown: number[] };

export function tileManagement(allStores: DashboardStores) {
  /** @throws NotFound when there is no such dashboard; Stale when it has another version */
  const changeDashboard = <T>(
    actor: Actor,
    { id, ifMatch }: DashboardTarget,
    work: (context: ChangeContext, dashboard: Dashboard) => Promise<T>,
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
    move: (actor: Actor, dashboardTarget: DashboardTarget, ids: { tile: number; to: number }): Promise<Dashboard> =>
      changeDashboard(actor, dashboardTarget, async (context, source) => {
        await moveTile(context, source, ids);
        return reread(context, source);
      }),

    /** @returns the target after it. @throws as `copyTile` */
    copy: (actor: Actor, dashboardTarget: DashboardTarget, ids: { tile: number; from: number }): Promise<Dashboard> =>
      changeDashboard(actor, dashboardTarget, async (context, target) => {
        await copyTile(context, target, ids);
        return reread(context, target);
      }),

    /**
     * Arranges all tiles again. Tiles that the order leaves out follow in their old order.
     * @param order ids, each once
     */
    reorder: (
      actor: Actor,
      dashboardTarget: DashboardTarget,
      { order, style }: { order: readonly number[]; style: LayoutStyle },
    ): Promise<Dashboard | UnknownTiles> =>
      changeDashboard(actor, dashboardTarget, async (context, dashboard) => {
        const tiles = sortByPosition(await context.stores.tiles.listLive(dashboard.id));
        const byId = new Map(tiles.map((tile) => [tile.id, tile]));
        const unknown = order.filter((id) => !byId.has(id));
        if (unknown.length > 0) return { unknown: unknown.toSorted((a, b) => a - b) };
        const namedTiles = order.map((id) => byId.get(id)!);
        const others = tiles.filter(({ id }) => !order.includes(id));
        await withChangesLogged(context, dashboard, () =>
          storeMoved(context, tiles, arrange([...namedTiles, ...others], style)),
        );
        return reread(context, dashboard);
      }),

    /** Adds a text; without `layouts` in the first free position on the left. @throws InvalidInput naming the field */
    async addText(actor: Actor, aim: DashboardTarget, input: NewTextTile): Promise<TileBody> {
      const body = filledBody(input.body);
      const display = displayOf(input);
      const tile = await changeDashboard(actor, aim, (context, dashboard) =>
        withChangesLogged(context, dashboard, async () => {
          const { id: text_id } = await writeText(context, { body });
          const { tiles } = context.stores;
          const layouts = display.layouts ?? moveToFreePosition(await tiles.listLive(dashboard.id), FIRST_POSITION);
          return tiles.insert({ ...display, layouts, text_id, dashboard_id: dashboard.id });
        }),
      );
      return presentTile(actor, tile);
    },

    /** @throws NotFound when the dashboard shows no such tile; InvalidInput naming the field */
    async changeText(actor: Actor, aim: DashboardTarget, input: ChangedTextTile): Promise<TileBody> {
      const body = input.body === undefined ? undefined : filledBody(input.body);
      const display = displayOf(input);
      const tile = await changeDashboard(actor, aim, async (context, dashboard) => {
        const existing = await context.stores.tiles.getLive(dashboard.id, input.tile_id);
        const { id, text_id } = existing;
        if (text_id === null) throw new InvalidInput('Tile is not a text tile.', 'tile_id');
        await withChangesLogged(context, dashboard, async () => {
          const text = body === undefined ? text_id : await rewriteText(context, text_id, { body });
          await context.stores.tiles.update(id, { ...display, text_id: text });
        });
        return existing;
      });
      return presentTile(actor, tile);
    },

    /** Takes a tile off the dashboard; those below it move up. @throws NotFound when the dashboard shows no such tile */
    remove: (actor: Actor, aim: DashboardTarget, tileId: number): Promise<void> =>
      changeDashboard(actor, aim, async (context, dashboard) => {
        const { tiles } = context.stores;
        const { id } = await tiles.getLive(dashboard.id, tileId);
        await withChangesLogged(context, dashboard, async () => {
          await tiles.update(id, { deleted: true });
          const remainingTiles = await tiles.listLive(dashboard.id);
          await storeMoved(context, remainingTiles, compact(remainingTiles));
        });
      }),
  };
}

export type TileManagement = ReturnType<typeof tileManagement>;

function reread({ stores, project }: ChangeContext, { id }: Dashboard): Promise<Dashboard> {
  return stores.dashboards.get(project.id, id);
}

/** Stores the layouts that changed. */
async function storeMoved(
  { stores }: ChangeContext,
  previous: readonly TileLayouts[],
  arranged: readonly TileLayouts[],
): Promise<void> {
  const former = new Map(previous.map(({ id, layouts }) => [id, layouts]));
  await stores.tiles.updateLayouts(arranged.filter(({ id, layouts }) => !isDeepStrictEqual(layouts, former.get(id))));
}

function filledBody(body: string): string {
  if (body.trim() === '') throw new InvalidInput('Text body cannot be empty', 'body', 'blank');
  checkBody(body, 'body');
  return body;
}

/** @throws InvalidInput for an invalid position, which would be lost */
function displayOf(input: Pick<NewTextTile, 'layouts' | 'color'>): { layouts?: Layouts; color?: string | null } {
  checkLayouts(input);
  const { layouts, color } = input;
  return { ...(layouts && { layouts }), ...(color !== undefined && { color }) };
}
