/** Determines the states of an export's data intervals: missing, failed, stale, delivered, running or expired. */
import type { Pool } from '../../platform/db/connection.ts';
import { findLateImports, type DeliveredInterval } from '../../events/table/late-imports.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { intervalStatus, type IntervalStatus } from '../domain/interval-status.ts';
import type { DataInterval } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import { isPausedAt } from '../domain/pauses.ts';
import { sourceStartOfExport } from './expired.ts';
import type { KnownInterval } from './interval-states.store.ts';
import type { ExportStores } from '../stores.ts';

export type IntervalState = DataInterval & {
  status: IntervalStatus;
  /** Id of the newest run. */
  runId: string | null;
  /** Rows of the last delivery; null if there was none. */
  rows: number | null;
  /** Files of the last delivery; 0 at destinations without files. */
  files: number;
  unsettled: boolean;
  gaveUp: boolean;
  /** A run fails until somebody has decided which of two deliveries stays. */
  awaitsDecision: boolean;
};

/** Time after an interval's end within which the schedule starts its run, or the reconciler if the schedule missed it. */
export const DUE_MS = 2 * 60_000;
/** Limit of intervals in one look-up. */
export const INTERVALS_AT_ONCE = 5_000;

export type IntervalStates = ReturnType<typeof intervalStates>;

export function intervalStates(pool: Pool) {
  return {
    /** @param intervals of the export's tiling, oldest first; all between the first and the last are read, not more than `INTERVALS_AT_ONCE` */
    async of(
      stores: Pick<ExportStores, 'batchExports' | 'gaps' | 'intervalStates' | 'troubles'>,
      batchExport: BatchExport,
      intervals: readonly DataInterval[],
    ): Promise<IntervalState[]> {
      const [first, last] = [intervals[0], intervals.at(-1)];
      if (!first || !last) return [];
      const knownIntervals = await stores.intervalStates.listKnownIntervals(
        batchExport.id,
        isoMicros(first.start),
        isoMicros(last.end),
      );
      const troubles = await stores.troubles.listTroubledEnds(
        batchExport.id,
        isoMicros(first.start),
        isoMicros(last.end),
      );
      const pauses = await stores.gaps.listPauses(batchExport.id);
      const now = await stores.batchExports.now();
      const byEnd = new Map(knownIntervals.map((knownInterval) => [millisOf(knownInterval.end), knownInterval]));
      const staleEnds = await findStaleEnds(pool, batchExport, intervals, byEnd);
      const sourceStart = sourceStartOfExport(batchExport);
      const isDue = (end: Millis) => end > millisOf(now) - DUE_MS && !isPausedAt(pauses, end);
      return intervals.map((interval) => {
        const known = byEnd.get(interval.end);
        const status = intervalStatus({
          status: known?.status ?? null,
          delivered: known?.delivered ?? false,
          stale: staleEnds.has(interval.end),
          requested: known?.requested ?? false,
          due: isDue(interval.end),
          expired: interval.start < sourceStart,
        });
        const { end } = interval;
        const marks = { unsettled: troubles.unsettled.has(end), gaveUp: troubles.gave_up.has(end) };
        const awaitsDecision = known?.foreign ?? false;
        return {
          ...interval,
          status,
          runId: known?.runId ?? null,
          rows: known?.rows ?? null,
          files: known?.files ?? 0,
          ...marks,
          awaitsDecision,
        };
      });
    },
  };
}

/** Ends of stale intervals. Only events can join an interval that has ended, because a person's interval time is that of its change. */
async function findStaleEnds(
  pool: Pool,
  { projectId, model }: BatchExport,
  intervals: readonly DataInterval[],
  byEnd: ReadonlyMap<Millis, KnownInterval>,
): Promise<Set<Millis>> {
  if (model === 'persons') return new Set();
  const delivered = intervals.flatMap(({ start, end }): DeliveredInterval[] => {
    const cutoff = byEnd.get(end)?.cutoff;
    return cutoff ? [{ start: isoMicros(start), end: isoMicros(end), cutoff }] : [];
  });
  return new Set((await findLateImports(pool, projectId, delivered)).map(millisOf));
}
