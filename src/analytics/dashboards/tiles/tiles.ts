/** Shows a viewer the tiles of a dashboard. */
import { NotFound } from '../../../platform/errors.ts';
import type { Caller, Rights } from '../../../platform/http/access.ts';
import type { Dashboard } from '../dashboards.store.ts';
import type { Insight } from '../../insights/insight.ts';
import { overlayOf, type Overrides } from '../../insights/results/overlay.ts';
import { NO_RESULT, type InsightResult } from '../../insights/results/result.ts';
import { restrictionOf, visibleLocations } from '../../insights/restriction.ts';
import type { ResultRequest } from '../../insights/results/results.ts';
import type { BoundDashboardStores } from '../stores.ts';
import { sortByPosition } from './layout.ts';
import { maySeeInsight } from './permissions.ts';
import { presentTile, type SeenTile } from './present.ts';
import type { TileBody } from './schema.ts';
import type { OwnedTileLocation, SharedTileLocation, Tile } from './tiles.store.ts';

/** The viewer for whom tiles are shown. */
export type TileViewer = {
  /** null: a stranger with a shared link. */
  rights: Rights | null;
  /** Absent: a stranger with a shared link. */
  caller?: Pick<Caller, 'userId'>;
  /** Filters and variables laid over the queries, for this view only. */
  overrides?: Overrides;
  /** Reads results, in the order of the queries. Without it tiles are shown without results. */
  getResults?(requests: readonly ResultRequest[]): Promise<readonly InsightResult[]>;
};

type ContentStores = Pick<BoundDashboardStores, 'buttons' | 'insights' | 'texts' | 'tiles' | 'users'>;
type ShownDashboard = Pick<Dashboard, 'id' | 'project_id' | 'filters' | 'variables'>;

/**
 * Loads the tiles row by row, from the left. Insights that the viewer may not see are reduced to their ids.
 * @param stores outside a transaction if `viewer` reads results, because they may take long
 */
export async function loadTiles(
  stores: ContentStores,
  dashboard: ShownDashboard,
  viewer: TileViewer,
): Promise<TileBody[]> {
  return present(stores, dashboard, viewer, sortByPosition(await stores.tiles.listLive(dashboard.id)));
}

/** Loads one of the dashboard's tiles, without results. @throws NotFound */
export async function loadTile(
  stores: ContentStores,
  dashboard: ShownDashboard,
  { rights, caller }: Required<Pick<TileViewer, 'rights' | 'caller'>>,
  id: number,
): Promise<TileBody> {
  const tile = (await loadTiles(stores, dashboard, { rights, caller })).find((candidate) => candidate.id === id);
  if (!tile) throw new NotFound();
  return tile;
}

async function present(
  stores: ContentStores,
  dashboard: ShownDashboard,
  viewer: TileViewer,
  tiles: readonly Tile[],
): Promise<TileBody[]> {
  const contents = await loadContents(stores, dashboard.project_id, tiles);
  const { rights, caller } = viewer;
  const maySee = (insight: Insight) => rights === null || maySeeInsight(insight, rights);
  const results = await loadResults(dashboard, viewer, tiles, ({ insight_id }) => {
    const insight = contents.insights.get(insight_id ?? 0);
    return insight && maySee(insight) ? insight : undefined;
  });

  const visibleOf = <Location extends OwnedTileLocation>(locations: readonly Location[]) =>
    rights ? visibleLocations(locations, rights) : locations;

  const visibleOfShared = (locations: readonly SharedTileLocation[] = []) =>
    visibleOf(locations.filter(({ dashboard_deleted: isGone }) => !isGone));

  function placement(insightId: number) {
    const locations = contents.locationsOfInsights.get(insightId) ?? [];
    return {
      locations: visibleOf(locations),
      ...(rights && caller && { restriction: restrictionOf(locations, caller, rights) }),
    };
  }

  const seenTiles = tiles.map((tile, order): SeenTile => {
    const insight = contents.insights.get(tile.insight_id ?? 0);
    const text = contents.texts.get(tile.text_id ?? 0);
    const button = contents.buttons.get(tile.button_id ?? '');
    const result = results.get(tile.id);
    return {
      tile,
      order,
      insight: insight && {
        insight,
        seen: result && { result, ...placement(insight.id) },
      },
      text: text && { text, locations: visibleOfShared(contents.locationsOfTexts.get(text.id)) },
      button: button && { button, locations: visibleOfShared(contents.locationsOfButtons.get(button.id)) },
    };
  });
  const users = await stores.users.findByIds(seenTiles.flatMap(usersOf));
  return seenTiles.map((tile) => presentTile(tile, { users, rights }));
}

/** Loads the contents of tiles, with one query for each kind. */
async function loadContents(stores: ContentStores, projectId: number, tiles: readonly Tile[]) {
  const insightIds = tiles.flatMap(({ insight_id }) => insight_id ?? []);
  const textIds = tiles.flatMap(({ text_id }) => text_id ?? []);
  const buttonIds = tiles.flatMap(({ button_id }) => button_id ?? []);
  const [insights, locationsOfInsights, texts, locationsOfTexts, buttons, locationsOfButtons] = await Promise.all([
    stores.insights.findByIds(projectId, insightIds),
    stores.insights.findLocations(projectId, insightIds),
    stores.texts.findByIds(projectId, textIds),
    stores.tiles.findTextLocations(textIds),
    stores.buttons.findByIds(projectId, buttonIds),
    stores.tiles.findButtonLocations(buttonIds),
  ]);
  return { insights, locationsOfInsights, texts, locationsOfTexts, buttons, locationsOfButtons };
}

/** @returns results by tile, for tiles whose insight the viewer may see */
async function loadResults(
  { filters, variables }: ShownDashboard,
  { overrides, getResults }: TileViewer,
  tiles: readonly Tile[],
  insightOf: (tile: Tile) => Insight | undefined,
): Promise<Map<number, InsightResult>> {
  const requested = tiles.flatMap((tile) => {
    const insight = insightOf(tile);
    return insight ? [{ id: tile.id, insight, overlay: overlayOf({ filters, variables }, tile, overrides) }] : [];
  });
  const results = await getResults?.(requested);
  return new Map(requested.map(({ id }, index) => [id, results?.[index] ?? NO_RESULT]));
}

function usersOf({ insight, text }: SeenTile): (number | null)[] {
  return [
    ...(insight ? [insight.insight.created_by, insight.insight.last_modified_by] : []),
    ...(text ? [text.text.created_by, text.text.last_modified_by] : []),
  ];
}
