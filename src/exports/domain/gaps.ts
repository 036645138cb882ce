/** Finds data intervals without a run that the schedule should have started. */
import { intervalsEnding, type DataInterval, type Tiling } from './intervals.ts';
import { type Millis } from './millis.ts';
import { isGap, isOpen, type RunStatus } from './statuses.ts';

/** The newest run of one interval, and how many of the interval's runs ended in a status that Sluice retries. */
export type IntervalState = {
  status: RunStatus;
  failures: number;
  finishedMillisAgo: number;
  closedByApi: boolean;
};

/** Fields of an export that decide which intervals should have a run. */
export type ExpectedIntervals = {
  tiling: Tiling;
  createdAt: Millis;
  /** Start of the export's schedule; an interval that ends at this instant is the first one. */
  startAt: Millis | null;
  endAt: Millis | null;
  jitter: Millis;
  /** No interval that ended at or before this instant can be a gap; -Infinity at first. */
  gapFreeUntil: Millis;
};

/** Known states of intervals, by their end. */
export type KnownStates = {
  state(end: Millis): IntervalState | undefined;
  isRequested(end: Millis): boolean;
  /** Whether the interval is not delivered automatically: it ended in a pause, or its source has expired. */
  isLeftOut(end: Millis): boolean;
};

/** Time that the schedule has to start a run before the run counts as missing. */
const GRACE_MS = 2 * 60_000;
/** Limit of gaps in one round; the next round continues. */
const MAX_GAPS = 5_000;

/** Returns the instant after which a gap must end: intervals that ended at or before it are not looked at. */
export function earliestGapEndsAfter({ createdAt, startAt, gapFreeUntil }: Omit<ExpectedIntervals, 'tiling'>): Millis {
  return Math.max(createdAt, gapFreeUntil, startAt === null ? -Infinity : startAt - 1);
}

/**
 * Intervals whose newest run is `Failed` or `Cancelled` are no gaps, because they wait for a person.
 * @returns the intervals to request, oldest first, and the end of the last interval up to which none changes automatically any more
 *   (undefined if already the first one may change)
 */
export function findGaps(
  expected: ExpectedIntervals,
  known: KnownStates,
  now: Millis,
): { gaps: DataInterval[]; gapFreeUntil: Millis | undefined } {
  const to = Math.min(now - GRACE_MS - expected.jitter, expected.endAt ?? Infinity);
  const gaps: DataInterval[] = [];
  let gapFreeUntil: Millis | undefined;
  let allFinal = true;
  for (const interval of intervalsEnding(expected.tiling, earliestGapEndsAfter(expected), to)) {
    if (gaps.length >= MAX_GAPS) break;
    const { end } = interval;
    const state = known.state(end);
    const gap = !known.isRequested(end) && !known.isLeftOut(end) && isMissing(state);
    if (gap) gaps.push(interval);
    allFinal &&= !gap && !known.isRequested(end) && isFinal(state);
    if (allFinal) gapFreeUntil = end;
  }
  return { gaps, gapFreeUntil };
}

function isMissing(state: IntervalState | undefined): boolean {
  if (!state) return true;
  return !state.closedByApi && isGap(state.status, state.failures, state.finishedMillisAgo);
}

/** Whether an interval no longer changes automatically: delivered, waiting for a person, or left out. */
function isFinal(state: IntervalState | undefined): boolean {
  return !state || (!isOpen(state.status) && (state.closedByApi || !isGap(state.status, state.failures, Infinity)));
}
