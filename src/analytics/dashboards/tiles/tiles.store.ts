/**
 * Rows of tiles. Fields have the same names in the table, in code and on the wire, because most are only passed on. Callers must have found
 * the tile's dashboard in its project. Writers hold the project's lock (`stores.inTransaction`).
 */
import type { Knex } from '../../../platform/db/connection.ts';
import { NotFound } from '../../../platform/errors.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { TileLayouts, Layouts } from './layout.ts';

/** How a tile shows its content. */
export type TileFields = {
  layouts: Layouts;
  color: string | null;
  /** Filters that replace the dashboard's for this tile. */
  filters_overrides: Readonly<Record<string, unknown>>;
  show_description: boolean | null;
  transparent_background: boolean | null;
};

/** Content of a tile: exactly one is not null. */
export type TileContent = { insight_id: number | null; text_id: number | null; button_id: string | null };

export type Tile = TileFields & TileContent & { id: number; dashboard_id: number; deleted: boolean };

/** The tile and dashboard that an object is on. */
export type TileLocation = Pick<Tile, 'id' | 'dashboard_id' | 'deleted'>;

/** The location of a tile, with the creator of its dashboard, on whom access depends. */
export type OwnedTileLocation = TileLocation & Pick<Dashboard, 'created_by'>;

/** The location of a tile that may be on a deleted dashboard, which can be restored. */
export type SharedTileLocation = OwnedTileLocation & { dashboard_deleted: boolean };

/** Contents that copies of a dashboard share, and that have no access controls. */
type SharedContent = Pick<TileContent, 'text_id' | 'button_id'>;

export type NewTile = Partial<TileFields> & Partial<TileContent> & { dashboard_id: number };

export function contentOf({ insight_id, text_id, button_id }: Tile): TileContent {
  return { insight_id, text_id, button_id };
}

export function fieldsOf(tile: Tile): TileFields {
  const { layouts, color, filters_overrides, show_description, transparent_background } = tile;
  return { layouts, color, filters_overrides, show_description, transparent_background };
}

const COLUMNS = [
  ...(['id', 'dashboard_id', 'insight_id', 'text_id', 'button_id', 'layouts', 'color', 'filters_overrides'] as const),
  ...(['show_description', 'transparent_background', 'deleted'] as const),
].map((column) => `dashboard_tiles.${column}`);

export function tileStore(db: Knex) {
  const table = () => db<Tile>('dashboard_tiles');
  /** Leaves out tiles of deleted insights; they reappear when the insight is restored. */
  const liveTiles = (dashboardId: number) =>
    table()
      .leftJoin('insights', 'insights.id', 'dashboard_tiles.insight_id')
      .where({ 'dashboard_tiles.dashboard_id': dashboardId, 'dashboard_tiles.deleted': false })
      .whereRaw('insights.deleted is not true');
  const locationsBy = (column: 'text_id' | 'button_id', ids: readonly (number | string)[]) =>
    db('dashboard_tiles as tile')
      .join('dashboards', 'dashboards.id', 'tile.dashboard_id')
      .whereIn(`tile.${column}`, ids)
      .orderBy('tile.id')
      .select<(SharedTileLocation & SharedContent)[]>(
        ...(['tile.id', 'tile.dashboard_id', 'tile.deleted', 'tile.text_id', 'tile.button_id'] as const),
        'dashboards.created_by',
        'dashboards.deleted as dashboard_deleted',
      );

  return {
    /** Shown tiles, in no order. */
    async listLive(dashboardId: number): Promise<Tile[]> {
      return (await liveTiles(dashboardId).select(COLUMNS)) as Tile[];
    },

    /** @throws NotFound when the dashboard shows no such tile */
    async getLive(dashboardId: number, id: number): Promise<Tile> {
      const row = (await liveTiles(dashboardId).where({ 'dashboard_tiles.id': id }).first(COLUMNS)) as Tile | undefined;
      if (!row) throw new NotFound('Tile not found.');
      return row;
    },

    /** Returns all tiles of a dashboard, also removed ones. */
    async listAll(dashboardId: number): Promise<Tile[]> {
      return (await table().where({ dashboard_id: dashboardId }).orderBy('id').select(COLUMNS)) as Tile[];
    },

    async insert(tile: NewTile): Promise<Tile> {
      const [row] = await table().insert(tile).returning(COLUMNS);
      return row as Tile;
    },

    async update(id: number, changes: Partial<Omit<Tile, 'id'>>): Promise<void> {
      if (Object.keys(changes).length > 0) await table().where({ id }).update(changes);
    },

    /** Updates the layouts of tiles in one statement. */
    async updateLayouts(tiles: readonly TileLayouts[]): Promise<void> {
      if (tiles.length === 0) return;
      await db.raw(
        `update dashboard_tiles set layouts = laid.layouts
         from jsonb_to_recordset(?) as laid (id integer, layouts jsonb) where dashboard_tiles.id = laid.id`,
        [JSON.stringify(tiles.map(({ id, layouts }) => ({ id, layouts })))],
      );
    },

    /** Deletes a tile for good, to make room for another tile of the same object. */
    async remove(id: number): Promise<void> {
      await table().where({ id }).delete();
    },

    /** If the dashboard's visible and hidden tiles exceed `beyond`, deletes the surplus, from the oldest tiles of deleted insights. */
    async deleteHiddenTiles(dashboardId: number, { beyond }: { beyond: number }): Promise<void> {
      await db.raw(
        `update dashboard_tiles set deleted = true where id in (
           select tile.id from dashboard_tiles as tile join insights on insights.id = tile.insight_id
           where tile.dashboard_id = :dashboardId and not tile.deleted and insights.deleted order by tile.id
           limit greatest(0, (select count(*) from dashboard_tiles
             where dashboard_id = :dashboardId and not deleted) - :beyond))`,
        { dashboardId, beyond },
      );
    },

    /**
     * Takes all tiles off a dashboard that is deleted. Tiles removed earlier would be restored with the others, so the
     * oldest of them are removed for good while there are more than `beyond` in all.
     */
    async softDeleteAll(dashboardId: number, { beyond }: { beyond: number }): Promise<void> {
      await db.raw(
        `delete from dashboard_tiles where id in (
           select id from dashboard_tiles where dashboard_id = :dashboardId and deleted order by id
           limit greatest(0, (select count(*) from dashboard_tiles where dashboard_id = :dashboardId) - :beyond))`,
        { dashboardId, beyond },
      );
      await table().where({ dashboard_id: dashboardId, deleted: false }).update({ deleted: true });
    },

    /**
     * Brings all tiles of a dashboard back.
     * @returns the insights on the tiles, so the caller can restore those deleted with the dashboard
     */
    async restoreAll(dashboardId: number): Promise<number[]> {
      const rows = await table()
        .where({ dashboard_id: dashboardId })
        .update({ deleted: false })
        .returning('insight_id');
      return rows.flatMap(({ insight_id }) => insight_id ?? []);
    },

    /** Returns the insights of a dashboard that no other dashboard shows. */
    async findInsightsOnlyOn(dashboardId: number): Promise<number[]> {
      const rows = await table()
        .where({ dashboard_id: dashboardId, deleted: false })
        .whereNotNull('insight_id')
        .whereNotExists(
          db('dashboard_tiles as elsewhere')
            .whereRaw('elsewhere.insight_id = dashboard_tiles.insight_id and not elsewhere.deleted')
            .whereNot('elsewhere.dashboard_id', dashboardId),
        )
        .select('insight_id');
      return rows.flatMap(({ insight_id }) => insight_id ?? []);
    },

    /** Returns the tiles that show each text, by the text's id; in the order of the tiles. */
    async findTextLocations(ids: readonly number[]): Promise<ReadonlyMap<number | null, SharedTileLocation[]>> {
      return Map.groupBy(await locationsBy('text_id', ids), ({ text_id }) => text_id);
    },

    async findButtonLocations(ids: readonly string[]): Promise<ReadonlyMap<string | null, SharedTileLocation[]>> {
      return Map.groupBy(await locationsBy('button_id', ids), ({ button_id }) => button_id);
    },
  };
}
