/** Lists the data intervals of an export with the state of each. */
import type { Pool } from '../../platform/db/connection.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { PageWindow } from '../../platform/http/parameters/pagination.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { millisOf } from '../domain/instants.ts';
import { areShown, type IntervalStatus } from '../domain/interval-status.ts';
import {
  endOfIntervalAt,
  startOfIntervalAt,
  intervalEndingAt,
  intervalsEnding,
  type DataInterval,
  type Tiling,
} from '../domain/intervals.ts';
import { type Millis } from '../domain/millis.ts';
import { growingBatchesOf } from '../domain/slices.ts';
import { candidates } from './interval-candidates.ts';
import { intervalMaps } from './interval-map.ts';
import { DUE_MS, INTERVALS_AT_ONCE, intervalStates, type IntervalState } from './interval-states.ts';
import type { ExportStores } from '../stores.ts';

/** ISO instants. By default, the list begins with the interval in which the export was created, the first one that the schedule delivers. */
export type ListedRange = { start: string | undefined; end: string | undefined };

/** The first and the last instant of what is listed, and the order in which it is read. */
type Bounds = { from: Millis; to: Millis; newestFirst: boolean };

/** Limit of intervals examined for one page: two years of five-minute intervals. */
const MAX_EXAMINED = 210_240;

export type ExportIntervals = ReturnType<typeof exportIntervals>;

export function exportIntervals({ stores, pool }: { stores: ExportStores; pool: Pool }) {
  const stateReader = intervalStates(pool);

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
      const newestFirst = newerThan === undefined;
      const bounds = {
        from: newerThan ? Math.max(from, millisOf(newerThan.createdAt)) : from,
        to: olderThan ? Math.min(to, millisOf(olderThan.createdAt) - 1) : to,
        newestFirst,
      };
      const listed: IntervalState[] = [];
      let examined = 0;
      for await (const batch of wantedIntervals(batchExport, tiling, statuses, { ...bounds, limit })) {
        const states = await stateReader.of(stores, batchExport, newestFirst ? batch.toReversed() : batch);
        listed.push(
          ...(newestFirst ? states.toReversed() : states).filter(
            ({ status }) => statuses.length === 0 || statuses.includes(status),
          ),
        );
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

  /** Batches of the intervals that may have one of the statuses, in order. */
  async function* wantedIntervals(
    batchExport: BatchExport,
    tiling: Tiling,
    statuses: readonly IntervalStatus[],
    { from, to, newestFirst, limit }: Bounds & { limit: number },
  ): AsyncGenerator<DataInterval[]> {
    if (areShown(statuses)) {
      const dueSince = millisOf(await stores.batchExports.now()) - DUE_MS;
      yield* candidates(stores, batchExport, tiling, statuses, { from, to, dueSince, newestFirst });
    } else {
      const all = newestFirst ? intervalsBackwards(tiling, from, to) : intervalsEnding(tiling, from, to);
      yield* growingBatchesOf(all, limit, INTERVALS_AT_ONCE);
    }
  }

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
