/**
 * Does one round of repairs: each step corrects what a crash, an outage or a person left inconsistent. Steps that start or close runs
 * come before steps that contact destinations, which may be slow. Each step has a deadline; a failed step is logged and does not stop
 * the others.
 */
import { ensurePartitions } from '../../src/events/table/partitions.ts';
import { deleteSome } from '../../src/retention/retention.ts';
import type { Attempt } from '../activity.ts';
import { closeLostRuns } from '../runs/close-lost-runs.ts';
import { deleteSupersededFiles } from './delete-superseded-files.ts';
import type { Engine } from '../engine.ts';
import { eraseRows, settleErasures } from './erase-persons.ts';
import { expireEvents } from './expire-events.ts';
import { fillGaps } from './fill-gaps.ts';
import { noticeOverlaps } from './notice-overlaps.ts';
import { roundSteps } from '../round-steps.ts';
import { resumeExports } from './resume-exports.ts';
import { settleIntervals } from './settle-intervals.ts';
import { verifySchedules } from './verify-schedules.ts';
import { wakeDispatchers } from './wake-dispatchers.ts';
import { watchFreshness } from './watch-freshness.ts';
import { watchImports } from './watch-imports.ts';

/** Result of a round, for Temporal's UI. */
export type Repairs = {
  /** Exports resumed because their `resume_at` has passed. */
  exportsResumed: number;
  schedulesVerified: number;
  runsClosed: number;
  intervalsFoundDelivered: number;
  intervalsRequested: number;
  gapsRequested: number;
  staleIntervalsFound: number;
  staleIntervalsRequested: number;
  /** Re-deliveries without the rows of erased persons. */
  erasuresRequested: number;
  /** Exports that are newly behind schedule, on schedule again, or overlapping. */
  alerts: number;
  dispatchersWoken: number;
  /** Files that no manifest has listed for longer than the grace period. */
  filesDeleted: number;
  /** Rows past their retention that nothing holds back, and rows of erased persons. */
  rowsDeleted: number;
  /** Whether deliveries were blocked, because the database may have been restored or copied: nothing was delivered, settled or requested. */
  deliveriesBlocked: boolean;
  /** Steps that failed; the worker's log says why. */
  stepsFailed: string[];
};

/** Counts of the steps that are left out while deliveries are blocked: in a copy of the database they would act on the original's data. */
const NO_RESULTS = {
  exportsResumed: 0,
  schedulesVerified: 0,
  runsClosed: 0,
  staleIntervalsFound: 0,
  staleIntervalsRequested: 0,
  erasuresRequested: 0,
  intervalsFoundDelivered: 0,
  intervalsRequested: 0,
  gapsRequested: 0,
  dispatchersWoken: 0,
  filesDeleted: 0,
  rowsDeleted: 0,
};
/** A run that was updated within this time is alive. Short, so that lost runs are closed within a minute. */
const IDLE_SECONDS = 5;
/** Time after which a round begins no further deletion of old rows. */
const DELETE_WITHIN_MS = 1_000;
/**
 * Time after which a round begins no further deletion of hidden events. Longer, because there may be billions of them; that delays no other
 * repair, because this step comes last. Without hidden events it takes no time.
 */
const DELETE_EVENTS_WITHIN_MS = 15_000;
/** Time after which a round begins no further slice of an erasure, and no further check of its deliveries. */
const ERASE_WITHIN_MS = 10_000;

export async function reconcileAll(engine: Engine, attempt: Attempt): Promise<Repairs> {
  const { step, failed } = roundSteps(engine, attempt);
  const begun = performance.now();
  await step('partitions', () => ensurePartitions(engine.pool), []);
  await step('timeline', () => engine.timeline.check(), undefined);
  // Without an answer from the database, deliveries count as blocked.
  // tooth: blocked-acts-nowhere
  if (await step('block', async () => (await engine.timeline.blockReason()) !== undefined, true)) {
    const alerts = await step('freshness', (signal) => watchFreshness(engine, signal), 0);
    await step(
      'round',
      () => engine.stores.rounds.recordRound((performance.now() - begun) / 1000, failed.length),
      undefined,
    );
    return { ...NO_RESULTS, alerts, deliveriesBlocked: true, stepsFailed: failed };
  }
  // Before `schedules`, which makes Temporal match the rows that this step changes.
  const exportsResumed = await step('pauses', (signal) => resumeExports(engine, signal), 0);
  const schedulesVerified = await step('schedules', (signal) => verifySchedules(engine, signal), 0);
  const runsClosed = await step('lost runs', (signal) => closeLostRuns(engine, IDLE_SECONDS, signal), 0);
  const gapsRequested = await step('gaps', (signal) => fillGaps(engine, signal), 0);
  const imports = await step('imports', (signal) => watchImports(engine, signal), { stale: 0, requested: 0 });
  const dispatchersWoken = await step('dispatchers', (signal) => wakeDispatchers(engine, signal), 0);
  const settled = await step('unsettled intervals', (signal) => settleIntervals(engine, { ...attempt, signal }), {
    delivered: 0,
    requested: 0,
  });
  const erasuresRequested = await step(
    'erased deliveries',
    (signal) => settleErasures(engine, { beginWithinMs: ERASE_WITHIN_MS, signal }),
    0,
  );
  if (settled.requested + erasuresRequested > 0)
    await step('dispatchers', (signal) => wakeDispatchers(engine, signal), 0);
  const filesDeleted = await step('superseded files', (signal) => deleteSupersededFiles(engine, signal), 0);
  await step('places', () => engine.stores.places.forgetUnused(), 0);
  const freshnessAlerts = await step('freshness', (signal) => watchFreshness(engine, signal), 0);
  const overlapAlerts = await step('overlaps', (signal) => noticeOverlaps(engine, signal), 0);
  const rowsDeleted = await step(
    'retention',
    (signal) => deleteSome(engine.pool, engine.retention, { beginWithinMs: DELETE_WITHIN_MS, signal }),
    0,
  );
  const rowsErased = await step(
    'erasures',
    (signal) => eraseRows(engine, { beginWithinMs: ERASE_WITHIN_MS, signal }),
    0,
  );
  const eventsDeleted = await step(
    'events',
    (signal) => expireEvents(engine, { beginWithinMs: DELETE_EVENTS_WITHIN_MS, signal }),
    0,
  );
  await step(
    'round',
    () => engine.stores.rounds.recordRound((performance.now() - begun) / 1000, failed.length),
    undefined,
  );
  return {
    exportsResumed,
    schedulesVerified,
    runsClosed,
    intervalsFoundDelivered: settled.delivered,
    intervalsRequested: settled.requested,
    gapsRequested,
    staleIntervalsFound: imports.stale,
    staleIntervalsRequested: imports.requested,
    erasuresRequested,
    alerts: freshnessAlerts + overlapAlerts,
    dispatchersWoken,
    filesDeleted,
    rowsDeleted: rowsDeleted + eventsDeleted + rowsErased,
    deliveriesBlocked: false,
    stepsFailed: failed,
  };
}
