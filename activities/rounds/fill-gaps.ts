/** Requests runs for gaps: intervals whose scheduled run never came. */
import { findGaps, earliestGapEndsAfter } from '../../src/exports/domain/gaps.ts';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import { isPausedAt } from '../../src/exports/domain/pauses.ts';
import { expiredRange } from '../../src/exports/intervals/expired.ts';
import type { WatchedExport } from '../../src/exports/intervals/gaps.store.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields, shuffle } from '../round-steps.ts';

/** @returns how many intervals were requested */
export async function fillGaps(engine: Engine, signal: AbortSignal): Promise<number> {
  const { stores } = engine;
  const now = millisOf(await stores.batchExports.now());
  let requestedCount = 0;
  const fill = async (watchedExport: WatchedExport) => {
    requestedCount += await fillGapsOf(engine, watchedExport, now);
  };
  await forEachLoggingFailures(
    engine,
    signal,
    'gaps could not be filled: the next round tries again',
    shuffle(await stores.gaps.listWatchedExports()),
    ({ id }) => exportLogFields(id),
    fill,
  );
  return requestedCount;
}

async function fillGapsOf(
  { stores, scheduleSync }: Engine,
  { id, ...watchedExport }: WatchedExport,
  now: number,
): Promise<number> {
  const since = isoMicros(earliestGapEndsAfter(watchedExport));
  const tiling = await stores.batchExports.getTiling(id);
  const batchExport = await stores.batchExports.find(id);
  if (!batchExport) return 0;
  const expired = expiredRange(batchExport, tiling);
  const pauses = await stores.gaps.listPauses(id);
  const states = new Map((await stores.gaps.listStates(id, since)).map((state) => [millisOf(state.end), state]));
  const requestedEnds = await stores.gaps.listRequestedEnds(id, since);
  // Settling comes first: the interval may turn out to be delivered.
  const pending = new Set([...requestedEnds, ...(await stores.gaps.listUnsettledEnds(id, since))].map(millisOf));
  const lookups = {
    state: (end: number) => states.get(end),
    isRequested: (end: number) => pending.has(end),
    isLeftOut: (end: number) => isPausedAt(pauses, end) || end <= expired.to,
  };
  const { gaps, gapFreeUntil } = findGaps({ ...watchedExport, tiling }, lookups, now);
  // If `verify` has adopted a pause or unpause made in Temporal, the apparent gaps may belong to a pause: the next round decides.
  if (gaps.length > 0 && (await scheduleSync.verify(id))) return 0;
  if (gaps.length > 0) await stores.runRequests.open(id, gaps, 'gap');
  if (gapFreeUntil !== undefined) await stores.gaps.advanceGapFreeUntil(id, isoMicros(gapFreeUntil));
  return gaps.length;
}
