/** Estimates a backfill's duration and rows from its export's past runs; the duration is null if no run has completed. */
import type { PastRun } from '../runs/run-lists.store.ts';

export type BackfillEstimate = {
  /** Rows that the backfill would deliver. */
  rows: number | null;
  seconds: { low: number; high: number } | null;
  /** Past runs and backfills behind `seconds`; null if there are none. `since`: when the oldest of the runs began, ISO. */
  basis: { runs: number; backfills: number; since: string } | null;
};

/** The runs to estimate; `rows` is what they deliver together, if that is known. */
export type Work = { runs: number; maxConcurrent: number; rows: number | null };

/** A backfill whose runs all completed, with the time from its request to its end. */
export type PastBackfill = { runs: number; seconds: number };

/** Newest first. */
export type Past = { runs: readonly PastRun[]; backfills: readonly PastBackfill[] };

/** Limit of past runs that an estimate uses; it takes those that are nearest in size. */
const MAX_NEAREST = 20;
/** Number of runs below which the sample is small, so the estimate is wider. */
const MIN_SAMPLE = 5;

export function estimateBackfill({ runs, maxConcurrent, rows }: Work, past: Past): BackfillEstimate {
  if (past.runs.length === 0) return { rows, seconds: null, basis: null };
  const expectedRows = rows ?? meanOf(past.runs.map((run) => run.rows)) * runs;
  const rowsPerRun = runs === 0 ? 0 : expectedRows / runs;
  const nearest = past.runs
    .toSorted((a, b) => Math.abs(a.rows - rowsPerRun) - Math.abs(b.rows - rowsPerRun))
    .slice(0, MAX_NEAREST);
  return {
    rows: Math.round(expectedRows),
    seconds: secondsOf({ runs, maxConcurrent, rowsPerRun }, nearest, past.backfills),
    basis: {
      runs: nearest.length,
      backfills: past.backfills.length,
      since: nearest.map(({ createdAt }) => createdAt).sort()[0]!,
    },
  };
}

type ExpectedRuns = { runs: number; maxConcurrent: number; rowsPerRun: number };

function secondsOf(
  { runs, maxConcurrent, rowsPerRun }: ExpectedRuns,
  nearest: readonly PastRun[],
  backfills: readonly PastBackfill[],
) {
  const durations = nearest.map(({ seconds }) => seconds).sort((a, b) => a - b);
  const paces = backfills.map((a) => a.seconds / a.runs).sort((a, b) => a - b);
  const lowerQuartile = quantile(durations, 0.25);
  const upperQuartile = quantile(durations, 0.75);
  // Concurrent runs slow each other down, and starting them takes time; only past backfills show how much.
  const concurrentSeconds = Math.ceil(runs / maxConcurrent) * lowerQuartile;
  const [fastest] = paces;
  const low = fastest === undefined ? concurrentSeconds : Math.min(concurrentSeconds, runs * fastest);
  const high =
    runs * (paces.length === 0 ? upperQuartile : Math.max(quantile(paces, 0.5), upperQuartile / maxConcurrent));
  // Intervals with more rows than any of the nearest past runs raise the upper bound in proportion.
  const growth = Math.max(1, rowsPerRun / Math.max(1, ...nearest.map((run) => run.rows)));
  const uncertainty = nearest.length < MIN_SAMPLE ? 2 : 1;
  const floor = Math.floor(low / uncertainty);
  return { low: floor, high: Math.max(floor, Math.ceil(high * growth * uncertainty)) };
}

/** @param values not empty */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param sorted not empty */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
