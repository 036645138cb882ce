/** Unpauses exports whose pause was to end automatically. A later step of the round sets their schedules, as for all changed rows. */
import { resume } from '../../src/exports/pauses/pauses.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields } from '../round-steps.ts';

/** Limit per round; the next round continues. */
const MAX_AT_ONCE = 1_000;

/** @returns how many were unpaused */
export async function resumeExports(engine: Engine, signal: AbortSignal): Promise<number> {
  const overdue = await engine.stores.pauses.listOverdue(MAX_AT_ONCE);
  let resumed = 0;
  await forEachLoggingFailures(
    engine,
    signal,
    'an export could not be unpaused: the next round tries again',
    overdue,
    ({ id }) => exportLogFields(id),
    async (pausedExport) => {
      if (await resume(engine.stores, pausedExport)) resumed += 1;
    },
  );
  return resumed;
}
