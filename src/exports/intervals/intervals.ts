/** Lists the data intervals of an export with the state of each. */
import type { Pool } from '../../platform/db/connection.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { PageWindow } from '../../platform/http/parameters/pagination.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { millisOf } from '../domain/instants.ts';
import type { IntervalStatus } from '../domain/interval-status.ts';
import {
  endOfIntervalAt,
  startOfIntervalAt,
  intervalEndingAt,
  intervalsEnding,
  type DataInterval,
  type Tiling,
} from '../domain/intervals.ts';
import { type Millis } from '../domain/millis.ts';
import { batchesOf } from '../domain/slices.ts';
import { intervalMaps } from './interval-map.ts';
import { INTERVALS_AT_ONCE, intervalStates, type IntervalState } from './interval-states.ts';
import type { ExportStores } from '../stores.ts';

/** ISO instants. By default, the list begins with the interval in which the export was created, the first one that the schedule delivers. */
export type ListedRange = { start: string | undefined; end: string | undefined };

/** Limit of intervals examined for one page: two years of five-minute intervals. */
const MAX_EXAMINED = 210_240;

export type ExportIntervals = ReturnType<typeof exportIntervals>;

export function exportIntervals({ stores, pool }: { stores: ExportStores; pool: Pool }) {
  const states = intervalStates(pool);

  return {
    map: intervalMaps({ stores, pool }),

    /**
     * Lists intervals that lie wholly within the range and have ended, newest first. The cursor of a page is an interval's end.
     * @param statuses the wanted statuses; an empty list means all
     * @throws InvalidInput when too many intervals would have to be examined
     */
    async list(
      batchExport: BatchExport,
      range: ListedRange,
      statuses: readonly IntervalStatus[],
      page: PageWindow,
    ): Promise<IntervalState[]> {
      const tiling = await stores.batchExports.getTiling(batchExport.id);
      const from =
        range.start === undefined ? startOfIntervalAt(tiling, millisOf(batchExport.createdAt)) : millisOf(range.start);
      const to = await findLastInstant(range);
      const { limit, newerThan, olderThan } = page;
      const intervals = newerThan
        ? intervalsEnding(tiling, Math.max(from, millisOf(newerThan.createdAt)), to)
        : intervalsBackwards(tiling, from, olderThan ? Math.min(to, millisOf(olderThan.createdAt) - 1) : to);
      const listed: IntervalState[] = [];
      let examined = 0;
      for (const batch of batchesOf(intervals, statuses.length === 0 ? limit : INTERVALS_AT_ONCE)) {
        const oldestFirst = newerThan ? batch : batch.toReversed();
        const examinedStates = await states.of(stores, batchExport, oldestFirst);
        for (const state of newerThan ? examinedStates : examinedStates.toReversed()) {
          if (statuses.length === 0 || statuses.includes(state.status)) listed.push(state);
        }
        if (listed.length >= limit) break;
        examined += batch.length;
        if (examined >= MAX_EXAMINED) {
          throw new InvalidInput(`The range contains more than ${MAX_EXAMINED} data intervals: ask for less.`, 'start');
        }
      }
      const nearest = listed.slice(0, limit);
      return newerThan ? nearest.toReversed() : nearest;
    },
  };

  async function findLastInstant({ end }: ListedRange): Promise<Millis> {
    const now = millisOf(await stores.batchExports.now());
    return end === undefined ? now : Math.min(millisOf(end), now);
  }
}

/** The intervals that lie wholly within `[from, to]`, the newest first. */
function* intervalsBackwards(tiling: Tiling, from: Millis, to: Millis): Generator<DataInterval> {
  let interval = intervalEndingAt(tiling, endOfIntervalAt(tiling, to));
  while (interval) {
    interval = intervalEndingAt(tiling, interval.start);
    if (!interval || interval.start < from) return;
    yield interval;
  }
}
