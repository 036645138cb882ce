/** How far an export has delivered, without a hole. */
import { intervalsEnding, type Tiling } from './intervals.ts';
import { type Millis } from './millis.ts';
import { isPausedAt, type Pause } from './pauses.ts';

/** An interval should be delivered when it ends after `after`, not after `to`, and in no pause. */
export type Expected = { tiling: Tiling; after: Millis; to: Millis; pauses: readonly Pause[] };

export type Progress = {
  /** The end of the last delivered interval before the first one that is due; undefined when there is none. */
  completeUntil: Millis | undefined;
  /** The end of the first interval that should be delivered and is not; undefined when all are. */
  dueSince: Millis | undefined;
};

/** @param delivered ends of intervals that are delivered */
export function progressOf({ tiling, after, to, pauses }: Expected, delivered: ReadonlySet<Millis>): Progress {
  let completeUntil: Millis | undefined;
  for (const { end } of intervalsEnding(tiling, after, to)) {
    if (delivered.has(end)) completeUntil = end;
    else if (!isPausedAt(pauses, end)) return { completeUntil, dueSince: end };
  }
  return { completeUntil, dueSince: undefined };
}
