/** How many tiles a dashboard has room for: each change looks at all of them, while others wait for their turn. */
import { InvalidInput } from '../../errors.ts';
import { MAX_TILES } from './schema.ts';

/**
 * One that has more already may lose some.
 * @param count of the tiles that the dashboard shows
 * @throws InvalidInput when they become too many
 */
export function ensureRoom(count: { before: number; after: number }): void {
  if (count.after <= Math.max(MAX_TILES, count.before)) return;
  throw new InvalidInput(`A dashboard can have at most ${MAX_TILES} tiles.`);
}
