/**
 * Which data intervals an export has. Its specs (an interval and the instant from which it holds) decide one tiling of time:
 * the boundaries of the spec in force, and the instants at which one spec hands over to the next. Every run, retry and
 * backfill is an interval of that tiling, so no two of them overlap.
 *
 * Instants here are whole seconds as milliseconds since 1970 (`Millis`); ISO text is for the edges.
 */
import { InvalidInput } from '../../errors.ts';

export type Millis = number;
export type Interval = string;
/** `validFrom` is -Infinity for an export's first spec, later the end of the interval that was running at the change. */
export type Spec = { interval: Interval; validFrom: Millis };
/** Half-open: `[start, end)`. */
export type DataInterval = { start: Millis; end: Millis };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** 1970-01-01 was a Thursday: weeks begin on Sunday, three days later. */
const FIRST_SUNDAY = 3 * DAY;

/** How long an interval lasts and where its boundaries lie (`offset` after 1970-01-01T00:00Z, then every `every`), milliseconds. */
export type Period = { every: Millis; offset: Millis };

/**
 * @param interval `hour`, `day` (from midnight UTC), `week` (from Sunday midnight UTC) or `every N minutes`, N from 1 to 1440
 * @throws InvalidInput for anything else
 */
export function periodOf(interval: Interval): Period {
  if (interval === 'hour') return { every: HOUR, offset: 0 };
  if (interval === 'day') return { every: DAY, offset: 0 };
  if (interval === 'week') return { every: WEEK, offset: FIRST_SUNDAY };
  const minutes = Number(/^every ([1-9]\d{0,3}) minutes$/.exec(interval)?.[1]);
  if (minutes >= 1 && minutes <= 1440) return { every: minutes * MINUTE, offset: 0 };
  throw new InvalidInput(`"${interval}" is not a valid choice.`, 'interval', 'invalid_choice');
}

/** The last boundary at or before the instant. */
export function boundaryAtOrBefore(interval: Interval, at: Millis): Millis {
  const { every, offset } = periodOf(interval);
  return Math.floor((at - offset) / every) * every + offset;
}

/** The first boundary after the instant. */
export function boundaryAfter(interval: Interval, at: Millis): Millis {
  return boundaryAtOrBefore(interval, at) + periodOf(interval).every;
}

/** The specs in force order, oldest first. */
export type Tiling = readonly Spec[];

/** The spec whose boundaries decide where an interval that ends at the instant begins. */
function specEndingAt(tiling: Tiling, end: Millis): { spec: Spec; until: Millis } {
  let at = tiling.length - 1;
  while (at > 0 && tiling[at]!.validFrom >= end) at -= 1;
  const spec = tiling[at];
  if (!spec) throw new Error('an export has at least one spec');
  return { spec, until: tiling[at + 1]?.validFrom ?? Infinity };
}

/** The interval that ends exactly then, or undefined when the tiling has no boundary there. */
export function intervalEndingAt(tiling: Tiling, end: Millis): DataInterval | undefined {
  const { spec, until } = specEndingAt(tiling, end);
  const onBoundary = boundaryAtOrBefore(spec.interval, end) === end;
  if (!onBoundary && end !== until) return undefined;
  const start = boundaryAtOrBefore(spec.interval, end - 1);
  return { start: Math.max(start, spec.validFrom), end };
}

/** The end of the interval that holds the instant. */
export function endOfIntervalAt(tiling: Tiling, at: Millis): Millis {
  // An interval that ends just after `at` is decided by the spec in force just after it.
  const { spec, until } = specEndingAt(tiling, at + 1);
  return Math.min(boundaryAfter(spec.interval, at), until);
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
 * The tiling after a change of interval: the new spec takes over at the end of the interval running now, and replaces
 * a change that was to take over then.
 */
export function withSpec(tiling: Tiling, interval: Interval, now: Millis): Spec[] {
  const validFrom = endOfIntervalAt(tiling, now);
  const kept = tiling.filter((spec) => spec.validFrom < validFrom);
  if (kept.at(-1)?.interval === interval) return kept;
  return [...kept, { interval, validFrom }];
}

/** Whether the newest spec (the one that the schedule has) puts a boundary there. */
export function isProducedByPresentSpec(tiling: Tiling, end: Millis): boolean {
  const present = tiling.at(-1);
  if (!present || end <= present.validFrom) return false;
  return boundaryAtOrBefore(present.interval, end) === end;
}
