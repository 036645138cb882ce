/** Positions of tiles on a shared page. */
import {
  arrange,
  compact,
  gridPlaceOf,
  type TileLayouts as Placed,
  type GridPosition,
} from '../../dashboards/tiles/layout.ts';

/** Limit of a tile's height; a taller one would show empty space only. */
const MAX_HEIGHT = 30;
/** Height of a table without rows. */
const EMPTY_HEIGHT = 2;

export type PlacedTile = Placed & { insight?: object | null };

/** Places tiles without a position after all others, two side by side. */
export function placeTiles(tiles: readonly PlacedTile[]): (readonly [id: number, area: string])[] {
  const placed = compact(tiles.filter(({ layouts }) => gridPlaceOf(layouts, 'sm')).map(boundTile));
  const places = placed.map(({ id, layouts }) => [id, gridPlaceOf(layouts, 'sm')!] as const);
  const bottom = Math.max(0, ...places.map(([, { y, h }]) => y + h));
  const others = arrange(
    tiles.filter(({ layouts }) => !gridPlaceOf(layouts, 'sm')),
    'two_column',
  ).map(({ id, layouts }) => [id, lower(gridPlaceOf(layouts, 'sm')!, bottom)] as const);
  return [...places, ...others].map(([id, place]) => [id, areaOf(place)] as const);
}

function boundTile(tile: PlacedTile): PlacedTile {
  const { h, ...place } = gridPlaceOf(tile.layouts, 'sm')!;
  return { id: tile.id, layouts: { sm: { ...place, h: Math.min(h, isEmpty(tile) ? EMPTY_HEIGHT : MAX_HEIGHT) } } };
}

function isEmpty({ insight }: PlacedTile): boolean {
  return !!insight && 'result' in insight && Array.isArray(insight.result) && insight.result.length === 0;
}

function lower(position: GridPosition, rows: number): GridPosition {
  return { ...position, y: position.y + rows };
}

/** The position in the syntax of `grid-area`. */
function areaOf({ x, y, w, h }: GridPosition): string {
  return `${y + 1}/${x + 1}/span ${h}/span ${w}`;
}
