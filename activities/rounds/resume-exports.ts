/** Exports whose pause was to end by itself, unpaused. Their schedules follow with the others whose row has changed. */
import { resume } from '../../src/exports/pauses/pauses.ts';
import type { Engine } from '../engine.ts';
import { eachOrLog, ofExport } from '../round-steps.ts';

/** The next round goes on. */
const MAX_AT_ONCE = 1_000;

/** @returns how many were unpaused */
export async function resumeExports(engine: Engine, signal: AbortSignal): Promise<number> {
  const overdue = await engine.stores.pauses.overdue(MAX_AT_ONCE);
  let resumed = 0;
  await eachOrLog(
    engine,
    signal,
    'an export is unpaused later',
    overdue,
    ({ id }) => ofExport(id),
    async (one) => {
      if (await resume(engine.stores, one)) resumed += 1;
    },
  );
  return resumed;
}
