/** Computes how far an export has delivered without a gap. */
import { intervalsEnding, type Tiling } from './intervals.ts';
import { type Millis } from './millis.ts';
import { isPausedAt, type Pause } from './pauses.ts';

/** Decides which intervals should be delivered: those that end after `after`, not after `to` and in no pause, and whose source is kept. */
export type ExpectedIntervals = {
  tiling: Tiling;
  after: Millis;
  to: Millis;
  pauses: readonly Pause[];
  /** First instant at which an interval may begin whose source is kept; -Infinity: all are. */
  sourceStart: Millis;
};

export type Progress = {
  /** End of the last delivered interval before the first undelivered one; undefined if there is none. */
  completeUntil: Millis | undefined;
  /** End of the first interval that should be delivered and is not; undefined if there is none. */
  dueSince: Millis | undefined;
};

/** @param delivered ends of intervals that are delivered */
export function progressOf(
  { tiling, after, to, pauses, sourceStart }: ExpectedIntervals,
  delivered: ReadonlySet<Millis>,
): Progress {
  let completeUntil: Millis | undefined;
  for (const { start, end } of intervalsEnding(tiling, after, to)) {
    if (delivered.has(end)) completeUntil = end;
    else if (start >= sourceStart && !isPausedAt(pauses, end)) return { completeUntil, dueSince: end };
  }
  return { completeUntil, dueSince: undefined };
}
