/** Where tiles lie, as a promise about any dashboard: nothing overlaps, and nothing leaves the grid. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  arrange,
  compact,
  GRIDS,
  sortByPosition,
  moveToFreePosition,
  LAYOUT_STYLES,
  overlap,
  gridPositionOf,
  type Grid,
  type TileLayouts,
} from '../../../../src/analytics/dashboards/tiles/layout.ts';

/** As careless clients leave it: over another, beyond the columns, not whole, not there. */
const entry = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ x: fc.nat(14), y: fc.nat(20), w: fc.nat(16), h: fc.nat(9), minW: fc.constant(2) }),
  },
  fc.constantFrom(undefined, null, 'x', [], { x: -1, y: 0, w: 2, h: 2 }, { x: 0.5, y: 1, w: 3, h: 3 }, { w: 4, h: 4 }),
);
const layouts = fc.record({ sm: entry, xs: entry });
const board: fc.Arbitrary<TileLayouts[]> = fc
  .array(layouts, { maxLength: 25 })
  .map((all) => all.map((one, index) => ({ id: index + 1, layouts: one })));
const holds = <T>(arbitrary: fc.Arbitrary<T>, promise: (value: T) => void) =>
  fc.assert(fc.property(arbitrary, promise));

function assertTidy(tiles: readonly TileLayouts[], whole: boolean): void {
  for (const grid of Object.keys(GRIDS) as Grid[]) {
    const places = tiles.flatMap(({ layouts }) => gridPositionOf(layouts, grid) ?? []);
    if (whole) assert.equal(places.length, tiles.length);
    for (const [index, place] of places.entries()) {
      assert(place.x >= 0 && place.y >= 0 && place.x + place.w <= GRIDS[grid], JSON.stringify(place));
      for (const other of places.slice(index + 1)) assert(!overlap(place, other), JSON.stringify([place, other]));
    }
  }
}

const at = (id: number, sm?: unknown): TileLayouts => ({ id, layouts: sm === undefined ? {} : { sm } });
const byId = ({ id, layouts }: TileLayouts) => [id, layouts] as const;

describe('the layout of any dashboard', () => {
  it('has no overlaps once it was compacted, and keeps columns and sizes', () => {
    holds(board, (before) => {
      const after = compact(before);
      assertTidy(after, false);
      for (const { id, layouts } of after) {
        const was = gridPositionOf(before.find((tile) => tile.id === id)!.layouts, 'sm');
        const is = gridPositionOf(layouts, 'sm');
        assert.deepEqual(is && { ...is, y: 0 }, was && { ...was, y: 0 });
      }
    });
  });

  it('is compact after that', () => {
    holds(board, (before) => {
      const once = compact(before);
      assert.deepEqual(new Map(compact(once).map(byId)), new Map(once.map(byId)));
    });
  });

  for (const style of LAYOUT_STYLES) {
    it(`has all tiles in their new order without overlaps once it was arranged: ${style}`, () => {
      holds(board, (given) => {
        const after = arrange(given, style);
        assertTidy(after, true);
        assert.deepEqual(
          sortByPosition(after).map(({ id }) => id),
          given.map(({ id }) => id),
        );
      });
    });
  }

  it('keeps the sizes of tiles that are arranged as they are', () => {
    const [tile] = arrange([{ id: 1, layouts: { sm: { x: 3, y: 9, w: 4, h: 2, minW: 2 }, note: 'kept' } }], 'preserve');
    assert.deepEqual(tile?.layouts, {
      sm: { x: 0, y: 0, w: 4, h: 2, minW: 2 },
      xs: { x: 0, y: 0, w: 1, h: 2 },
      note: 'kept',
    });
  });

  it('lets a tile come in without touching another, and leaves it where it was if there is room', () => {
    holds(fc.tuple(board, layouts), ([others, wish]) => {
      const settled = compact(others);
      const laid = moveToFreePosition(settled, wish);
      assertTidy([...settled, { id: 99, layouts: laid }], false);
      const [wanted, place] = [gridPositionOf(wish, 'sm'), gridPositionOf(laid, 'sm')];
      assert.deepEqual(place && { ...place, y: 0 }, wanted && { ...wanted, y: 0 });
      const taken = settled.flatMap((tile) => gridPositionOf(tile.layouts, 'sm') ?? []);
      if (wanted && !taken.some((other) => overlap(other, wanted))) assert.deepEqual(place, wanted);
    });
  });

  it('closes the gap that a tile leaves', () => {
    const tiles = [
      { id: 2, layouts: { sm: { x: 0, y: 5, w: 6, h: 5 } } },
      { id: 3, layouts: { sm: { x: 6, y: 5, w: 6, h: 5 } } },
      { id: 4, layouts: { sm: { x: 0, y: 10, w: 12, h: 2 } } },
    ];
    assert.deepEqual(
      compact(tiles).map(({ layouts }) => gridPositionOf(layouts, 'sm')?.y),
      [0, 0, 5],
    );
  });

  it('orders by row, then column, then age, what has no place last', () => {
    const tiles = [at(9), at(4, { x: 6, y: 0 }), at(3, { x: 0, y: 2 }), at(2, { x: 0, y: 0 }), at(1, { x: 0, y: 2 })];
    assert.deepEqual(
      sortByPosition(tiles).map(({ id }) => id),
      [2, 4, 1, 3, 9],
    );
  });
});
