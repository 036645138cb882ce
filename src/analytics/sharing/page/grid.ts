/** Rules of a page's stylesheet that put tiles in their places: the page has no styles in its elements, which its policy forbids. */
import { placesOf, type Laid } from '../charts/places.ts';

export function gridRules(tiles: readonly Laid[]): string {
  return placesOf(tiles)
    .map(([id, area]) => `#t${id}{grid-area:${area}}`)
    .join('');
}
