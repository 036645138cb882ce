/** Limits the tiles of a dashboard, because each change reads all of them while other changes wait. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { BoundDashboardStores } from '../stores.ts';
import { MAX_TILES } from './schema.ts';

/**
 * Refuses a change that leaves too many tiles; a dashboard above the limit may keep as many as it had.
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
 * Enforces the limit on a changed dashboard. If visible and hidden tiles together exceed the limit, deletes the surplus hidden ones, which
 * are those of deleted insights; otherwise restoring the insights would overfill the dashboard.
 * @param count of the tiles that the dashboard shows
 * @throws InvalidInput if there are too many
 */
export async function enforceTileLimit(
  { tiles }: Pick<BoundDashboardStores, 'tiles'>,
  dashboardId: number,
  count: { before: number; after: number },
): Promise<void> {
  ensureTilesFit(count);
  await tiles.deleteHiddenTiles(dashboardId, { beyond: MAX_TILES });
}
