/** Stylesheet rules that put tiles in their places, because the page's policy forbids styles in its elements. */
import { positionTiles, type PlacedTile } from '../charts/positions.ts';

export function gridRules(tiles: readonly PlacedTile[]): string {
  return positionTiles(tiles)
    .map(([id, area]) => `#t${id}{grid-area:${area}}`)
    .join('');
}
