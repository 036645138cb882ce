/** Limits the tiles of a dashboard, because each change reads all of them while others wait for their turn. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { DashboardBound } from '../stores.ts';
import { MAX_TILES } from './schema.ts';

/**
 * Allows a change that removes tiles from a dashboard above the limit.
 * @param count of the tiles that the dashboard shows
 * @throws InvalidInput when they become too many
 */
export function ensureTilesFit(count: { before: number; after: number }): void {
  if (count.after <= Math.max(MAX_TILES, count.before)) return;
  throw new InvalidInput(
    `A dashboard can have at most ${MAX_TILES} tiles, and this one would have ${count.after}: ` +
      'take some off in the same change, or before it.',
  );
}

/**
 * Holds a changed dashboard to its limit. Tiles that are hidden with their deleted insights make way for shown ones, or restoring
 * the insights would overfill the dashboard.
 * @param count of the tiles that the dashboard shows
 * @throws InvalidInput when they have become too many
 */
export async function enforceTileLimit(
  { tiles }: Pick<DashboardBound, 'tiles'>,
  dashboardId: number,
  count: { before: number; after: number },
): Promise<void> {
  ensureTilesFit(count);
  await tiles.takeOffHidden(dashboardId, { beyond: MAX_TILES });
}
