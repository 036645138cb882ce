/** Figures on the current state of all exports of the installation. */
import type { ExportFigures } from '../../platform/telemetry/metrics.ts';
import { measureEach } from './freshness.ts';
import type { ExportStores } from '../stores.ts';

const AT_ONCE = 200;

export async function exportFigures(stores: ExportStores): Promise<ExportFigures> {
  const [
    timeline,
    foreignDeliveries,
    openRuns,
    openRequests,
    waitingNotifications,
    round,
    oldestTransactionSeconds,
    ids,
  ] = await Promise.all([
    stores.timeline.getState(),
    stores.foreignDeliveries.countWaiting(),
    stores.figures.openRunsByStatus(),
    stores.figures.openRequestsByKind(),
    stores.figures.waitingNotificationsByChannel(),
    stores.rounds.findLastRound(),
    stores.rounds.oldestTransactionSeconds(),
    stores.freshness.listIds(),
  ]);
  const exports = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    // An export whose query fails is left out; the reconciler logs the reason.
    const measured = await measureEach(stores, ids.slice(from, from + AT_ONCE), () => {});
    exports.push(...measured.map(({ watched: { id, projectId }, freshness }) => ({ id, projectId, ...freshness })));
  }
  return {
    exports,
    openRuns,
    openRequests,
    waitingNotifications,
    round,
    oldestTransactionSeconds,
    deliveriesBlocked: timeline.blocked !== null,
    foreignDeliveries,
  };
}
