/**
 * Positions of tiles on two grids: one of 12 columns, and one of a single column for narrow screens. Pure. Clients store more fields with
 * a position (`i`, `minW`, ...), which are kept. Layouts are stored unchecked, so an invalid position counts as missing.
 */

/** The grids by their names on the wire, and how many columns they have. */
export const GRIDS = { sm: 12, xs: 1 } as const;
export type Grid = keyof typeof GRIDS;

export type Layouts = Readonly<Record<string, unknown>>;
export type GridPosition = { x: number; y: number; w: number; h: number };
/** The id of a tile, and its position in each grid. */
export type TileLayouts = { id: number; layouts: Layouts };

export const LAYOUT_STYLES = ['preserve', 'two_column', 'full_width'] as const;
export type LayoutStyle = (typeof LAYOUT_STYLES)[number];

const DEFAULT_SIZE = { w: 6, h: 5 };
/** The position of a new tile without a layout, before it moves out of the way of others. */
export const FIRST_POSITION = {
  sm: { x: 0, y: 0, ...DEFAULT_SIZE },
  xs: { x: 0, y: 0, w: GRIDS.xs, h: DEFAULT_SIZE.h },
} as const satisfies Layouts;
/** Coordinate that sorts tiles without a position last, as upstream does. */
const UNPLACED = 100;
/** Limit of a position on the grid: further than anyone scrolls, and small enough that sums stay exact. */
const MAX_ROW = 1_000_000;

/** Sorts tiles by row, then from the left, then by age. */
export function sortByPosition<T extends TileLayouts>(tiles: readonly T[]): T[] {
  const key = ({ layouts }: T, axis: 'x' | 'y') => coordinate(entryOf(layouts, 'sm')?.[axis]) ?? UNPLACED;
  return tiles.toSorted((a, b) => key(a, 'y') - key(b, 'y') || key(a, 'x') - key(b, 'x') || a.id - b.id);
}

/** @returns the position within the columns of the grid; undefined when the tile has none */
export function gridPositionOf(layouts: Layouts, grid: Grid): GridPosition | undefined {
  const entry = entryOf(layouts, grid);
  const [x, y, w, h] = [entry?.['x'], entry?.['y'], entry?.['w'], entry?.['h']].map(coordinate);
  if (x === undefined || y === undefined || !w || !h) return undefined;
  const width = Math.min(w, GRIDS[grid]);
  return { x: Math.min(x, GRIDS[grid] - width), y, w: width, h };
}

/**
 * Finds a free position for a tile among others: its own, or the first free one below, in the same columns.
 * @returns the layouts with that position
 */
export function moveToFreePosition(others: readonly TileLayouts[], layouts: Layouts): Layouts {
  return inEachGrid(layouts, (grid, desired) => {
    const takenPositions = others.flatMap((other) => gridPositionOf(other.layouts, grid) ?? []);
    const rows = [desired.y, ...takenPositions.map(bottom)].filter((y) => y >= desired.y).toSorted((a, b) => a - b);
    const y = rows.find((row) => !takenPositions.some((taken) => overlap({ ...desired, y: row }, taken)));
    return { ...desired, y: y ?? desired.y };
  });
}

/** Moves all tiles up as far as the tiles above allow; afterwards none overlap. */
export function compact<T extends TileLayouts>(tiles: readonly T[]): T[] {
  const positionsByGrid = { sm: compactedPositions(tiles, 'sm'), xs: compactedPositions(tiles, 'xs') };
  return tiles.map((tile) => ({
    ...tile,
    layouts: inEachGrid(tile.layouts, (grid, position) => positionsByGrid[grid].get(tile.id) ?? position),
  }));
}

function compactedPositions(tiles: readonly TileLayouts[], grid: Grid): Map<number, GridPosition> {
  const positionsById = new Map<number, GridPosition>();
  const placed = tiles.flatMap(({ id, layouts }) => {
    const position = gridPositionOf(layouts, grid);
    return position ? [{ id, position }] : [];
  });
  placed.sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x || a.id - b.id);
  for (const { id, position } of placed) {
    const tilesAbove = [...positionsById.values()].filter((other) => shareColumns(position, other));
    positionsById.set(id, { ...position, y: Math.max(0, ...tilesAbove.map(bottom)) });
  }
  return positionsById;
}

/**
 * Lays out all tiles again, in the given order: each to the right of the previous one, or in the next row if it is too wide.
 * Every tile has a position afterwards, in both grids.
 */
export function arrange<T extends TileLayouts>(tiles: readonly T[], style: LayoutStyle): T[] {
  let [x, y, rowHeight, narrowY] = [0, 0, 0, 0];
  return tiles.map((tile) => {
    const { w, h, narrowHeight } = sizeOf(tile, style);
    if (x + w > GRIDS.sm) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const layouts = {
      ...tile.layouts,
      sm: { ...entryOf(tile.layouts, 'sm'), x, y, w, h },
      xs: { ...entryOf(tile.layouts, 'xs'), x: 0, y: narrowY, w: GRIDS.xs, h: narrowHeight },
    };
    x += w;
    rowHeight = Math.max(rowHeight, h);
    narrowY += narrowHeight;
    return { ...tile, layouts };
  });
}

function sizeOf({ layouts }: TileLayouts, style: LayoutStyle) {
  if (style === 'two_column') return { ...DEFAULT_SIZE, narrowHeight: DEFAULT_SIZE.h };
  if (style === 'full_width') return { w: GRIDS.sm, h: DEFAULT_SIZE.h, narrowHeight: DEFAULT_SIZE.h };
  const { w, h } = gridPositionOf(layouts, 'sm') ?? DEFAULT_SIZE;
  return { w, h, narrowHeight: gridPositionOf(layouts, 'xs')?.h ?? h };
}

function inEachGrid(layouts: Layouts, move: (grid: Grid, position: GridPosition) => GridPosition): Layouts {
  const moved = (Object.keys(GRIDS) as Grid[]).flatMap((grid) => {
    const position = gridPositionOf(layouts, grid);
    return position ? [[grid, { ...entryOf(layouts, grid), ...move(grid, position) }] as const] : [];
  });
  return { ...layouts, ...Object.fromEntries(moved) };
}

function entryOf(layouts: Layouts, grid: Grid): Record<string, unknown> | undefined {
  const entry = layouts[grid];
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? { ...entry } : undefined;
}

/** @returns undefined for a value that is not a whole number of cells */
function coordinate(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_ROW ? Number(value) : undefined;
}

function bottom({ y, h }: GridPosition): number {
  return y + h;
}

function shareColumns(a: GridPosition, b: GridPosition): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w;
}

export function overlap(a: GridPosition, b: GridPosition): boolean {
  return shareColumns(a, b) && a.y < bottom(b) && b.y < bottom(a);
}
