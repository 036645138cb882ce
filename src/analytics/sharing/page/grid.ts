/** Stylesheet rules that put tiles in their places, because the page's policy forbids styles in its elements. */
import { placesOf, type Laid } from '../charts/places.ts';

export function gridRules(tiles: readonly Laid[]): string {
  return placesOf(tiles)
    .map(([id, area]) => `#t${id}{grid-area:${area}}`)
    .join('');
}
