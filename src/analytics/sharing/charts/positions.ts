/** Positions of tiles on a shared page. */
import {
  arrange,
  compact,
  gridPositionOf,
  type TileLayouts as Placed,
  type GridPosition,
} from '../../dashboards/tiles/layout.ts';

/** Limit of a tile's height; a taller one would show empty space only. */
const MAX_HEIGHT = 30;
/** Height of a table without rows. */
const EMPTY_HEIGHT = 2;

export type PlacedTile = Placed & { insight?: object | null };

/** Puts tiles without a position after all others, two side by side. */
export function positionTiles(tiles: readonly PlacedTile[]): (readonly [id: number, area: string])[] {
  const placed = compact(tiles.filter(({ layouts }) => gridPositionOf(layouts, 'sm')).map(boundTile));
  const positions = placed.map(({ id, layouts }) => [id, gridPositionOf(layouts, 'sm')!] as const);
  const bottom = Math.max(0, ...positions.map(([, { y, h }]) => y + h));
  const others = arrange(
    tiles.filter(({ layouts }) => !gridPositionOf(layouts, 'sm')),
    'two_column',
  ).map(({ id, layouts }) => [id, lower(gridPositionOf(layouts, 'sm')!, bottom)] as const);
  return [...positions, ...others].map(([id, position]) => [id, areaOf(position)] as const);
}

function boundTile(tile: PlacedTile): PlacedTile {
  const { h, ...position } = gridPositionOf(tile.layouts, 'sm')!;
  return { id: tile.id, layouts: { sm: { ...position, h: Math.min(h, isEmpty(tile) ? EMPTY_HEIGHT : MAX_HEIGHT) } } };
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
