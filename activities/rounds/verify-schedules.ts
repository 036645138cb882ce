/** Resets Temporal schedules that differ from their exports' rows. */
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields } from '../round-steps.ts';

/** With a round every 45 seconds, each schedule is verified every half hour. */
const VERIFIED_SHARE = 1 / 40;

/** @returns how many schedules were verified */
export async function verifySchedules(engine: Engine, signal: AbortSignal): Promise<number> {
  const dueIds = new Set([
    ...(await engine.stores.schedules.listExportsToVerify(VERIFIED_SHARE)),
    ...(await listPauseMismatches(engine, signal)),
  ]);
  await forEachLoggingFailures(
    engine,
    signal,
    'a schedule could not be verified: a later round tries again',
    dueIds,
    exportLogFields,
    async (id) => {
      await engine.scheduleSync.verify(id);
    },
  );
  return dueIds.size;
}

/** Exports that are paused either in Temporal's list or in their row, but not in both. The list may be outdated, so each is verified. */
async function listPauseMismatches({ stores, schedules, log }: Engine, signal: AbortSignal): Promise<string[]> {
  try {
    const rows = await stores.schedules.readPauseStates();
    const paused = await schedules.listPausedIds(signal);
    return [...rows].filter(([id, isPaused]) => isPaused !== paused.has(id)).map(([id]) => id);
  } catch (error) {
    signal.throwIfAborted();
    log.warn(forLog(error), 'paused schedules could not be listed: the next round tries again');
    return [];
  }
}
