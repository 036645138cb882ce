/** The map of an export: the state of each of its data intervals, over years, in a few queries. */
import type { Pool } from '../../platform/db/connection.ts';
import { InvalidInput } from '../../platform/errors.ts';
import { findLateImports } from '../../events/table/late-imports.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { hasMark, type IntervalCode } from '../domain/interval-codes.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { startOfIntervalAt } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import { isPausedAt } from '../domain/pauses.ts';
import { piecesWithin, type Pieces } from '../domain/pieces.ts';
import { batchesOf } from '../domain/slices.ts';
import type { ExportStores } from '../stores.ts';
import { expiredRange } from './expired.ts';
import { explainNeed, explainRetry, type NeedsYou, type Retrying } from './interval-attention.ts';
import {
  bucketCells,
  bucketStarts,
  codesOf,
  eachCode,
  newestWhere,
  runLengths,
  type Bucket,
  type RunLengths,
} from './interval-cells.ts';
import type { FactRange, FactWindow } from './interval-facts.store.ts';
import { findMissed, type MissedIntervals } from './missed-intervals.ts';
import { factsOfAll, offeredFact, pausedRange } from './offered.ts';

/** ISO instants; by default from the interval in which the export was created, or the newest intervals that a map may have, until now. */
export type MapRange = { start: string | undefined; end: string | undefined };

export type IntervalMap = {
  /** Bounds of the cells. */
  bounds: Pieces;
  cells: RunLengths;
  /** Counts of intervals by code, also when the cells are buckets. */
  counts: Partial<Record<IntervalCode, number>>;
  intervals: number;
  needsYou: NeedsYou[];
  retrying: Retrying[];
  missed: MissedIntervals | undefined;
  /** Start of the oldest interval that has a run. */
  firstStart: string | undefined;
};

export const MAX_CELLS = 100_000;
/** Limit of the intervals in a map with buckets: more than a year of minutes. */
export const MAX_BUCKETED_INTERVALS = 600_000;
/** Limit of the newest intervals of each kind that a map names. */
export const MAX_NAMED = 100;
/** Number of intervals in one query for late imports. */
const IMPORT_QUERY_INTERVALS = 5_000;

export function intervalMaps({ stores, pool }: { stores: ExportStores; pool: Pool }) {
  /** Finds deliveries that became stale since the last check. Persons never are: a person's interval time is the time of its change. */
  async function findNewlyStale(window: FactWindow, { projectId, model }: BatchExport): Promise<FactRange[]> {
    if (model === 'persons') return [];
    const ranges: FactRange[] = [];
    for (const batch of batchesOf(
      await stores.intervalFacts.listMaybeStale(window, projectId),
      IMPORT_QUERY_INTERVALS,
    )) {
      const lateImports = new Set(await findLateImports(pool, projectId, batch));
      for (const { start, end } of batch)
        if (lateImports.has(end)) ranges.push({ fact: 'stale', from: millisOf(start), to: millisOf(end) });
    }
    return ranges;
  }

  /** @throws InvalidInput for more intervals than a map may have */
  return async (batchExport: BatchExport, range: MapRange, bucket: Bucket | undefined): Promise<IntervalMap> => {
    const { id } = batchExport;
    const [tiling, pauses, clock, firstStart] = await Promise.all([
      stores.batchExports.getTiling(id),
      stores.gaps.listPauses(id),
      stores.batchExports.now(),
      stores.intervalFacts.findFirstStart(id),
    ]);
    const now = millisOf(clock);
    const to = range.end === undefined ? now : Math.min(millisOf(range.end), now);
    const limit = bucket ? MAX_BUCKETED_INTERVALS : MAX_CELLS;
    let from =
      range.start === undefined ? startOfIntervalAt(tiling, millisOf(batchExport.createdAt)) : millisOf(range.start);
    let pieces = piecesWithin(tiling, from, to);
    if (range.start === undefined && pieces.total > limit) {
      from = pieces.interval(pieces.total - limit).start;
      pieces = piecesWithin(tiling, from, to);
    }
    checkSize(pieces, limit, bucket);
    const starts = bucket && bucketStarts(pieces, bucket, MAX_CELLS);
    checkBuckets(starts);
    const window = { exportId: id, from, to: pieces.total > 0 ? pieces.interval(pieces.total - 1).end : from };
    const [[known = []], stale, missed] = await Promise.all([
      stores.intervalFacts.listFacts([window]),
      findNewlyStale(window, batchExport),
      findMissed(stores, [{ ...batchExport, tiling, pauses }], now),
    ]);
    const facts = [...known, ...stale];
    const ranges = [...facts, offeredFact(batchExport), expiredRange(batchExport, tiling), ...pauses.map(pausedRange)];
    const codes = codesOf(pieces, ranges, factsOfAll(batchExport));
    const needsYou = newestWhere(pieces, codes, (code) => hasMark(code, 'y'), MAX_NAMED);
    const retrying = newestWhere(pieces, codes, (code) => hasMark(code, 't'), MAX_NAMED);
    const namedIntervals = [...needsYou, ...retrying].map(({ end }) => ({ exportId: id, end }));
    const runs = new Map((await stores.intervalFacts.listNewestRuns(namedIntervals)).map((run) => [run.end, run]));
    const offeredRange = offeredFact(batchExport);
    const isGap = (end: Millis) => offeredRange.from < end && end <= offeredRange.to && !isPausedAt(pauses, end);
    const cells = starts && bucketCells(pieces, starts, codes);
    return {
      bounds: cells?.pieces ?? pieces,
      cells: runLengths(cells?.codes ?? eachCode(pieces.total, codes)),
      counts: codes.counts,
      intervals: pieces.total,
      needsYou: needsYou.map((interval) => explainNeed(interval, facts, runs.get(interval.end))),
      retrying: retrying.map((interval) => explainRetry(interval, runs.get(interval.end), isGap(interval.end))),
      missed: missed.get(id),
      firstStart,
    };
  };
}

function checkSize({ total, interval }: Pieces, limit: number, bucket: Bucket | undefined): void {
  if (total <= limit) return;
  const latest = isoMicros(interval(total - limit).start);
  throw new InvalidInput(
    `The range contains ${total} data intervals; a map ${bucket ? 'with' : 'without'} \`bucket\` shows ${limit} at most. ` +
      `Use a 'start' of ${latest} or later${bucket ? '' : ', or a `bucket`'}.`,
    'start',
  );
}

function checkBuckets(starts: readonly number[] | undefined): void {
  if (!starts || starts.length <= MAX_CELLS) return;
  throw new InvalidInput(`The range contains more than ${MAX_CELLS} buckets. Use a larger bucket.`, 'bucket');
}
