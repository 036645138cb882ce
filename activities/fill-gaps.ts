/** Intervals that should exist and do not: requests for them. `Failed` and `Cancelled` ones wait for a person. */
import { isoMicros, millisOf } from '../src/exports/domain/instants.ts';
import { intervalsEnding, type DataInterval } from '../src/exports/domain/intervals.ts';
import { isGap, isOpen } from '../src/exports/domain/statuses.ts';
import type { IntervalState, Pause, WatchedExport } from '../src/exports/gaps.store.ts';
import type { Engine } from './engine.ts';

/** The schedule has this long to start a run before it counts as missing. */
const GRACE_MS = 2 * 60_000;
/** Requests that one round opens for one export; the next round goes on. */
const MOST_AT_ONCE = 5_000;

/** @returns how many intervals were requested */
export async function fillGaps(engine: Engine): Promise<number> {
  const { stores } = engine;
  const now = millisOf(await stores.batchExports.now());
  let requested = 0;
  for (const watched of await stores.gaps.watched()) requested += await fillGapsOf(engine, watched, now - GRACE_MS);
  return requested;
}

async function fillGapsOf({ stores }: Engine, watched: WatchedExport, now: number): Promise<number> {
  const from = Math.max(
    ...[watched.createdAt, watched.startAt, watched.settledUntil]
      .filter((at) => at !== null && at !== '-infinity')
      .map((at) => millisOf(at as string)),
  );
  const to = watched.endAt === null ? now : Math.min(now, millisOf(watched.endAt));
  const tiling = await stores.batchExports.tiling(watched.id);
  const since = isoMicros(from);
  const pauses = await stores.gaps.pauses(watched.id);
  const states = new Map((await stores.gaps.states(watched.id, since)).map((state) => [millisOf(state.end), state]));
  const requested = new Set((await stores.gaps.requested(watched.id, since)).map(millisOf));

  const gaps: DataInterval[] = [];
  let settledUntil: number | undefined;
  let settled = true;
  for (const interval of intervalsEnding(tiling, from, to)) {
    if (gaps.length >= MOST_AT_ONCE) break;
    const state = states.get(interval.end);
    const gap = !requested.has(interval.end) && !isPausedAt(pauses, interval.end) && isGapState(state);
    if (gap) gaps.push(interval);
    settled &&= !gap && !requested.has(interval.end) && isSettled(state);
    if (settled) settledUntil = interval.end;
  }
  if (gaps.length > 0) await stores.requests.open(watched.id, gaps, 'gap');
  if (settledUntil !== undefined) await stores.gaps.settle(watched.id, isoMicros(settledUntil));
  return gaps.length;
}

function isGapState(state: IntervalState | undefined): boolean {
  if (!state) return true;
  return !state.closedByApi && isGap(state.status, state.failures, state.finishedMillisAgo);
}

/** Nothing about it changes by itself any more: delivered, waiting for a person, or in a pause. */
function isSettled(state: IntervalState | undefined): boolean {
  return !state || (!isOpen(state.status) && (state.closedByApi || !isGap(state.status, state.failures, Infinity)));
}

function isPausedAt(pauses: readonly Pause[], at: number): boolean {
  return pauses.some(
    ({ pausedAt, unpausedAt }) => millisOf(pausedAt) <= at && (unpausedAt === null || at < millisOf(unpausedAt)),
  );
}
