/** Data intervals as cells: a code for each interval, or for each bucket of several, run-length encoded. */
import { boundaryAfter, type Cadence } from '../domain/cadence.ts';
import { codeOf, FACTS, moreUrgent, type IntervalCode } from '../domain/interval-codes.ts';
import type { DataInterval } from '../domain/intervals.ts';
import { numberPieces, type Piece, type Pieces } from '../domain/pieces.ts';
import type { FactRange } from './interval-facts.store.ts';

/** Cells, oldest first: `lengths[n]` of them have the code `states[n]`. */
export type RunLengths = { states: IntervalCode[]; lengths: number[] };

/** Codes of intervals, by their number. */
export type Codes = { of(number: number): IntervalCode; counts: Partial<Record<IntervalCode, number>> };

/** @param commonFacts facts that are true of all intervals */
export function codesOf({ total, countUntil }: Pieces, ranges: readonly FactRange[], commonFacts: number): Codes {
  const facts = new Uint16Array(total).fill(commonFacts);
  for (const { fact, from, to } of ranges) {
    const last = countUntil(to);
    for (let number = countUntil(from); number < last; number += 1) facts[number]! |= FACTS[fact];
  }
  const codeBySum = new Map<number, IntervalCode>();
  function of(number: number): IntervalCode {
    const sum = facts[number]!;
    let code = codeBySum.get(sum);
    if (!code) codeBySum.set(sum, (code = codeOf(sum)));
    return code;
  }
  const counts: Codes['counts'] = {};
  for (let number = 0; number < total; number += 1) counts[of(number)] = (counts[of(number)] ?? 0) + 1;
  return { of, counts };
}

export function runLengths(cells: Iterable<IntervalCode>): RunLengths {
  const runs: RunLengths = { states: [], lengths: [] };
  for (const code of cells) {
    if (runs.states.at(-1) === code) runs.lengths[runs.lengths.length - 1]! += 1;
    else {
      runs.states.push(code);
      runs.lengths.push(1);
    }
  }
  return runs;
}

export function* eachCode(total: number, codes: Codes): Generator<IntervalCode> {
  for (let number = 0; number < total; number += 1) yield codes.of(number);
}

/** How intervals are grouped to one cell: a fixed number of them, or those that begin in the same hour, day or month of a time zone. */
export type Bucket = { intervals: number } | { cadence: Cadence };

/** Numbers of the intervals with which buckets begin. @param limit the result has one more number if there are more, so callers can tell */
export function bucketStarts(pieces: Pieces, bucket: Bucket, limit: number): number[] {
  const starts: number[] = [];
  for (let number = 0; number < pieces.total && starts.length <= limit; number = nextBucket(pieces, bucket, number))
    starts.push(number);
  return starts;
}

function nextBucket(pieces: Pieces, bucket: Bucket, number: number): number {
  if ('intervals' in bucket) return number + bucket.intervals;
  const next = boundaryAfter(bucket.cadence, pieces.interval(number).start);
  // The interval that holds the boundary belongs to the bucket before it, unless it begins there.
  const ended = pieces.countUntil(next);
  return ended < pieces.total && pieces.interval(ended).start < next ? ended + 1 : ended;
}

/** The bounds of each bucket, and its code, which is that of its most urgent interval. */
export function bucketCells(
  pieces: Pieces,
  starts: readonly number[],
  codes: Codes,
): { codes: IntervalCode[]; pieces: Pieces } {
  const mostUrgent = starts.map((start, index) => {
    const end = starts[index + 1] ?? pieces.total;
    let code = codes.of(start);
    for (let number = start + 1; number < end; number += 1) code = moreUrgent(code, codes.of(number));
    return code;
  });
  const bounds = starts.map((start, index): DataInterval => {
    const last = (starts[index + 1] ?? pieces.total) - 1;
    return { start: pieces.interval(start).start, end: pieces.interval(last).end };
  });
  return { codes: mostUrgent, pieces: numberPieces(joinAdjacent(bounds)) };
}

function joinAdjacent(bounds: readonly DataInterval[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { start, end } of bounds) {
    const last = pieces.at(-1);
    if (last?.step === end - start) last.count += 1;
    else pieces.push({ start, step: end - start, count: 1 });
  }
  return pieces;
}

/** The newest intervals whose code matches, newest first. */
export function newestWhere(
  pieces: Pieces,
  codes: Codes,
  matches: (code: IntervalCode) => boolean,
  limit: number,
): DataInterval[] {
  const found: DataInterval[] = [];
  for (let number = pieces.total - 1; number >= 0 && found.length < limit; number -= 1)
    if (matches(codes.of(number))) found.push(pieces.interval(number));
  return found;
}
