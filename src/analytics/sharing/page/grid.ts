/** Stylesheet rules that put tiles in their places, because the page's policy forbids styles in its elements. */
import { placeTiles, type PlacedTile } from '../charts/places.ts';

export function gridRules(tiles: readonly PlacedTile[]): string {
  return placeTiles(tiles)
    .map(([id, area]) => `#t${id}{grid-area:${area}}`)
    .join('');
}
