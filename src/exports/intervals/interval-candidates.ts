/** Finds the few data intervals that may be failed, running or stale, so that a list of these does not read years of deliveries. */
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { intervalEndingAt, intervalsEnding, type DataInterval, type Tiling } from '../domain/intervals.ts';
import type { ShownStatus } from '../domain/interval-status.ts';
import type { Millis } from '../domain/millis.ts';
import type { ExportStores } from '../stores.ts';

/** Number of candidates in one query. */
const CANDIDATES_AT_ONCE = 5_000;

/** @param dueSince the schedule may yet start the runs of intervals that end later */
export type CandidateRange = { from: Millis; to: Millis; dueSince: Millis; newestFirst: boolean };

/** Yields intervals of the tiling within `[from, to]` in order, in batches. All with one of the statuses are among them. */
export async function* candidates(
  stores: Pick<ExportStores, 'intervalStates' | 'intervalFacts'>,
  { id, projectId, model }: BatchExport,
  tiling: Tiling,
  statuses: readonly ShownStatus[],
  { from, to, dueSince, newestFirst }: CandidateRange,
): AsyncGenerator<DataInterval[]> {
  const late =
    statuses.includes('stale') && model !== 'persons'
      ? await stores.intervalFacts.listMaybeStale({ exportId: id, from, to }, projectId)
      : [];
  const due = statuses.includes('running') ? [...intervalsEnding(tiling, Math.max(from, dueSince), to)] : [];
  const others = [...late.map(({ end }) => end), ...due.map(({ end }) => isoMicros(end))];
  let [after, until] = [from, to];
  for (;;) {
    const range = { after: isoMicros(after), to: isoMicros(until), newestFirst, limit: CANDIDATES_AT_ONCE };
    const found = await stores.intervalStates.listCandidateEnds(id, statuses, others, range);
    const ends = found.map(millisOf);
    const intervals = ends.flatMap((end) => intervalEndingAt(tiling, end) ?? []);
    yield* neighbours(intervals.filter(({ start }) => start >= from));
    const last = ends.at(-1);
    if (last === undefined || ends.length < CANDIDATES_AT_ONCE) return;
    if (newestFirst) until = last - 1;
    else after = last;
  }
}

/** Most intervals between the first and the last one of a batch, all of whose runs are read. */
const BATCH_INTERVALS = 500;

/** Splits intervals, which are in order, into batches of such as are near each other. */
function* neighbours(intervals: readonly DataInterval[]): Generator<DataInterval[]> {
  let batch: DataInterval[] = [];
  let shortest = Infinity;
  for (const interval of intervals) {
    const [first = interval] = batch;
    const length = interval.end - interval.start;
    // The length may have changed with the export's `interval`.
    shortest = Math.min(shortest, length);
    if (Math.abs(interval.end - first.end) > BATCH_INTERVALS * shortest) {
      yield batch;
      batch = [];
      shortest = length;
    }
    batch.push(interval);
  }
  if (batch.length > 0) yield batch;
}
