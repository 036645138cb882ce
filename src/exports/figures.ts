/** How all exports of the installation are at this moment. */
import type { ExportFigures } from '../telemetry/metrics.ts';
import { lookAt } from './freshness.ts';
import type { ExportStores } from './stores.ts';

const AT_ONCE = 200;

export async function exportFigures(stores: ExportStores): Promise<ExportFigures> {
  const [openRuns, openRequests, waitingNotifications, ids] = await Promise.all([
    stores.figures.openRunsByStatus(),
    stores.figures.openRequestsByKind(),
    stores.figures.waitingNotificationsByChannel(),
    stores.freshness.ids(),
  ]);
  const exports = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const looked = await lookAt(stores, ids.slice(from, from + AT_ONCE));
    exports.push(...looked.map(({ watched: { id, projectId }, freshness }) => ({ id, projectId, ...freshness })));
  }
  return { exports, openRuns, openRequests, waitingNotifications };
}
