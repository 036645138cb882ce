/** Where tiles lie on the page. Written as rules of its stylesheet: the page has no styles in its elements, which its policy forbids. */
import { arranged, compacted, placeOf, type Place } from '../../tiles/layout.ts';
import type { TileBody } from '../../tiles/schema.ts';

/** Taller ones leave nothing to see but room. */
const MAX_HEIGHT = 30;

type Laid = Pick<TileBody, 'id' | 'layouts'>;

/** Those without a place come after all others, two beside each other. */
export function gridRules(tiles: readonly Laid[]): string {
  const placed = compacted(tiles.filter(({ layouts }) => placeOf(layouts, 'sm')).map(bounded));
  const places = placed.map(({ id, layouts }) => [id, placeOf(layouts, 'sm')!] as const);
  const bottom = Math.max(0, ...places.map(([, { y, h }]) => y + h));
  const others = arranged(
    tiles.filter(({ layouts }) => !placeOf(layouts, 'sm')),
    'two_column',
  ).map(({ id, layouts }) => [id, lower(placeOf(layouts, 'sm')!, bottom)] as const);
  return [...places, ...others].map(([id, place]) => ruleOf(id, place)).join('');
}

function bounded(tile: Laid): Laid {
  const { h, ...place } = placeOf(tile.layouts, 'sm')!;
  return { id: tile.id, layouts: { sm: { ...place, h: Math.min(h, MAX_HEIGHT) } } };
}

function lower(place: Place, rows: number): Place {
  return { ...place, y: place.y + rows };
}

function ruleOf(id: number, { x, y, w, h }: Place): string {
  return `#t${id}{grid-area:${y + 1}/${x + 1}/span ${h}/span ${w}}`;
}
