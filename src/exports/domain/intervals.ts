/**
 * The data intervals of an export. A spec is a cadence and the instant from which it holds. An export's specs decide one tiling of time: it
 * has the boundaries of the spec in force, and the instants at which one spec hands over to the next. Every run delivers an interval of
 * that tiling, so no two deliveries overlap in part.
 *
 * Instants here are whole seconds, in milliseconds since 1970 (`Millis`); stores and routes convert them from and to ISO text.
 */
import { boundaryAfter, boundaryAtOrBefore, isNearClockChange, isSameCadence, type Cadence } from './cadence.ts';
import type { Millis } from './millis.ts';

/** `validFrom` is -Infinity for an export's first spec, later the end of the interval that was running at the change. */
export type Spec = Cadence & { validFrom: Millis };
/** Half-open: `[start, end)`. */
export type DataInterval = { start: Millis; end: Millis };

/** The specs of an export, oldest first. */
export type Tiling = readonly Spec[];

/** The spec that decides where an interval that ends at the instant begins, and the instant at which the next spec takes over. */
export function specEndingAt(tiling: Tiling, end: Millis): { spec: Spec; until: Millis } {
  let index = tiling.length - 1;
  while (index > 0 && tiling[index]!.validFrom >= end) index -= 1;
  const spec = tiling[index];
  if (!spec) throw new Error('an export has at least one spec');
  return { spec, until: tiling[index + 1]?.validFrom ?? Infinity };
}

/** The interval that ends at the instant; undefined if the tiling has no boundary there. */
export function intervalEndingAt(tiling: Tiling, end: Millis): DataInterval | undefined {
  const { spec, until } = specEndingAt(tiling, end);
  const onBoundary = boundaryAtOrBefore(spec, end) === end;
  if (!onBoundary && end !== until) return undefined;
  const start = boundaryAtOrBefore(spec, end - 1);
  return { start: Math.max(start, spec.validFrom), end };
}

/** The end of the interval that holds the instant. */
export function endOfIntervalAt(tiling: Tiling, instant: Millis): Millis {
  // The spec that is in force just after `instant` decides where the interval ends.
  const { spec, until } = specEndingAt(tiling, instant + 1);
  return Math.min(boundaryAfter(spec, instant), until);
}

/** Start of the interval that holds the instant; for an export's creation, the start of its schedule's first interval. */
export function startOfIntervalAt(tiling: Tiling, instant: Millis): Millis {
  return intervalEndingAt(tiling, endOfIntervalAt(tiling, instant))?.start ?? instant;
}

/** The intervals that end after an instant and not after another, oldest first. */
export function* intervalsEnding(tiling: Tiling, after: Millis, to: Millis): Generator<DataInterval> {
  for (let end = endOfIntervalAt(tiling, after); end <= to; end = endOfIntervalAt(tiling, end)) {
    const interval = intervalEndingAt(tiling, end);
    if (interval) yield interval;
  }
}

/** The intervals that lie wholly within `[from, to]`, oldest first. */
export function* intervalsWithin(tiling: Tiling, from: Millis, to: Millis): Generator<DataInterval> {
  for (const interval of intervalsEnding(tiling, from, to)) if (interval.start >= from) yield interval;
}

/**
 * Computes the tiling after a change of interval, zone or offset. The new spec takes over at the end of the current interval, and replaces
 * an earlier change that has not taken over yet.
 */
export function withSpec(tiling: Tiling, cadence: Cadence, now: Millis): Spec[] {
  const validFrom = endOfIntervalAt(tiling, now);
  const kept = tiling.filter((spec) => spec.validFrom < validFrom);
  const { interval, timezone, offsetDay, offsetHour } = cadence;
  if (kept.length > 0 && isSameCadence(kept.at(-1)!, cadence)) return kept;
  return [...kept, { interval, timezone, offsetDay, offsetHour, validFrom }];
}

/** Whether the newest spec, which the schedule has, has a boundary at the instant at which Temporal starts a run. */
export function isStartedByPresentSchedule(tiling: Tiling, end: Millis): boolean {
  const present = tiling.at(-1);
  if (!present || end <= present.validFrom) return false;
  return boundaryAtOrBefore(present, end) === end && !isNearClockChange(present, end);
}
