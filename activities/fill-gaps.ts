/** Requests for intervals that should exist and do not. */
import { findGaps, gapsBeginAfter } from '../src/exports/domain/gaps.ts';
import { isoMicros, millisOf } from '../src/exports/domain/instants.ts';
import { isPausedAt } from '../src/exports/domain/pauses.ts';
import type { WatchedExport } from '../src/exports/gaps.store.ts';
import type { Engine } from './engine.ts';

/** @returns how many intervals were requested */
export async function fillGaps(engine: Engine): Promise<number> {
  const { stores } = engine;
  const now = millisOf(await stores.batchExports.now());
  let requested = 0;
  for (const watched of await stores.gaps.watched()) requested += await fillGapsOf(engine, watched, now);
  return requested;
}

async function fillGapsOf({ stores }: Engine, { id, ...watched }: WatchedExport, now: number): Promise<number> {
  const since = isoMicros(gapsBeginAfter(watched));
  const tiling = await stores.batchExports.tiling(id);
  const pauses = await stores.gaps.pauses(id);
  const states = new Map((await stores.gaps.states(id, since)).map((state) => [millisOf(state.end), state]));
  const requested = new Set((await stores.gaps.requested(id, since)).map(millisOf));
  const known = {
    state: (end: number) => states.get(end),
    isRequested: (end: number) => requested.has(end),
    isPaused: (end: number) => isPausedAt(pauses, end),
  };
  const { gaps, settledUntil } = findGaps({ ...watched, tiling }, known, now);
  if (gaps.length > 0) await stores.requests.open(id, gaps, 'gap');
  if (settledUntil !== undefined) await stores.gaps.settle(id, isoMicros(settledUntil));
  return gaps.length;
}
