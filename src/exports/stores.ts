/** All stores of batch exports, over one connection or one transaction. */
import { withTransactions, type WithTransactions } from '../platform/db/transactions.ts';
import type { Knex } from '../platform/db/connection.ts';
import { auditLogStore } from '../people/audit/audit-log.store.ts';
import { outboxStore } from '../platform/notify/outbox.store.ts';
import { attemptStore } from './runs/attempts.store.ts';
import { artifactStore } from './deliveries/artifacts.store.ts';
import { backfillStore } from './backfills/backfills.store.ts';
import { batchExportStore } from './batch-exports/batch-exports.store.ts';
import { erasedDeliveryStore } from './erasures/erased-deliveries.store.ts';
import { failureStore } from './monitoring/failures.store.ts';
import { figureStore } from './monitoring/figures.store.ts';
import { foreignDeliveryStore } from './timeline/foreign-deliveries.store.ts';
import { freshnessStore } from './monitoring/freshness.store.ts';
import { gapStore } from './intervals/gaps.store.ts';
import { healthStore } from './monitoring/health.store.ts';
import { integrationStore } from './integrations/integrations.store.ts';
import { intervalFactStore } from './intervals/interval-facts.store.ts';
import { intervalStateStore } from './intervals/interval-states.store.ts';
import { ledgerStore } from './deliveries/ledger.store.ts';
import { logStore } from './runs/logs.store.ts';
import { pauseStore } from './pauses/pauses.store.ts';
import { placeStore } from './deliveries/places.store.ts';
import { progressStore } from './runs/progress.store.ts';
import { runRequestStore } from './runs/run-requests.store.ts';
import { roundStore } from './monitoring/rounds.store.ts';
import { runStore } from './runs/runs.store.ts';
import { scheduleStore } from './schedules/schedules.store.ts';
import { staleStore } from './intervals/stale.store.ts';
import { supersededFileStore } from './deliveries/superseded-files.store.ts';
import { troubledIntervalStore } from './intervals/troubled-intervals.store.ts';
import { troubleStore } from './monitoring/troubles.store.ts';
import { timelineStore } from './timeline/timeline.store.ts';

function bind(db: Knex) {
  return {
    auditLog: auditLogStore(db),
    artifacts: artifactStore(db),
    attempts: attemptStore(db),
    backfills: backfillStore(db),
    batchExports: batchExportStore(db),
    erasedDeliveries: erasedDeliveryStore(db),
    failures: failureStore(db),
    figures: figureStore(db),
    foreignDeliveries: foreignDeliveryStore(db),
    freshness: freshnessStore(db),
    gaps: gapStore(db),
    health: healthStore(db),
    integrations: integrationStore(db),
    intervalFacts: intervalFactStore(db),
    intervalStates: intervalStateStore(db),
    ledger: ledgerStore(db),
    logs: logStore(db),
    outbox: outboxStore(db),
    pauses: pauseStore(db),
    places: placeStore(db),
    progress: progressStore(db),
    runRequests: runRequestStore(db),
    rounds: roundStore(db),
    runs: runStore(db),
    schedules: scheduleStore(db),
    stale: staleStore(db),
    supersededFiles: supersededFileStore(db),
    troubledIntervals: troubledIntervalStore(db),
    troubles: troubleStore(db),
    timeline: timelineStore(db),
  };
}

/** Stores that share one connection or transaction. */
export type BoundStores = ReturnType<typeof bind>;

export type ExportStores = WithTransactions<BoundStores>;

export function exportStores(db: Knex): ExportStores {
  return withTransactions(db, bind);
}
