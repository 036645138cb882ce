/** A tiling as stretches of equally long intervals: few for years of minutes, more for calendar intervals, whose length varies. */
import { spanOf } from './cadence.ts';
import { endOfIntervalAt, intervalEndingAt, specEndingAt, type DataInterval, type Tiling } from './intervals.ts';
import type { Millis } from './millis.ts';

/** `count` intervals of `step` each, the first of which begins at `start`. */
export type Piece = { start: Millis; step: Millis; count: number };

/** Consecutive intervals by their number, from 0 for the oldest. */
export type Pieces = {
  pieces: readonly Piece[];
  total: number;
  /** How many intervals end at or before the instant. */
  countUntil(instant: Millis): number;
  interval(number: number): DataInterval;
};

/** The intervals that end after an instant and not after another, without visiting each interval of a stretch of equally long ones. */
export function piecesEnding(tiling: Tiling, after: Millis, to: Millis): Pieces {
  const pieces: Piece[] = [];
  let end = endOfIntervalAt(tiling, after);
  while (end <= to) {
    const interval = intervalEndingAt(tiling, end);
    const next = interval && stretchFrom(tiling, interval, to);
    if (next) append(pieces, next);
    end = endOfIntervalAt(tiling, next ? next.start + next.count * next.step : end);
  }
  return numberPieces(pieces);
}

/** The intervals that lie wholly within `[from, to]`. */
export function piecesWithin(tiling: Tiling, from: Millis, to: Millis): Pieces {
  const first = intervalEndingAt(tiling, from) ? from : endOfIntervalAt(tiling, from);
  return piecesEnding(tiling, first, to);
}

/** The interval, with the following ones of the same length unless a calendar decides their length. */
function stretchFrom(tiling: Tiling, { start, end }: DataInterval, to: Millis): Piece {
  const step = end - start;
  const { spec, until } = specEndingAt(tiling, end);
  const count = spanOf(spec.interval) === step ? Math.floor((Math.min(to, until) - start) / step) : 1;
  return { start, step, count };
}

function append(pieces: Piece[], next: Piece): void {
  const last = pieces.at(-1);
  if (last?.step === next.step) last.count += next.count;
  else pieces.push(next);
}

/** @param pieces consecutive, oldest first */
export function numberPieces(pieces: readonly Piece[]): Pieces {
  const before: number[] = [];
  let total = 0;
  for (const { count } of pieces) {
    before.push(total);
    total += count;
  }
  return {
    pieces,
    total,
    countUntil(at) {
      const found = lastIndex(pieces.length, (index) => pieces[index]!.start < at);
      if (found < 0) return 0;
      const { start, step, count } = pieces[found]!;
      return before[found]! + Math.min(count, Math.floor((at - start) / step));
    },
    interval(number) {
      const found = lastIndex(pieces.length, (index) => before[index]! <= number);
      const { start, step } = pieces[found]!;
      const from = start + (number - before[found]!) * step;
      return { start: from, end: from + step };
    },
  };
}

/** The last index for which a monotonic condition holds; -1 if there is none. */
function lastIndex(length: number, matches: (index: number) => boolean): number {
  let [low, high] = [-1, length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (matches(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
