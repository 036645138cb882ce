/** One round of looking after everything: each step makes true again what a crash, an outage or a person let drift. */
import { ensurePartitions } from '../src/events/partitions.ts';
import type { Attempt } from './activity.ts';
import { closeLostRuns } from './close-lost-runs.ts';
import type { Engine } from './engine.ts';
import { fillGaps } from './fill-gaps.ts';
import { settleIntervals } from './settle-intervals.ts';
import { watchFreshness } from './watch-freshness.ts';

/** What a round did, for Temporal's UI. */
export type Repairs = {
  schedulesVerified: number;
  runsClosed: number;
  intervalsFoundDelivered: number;
  intervalsRequested: number;
  gapsRequested: number;
  /** Exports that are behind schedule now, or no longer are. */
  alerts: number;
  dispatchersWoken: number;
};

/** Every schedule is verified once in half an hour. */
const VERIFIED_SHARE = 1 / 40;
/** A run that was touched just now is alive. Short: with the time between two rounds it is less than a minute. */
const IDLE_SECONDS = 5;

export async function reconcileAll(engine: Engine, attempt: Attempt): Promise<Repairs> {
  await ensurePartitions(engine.pool);
  const schedulesVerified = await verifySchedules(engine);
  const runsClosed = await closeLostRuns(engine, IDLE_SECONDS);
  const { delivered, requested } = await settleIntervals(engine, attempt);
  const gapsRequested = await fillGaps(engine);
  const alerts = await watchFreshness(engine);
  const waiting = await engine.stores.requests.exportsWithOpen();
  for (const exportId of waiting) await engine.executions.wakeDispatcher(exportId);
  return {
    schedulesVerified,
    runsClosed,
    intervalsFoundDelivered: delivered,
    intervalsRequested: requested,
    gapsRequested,
    alerts,
    dispatchersWoken: waiting.length,
  };
}

async function verifySchedules({ stores, setter, log }: Engine): Promise<number> {
  const due = await stores.schedules.due(VERIFIED_SHARE);
  for (const id of due) {
    await setter
      .verify(id)
      .catch((error: unknown) => log.warn({ err: error, batch_export_id: id }, 'a schedule is verified later'));
  }
  return due.length;
}
