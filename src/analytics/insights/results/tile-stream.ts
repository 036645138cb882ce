/**
 * Streams a dashboard as server-sent events: stored results at once, then each tile as soon as its result is computed. Each event is an
 * object with a `type`, as in upstream's stream: `metadata`, `tile`, `complete`.
 */
import { Readable } from 'node:stream';
import type { DashboardBody } from '../../dashboards/schema.ts';
import type { TileBody } from '../../dashboards/tiles/schema.ts';
import type { InsightResult } from './result.ts';

/** Number of tiles sent with the dashboard itself, with stored results, so a page has something to show early. */
const FIRST_TILES = 2;

/** @param dashboard the dashboard with stored results @param results by tile; they never reject. Tiles without one are sent at once */
export function tileStream(dashboard: DashboardBody, results: ReadonlyMap<number, Promise<InsightResult>>): Readable {
  const pendingTiles = dashboard.tiles.map(async (tile) => withResult(tile, await results.get(tile.id)));
  return Readable.from(events(dashboard, pendingTiles));
}

async function* events(dashboard: DashboardBody, pendingTiles: readonly Promise<TileBody>[]): AsyncGenerator<string> {
  yield event({ type: 'metadata', dashboard: { ...dashboard, tiles: dashboard.tiles.slice(0, FIRST_TILES) } });
  const pending = new Map(pendingTiles.map((tile, index) => [index, tile.then((value) => ({ index, value }))]));
  while (pending.size > 0) {
    const { index, value: tile } = await Promise.race(pending.values());
    pending.delete(index);
    yield event({ type: 'tile', order: tile.order, tile });
  }
  yield event({ type: 'complete' });
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function withResult(tile: TileBody, result: InsightResult | undefined): TileBody {
  if (!result || !tile.insight || !('result' in tile.insight)) return tile;
  const { error: _, ...without } = tile;
  const { last_refresh, is_cached, error } = result;
  return { ...without, insight: { ...tile.insight, ...result }, last_refresh, is_cached, ...(error && { error }) };
}
