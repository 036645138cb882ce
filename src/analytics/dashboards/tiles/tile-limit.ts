/** Limits the tiles of a dashboard, because each change reads all of them while other changes wait. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { DashboardBound } from '../stores.ts';
import { MAX_TILES } from './schema.ts';

/**
 * Allows a change that removes tiles from a dashboard above the limit.
 * @param count of the tiles that the dashboard shows
 * @throws InvalidInput if there would be too many
 */
export function ensureTilesFit(count: { before: number; after: number }): void {
  if (count.after <= Math.max(MAX_TILES, count.before)) return;
  throw new InvalidInput(
    `A dashboard can have at most ${MAX_TILES} tiles, and this one would have ${count.after}: ` +
      'remove some first, or in the same request.',
  );
}

/**
 * Holds a changed dashboard to its limit. Tiles that are hidden because their insight was deleted are removed beyond it; otherwise
 * restoring the insights would overfill the dashboard.
 * @param count of the tiles that the dashboard shows
 * @throws InvalidInput if there are too many
 */
export async function enforceTileLimit(
  { tiles }: Pick<DashboardBound, 'tiles'>,
  dashboardId: number,
  count: { before: number; after: number },
): Promise<void> {
  ensureTilesFit(count);
  await tiles.takeOffHidden(dashboardId, { beyond: MAX_TILES });
}
