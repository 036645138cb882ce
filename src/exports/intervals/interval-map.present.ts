/** Response bodies of maps. */
import type { Static } from '../../platform/schema.ts';
import { isoMicros } from '../domain/instants.ts';
import type { DataInterval } from '../domain/intervals.ts';
import type { Pieces } from '../domain/pieces.ts';
import type { RunLengths } from './interval-cells.ts';
import type { IntervalMap } from './interval-map.ts';
import type { IntervalMapBody, MissedBody } from './interval-map.schema.ts';
import type { MissedIntervals } from './missed-intervals.ts';

export function presentMap(map: IntervalMap, bucket: string | null): IntervalMapBody {
  return {
    ...presentCells(map.bounds, map.cells),
    bucket,
    intervals: map.intervals,
    counts: map.counts as Record<string, number>,
    needs_you: map.needsYou.map((interval) => ({
      ...presentBounds(interval),
      reason: interval.reason,
      detail: interval.detail,
      error: interval.error,
      run_id: interval.runId,
    })),
    retrying: map.retrying.map((interval) => ({
      ...presentBounds(interval),
      next_try_at: interval.nextTryAt,
      detail: interval.detail,
      error: interval.error,
      run_id: interval.runId,
    })),
    missed_while_paused: presentMissed(map.missed),
    history_start: map.firstStart ?? null,
  };
}

export function presentCells({ pieces }: Pick<Pieces, 'pieces'>, { states, lengths }: RunLengths) {
  const boundaries = pieces.map(({ start, step, count }) => ({
    start: isoMicros(start),
    step_seconds: step / 1000,
    count,
  }));
  return { boundaries, states, lengths };
}

export function presentMissed(missed: MissedIntervals | undefined): Static<typeof MissedBody> | null {
  return missed
    ? { intervals: missed.intervals, start_at: isoMicros(missed.start), end_at: isoMicros(missed.end) }
    : null;
}

export function presentBounds({ start, end }: DataInterval) {
  return { data_interval_start: isoMicros(start), data_interval_end: isoMicros(end) };
}
