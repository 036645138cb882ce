/**
 * The plan of a backfill: which data intervals of a range it would run, in what state, and what it would replace. A preview shows the
 * plan and its token; a request with the token runs exactly that plan, or fails because the plan is outdated.
 */
import { createHash, type Hash } from 'node:crypto';
import { InvalidInput } from '../../platform/errors.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { INTERVAL_STATUSES, type IntervalStatus } from '../domain/interval-status.ts';
import { intervalsWithin, type DataInterval, type Tiling } from '../domain/intervals.ts';
import { type Millis } from '../domain/millis.ts';
import { batchesOf } from '../domain/slices.ts';
import { INTERVALS_AT_ONCE, type IntervalState, type IntervalStates } from '../intervals/interval-states.ts';
import type { ExportStores } from '../stores.ts';

/** Two years of five-minute intervals; longer ranges need several backfills. */
const MAX_RUNS = 210_240;
/** Limit of intervals that a preview names for each status. */
const MAX_NAMED = 10;

/** Statuses of the intervals of a plan. Expired intervals are in none: a range that holds one is refused. */
type PlannedStatus = Exclude<IntervalStatus, 'expired'>;
type PlannedInterval = IntervalState & { status: PlannedStatus };
const PLANNED_STATUSES = INTERVAL_STATUSES.filter((status) => status !== 'expired');

/** Restricts a range to intervals with these statuses; null for all intervals. */
export type StatusFilter = readonly IntervalStatus[] | null;

export type BackfillPlan = {
  /** Intervals that would run, with neighbours joined. */
  wanted: DataInterval[];
  totalRuns: number;
};

export type ExaminedPlan = BackfillPlan & {
  token: string;
  /** Intervals that would run, by status. */
  byStatus: Record<PlannedStatus, { count: number; first: IntervalState[] }>;
  /** Intervals of the range that would not run, by status. */
  skipped: Record<PlannedStatus, number>;
  /** Intervals of the range whose runs fail until a person decides. They would run only if no status filter was given. */
  awaitingDecision: { count: number; first: IntervalState[] };
  /** Earlier deliveries, which would be replaced where they differ. */
  overwrites: { intervals: number; rows: number; files: number };
};

/** Plans all whole intervals of a range, without reading their state. @throws InvalidInput when there are none, or too many */
export function planWhole(tiling: Tiling, start: Millis, end: Millis): BackfillPlan {
  let first: DataInterval | undefined;
  let last: DataInterval | undefined;
  let totalRuns = 0;
  for (const interval of intervalsWithin(tiling, start, end)) {
    first ??= interval;
    last = interval;
    totalRuns += 1;
    if (totalRuns > MAX_RUNS) throw tooMany();
  }
  if (first && last) return { wanted: [{ start: first.start, end: last.end }], totalRuns };
  throw new InvalidInput("No whole data interval of this export lies between 'start_at' and 'end_at'.", 'start_at');
}

function tooMany(): InvalidInput {
  return new InvalidInput(
    `The range contains more than ${MAX_RUNS} data intervals: split it into several backfills.`,
    'start_at',
  );
}

export type Examination = {
  stores: Pick<ExportStores, 'batchExports' | 'gaps' | 'intervalStates' | 'troubles'>;
  states: IntervalStates;
  batchExport: BatchExport;
};

/** Reads the state of the given intervals, and plans those that have one of the wanted statuses. */
export async function planExamined(
  { stores, states, batchExport }: Examination,
  intervals: Iterable<DataInterval>,
  only: StatusFilter,
): Promise<ExaminedPlan> {
  const hash = createHash('sha256').update(batchExport.id);
  const plan: Omit<ExaminedPlan, 'token'> = {
    wanted: [],
    totalRuns: 0,
    byStatus: forEachStatus(() => ({ count: 0, first: [] })),
    skipped: forEachStatus(() => 0),
    awaitingDecision: { count: 0, first: [] },
    overwrites: { intervals: 0, rows: 0, files: 0 },
  };
  let examined = 0;
  for (const batch of batchesOf(intervals, INTERVALS_AT_ONCE)) {
    examined += batch.length;
    if (examined > MAX_RUNS) throw tooMany();
    for (const state of await states.of(stores, batchExport, batch)) {
      // The source has expired since the range was checked.
      if (!isPlanned(state)) continue;
      if (state.awaitsDecision) count(plan.awaitingDecision, state);
      if (!only || (only.includes(state.status) && !state.awaitsDecision)) addInterval(plan, state, hash);
      else if (!state.awaitsDecision) plan.skipped[state.status] += 1;
    }
  }
  return { ...plan, token: hash.digest('base64url') };
}

function forEachStatus<T>(valueOf: () => T): Record<PlannedStatus, T> {
  return Object.fromEntries(PLANNED_STATUSES.map((status) => [status, valueOf()])) as Record<PlannedStatus, T>;
}

/** Joins adjacent intervals to ranges. @param intervals oldest first */
export function joinNeighbors(intervals: readonly DataInterval[]): DataInterval[] {
  const ranges: DataInterval[] = [];
  for (const interval of intervals) addToRanges(ranges, interval);
  return ranges;
}

function addToRanges(ranges: DataInterval[], { start, end }: DataInterval): void {
  const last = ranges.at(-1);
  if (last?.end === start) last.end = end;
  else ranges.push({ start, end });
}

function count(group: { count: number; first: IntervalState[] }, state: IntervalState): void {
  group.count += 1;
  if (group.first.length < MAX_NAMED) group.first.push(state);
}

function isPlanned(state: IntervalState): state is PlannedInterval {
  return state.status !== 'expired';
}

function addInterval(plan: Omit<ExaminedPlan, 'token'>, state: PlannedInterval, hash: Hash): void {
  const { start, end, status, rows } = state;
  addToRanges(plan.wanted, { start, end });
  plan.totalRuns += 1;
  count(plan.byStatus[status], state);
  if (rows !== null) {
    plan.overwrites.intervals += 1;
    plan.overwrites.rows += rows;
    plan.overwrites.files += state.files;
  }
  hash.update(`\n${start}/${end} ${status} ${rows}`);
}
