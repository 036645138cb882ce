/**
 * The data intervals of a project's exports that have rows which are about to be erased. Intervals that were never planned, or have not ended,
 * are among them: a run may read them until the rows are gone. Which of them were delivered is decided once the rows are deleted (delivery-state.ts).
 */
import {
  countErasedRows,
  erasableSourceOf,
  type ErasedRows,
  type ErasedWindow,
} from '../../events/reading/erased-rows.ts';
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import type { Content } from '../../conditions/rows/content.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { contentOf } from '../batch-exports/content.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { endOfIntervalAt, intervalEndingAt, type DataInterval, type Tiling } from '../domain/intervals.ts';
import type { Millis } from '../domain/millis.ts';
import type { ExportStores } from '../stores.ts';

/** A data interval with erased rows. */
export type TouchedInterval = { exportId: string; start: string; end: string; rows: number };

type Options = { stores: Pick<ExportStores, 'batchExports' | 'erasedDeliveries'>; pool: Pool };

const HOUR_MS = 3_600_000;

export async function findTouchedIntervals(
  { stores, pool }: Options,
  projectId: number,
  rows: ErasedRows,
): Promise<TouchedInterval[]> {
  if (rows.events.length + rows.versions.length === 0) return [];
  const touched: TouchedInterval[] = [];
  for (const batchExport of await stores.batchExports.listIncludingDeleted(projectId)) {
    const tiling = await stores.batchExports.getTiling(batchExport.id);
    const windows = (await candidates({ stores }, batchExport, tiling, rows)).flatMap(({ interval, contents }) =>
      contents.map((content) => windowOf(interval, content, rows)),
    );
    const counts = await countErasedRows(pool, projectId, windows);
    // The contents of an interval are those of several runs: the most that one of them has delivered.
    const most = new Map<string, TouchedInterval>();
    for (const [index, { start, end }] of windows.entries()) {
      const before = most.get(start)?.rows ?? 0;
      if (counts[index]! > before) most.set(start, { exportId: batchExport.id, start, end, rows: counts[index]! });
    }
    touched.push(...most.values());
  }
  return touched;
}

/** Records intervals of an erasure in the transaction that deletes their rows. */
export async function recordTouched(
  client: PoolClient,
  erasureId: string,
  touched: readonly TouchedInterval[],
): Promise<void> {
  if (touched.length === 0) return;
  await client.query(
    `insert into erased_deliveries as present (erasure_id, batch_export_id, data_interval_start, data_interval_end, rows)
     select $1, export, start, "end", rows from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::bigint[]) as touched (export, start, "end", rows)
     on conflict (erasure_id, batch_export_id, data_interval_start, data_interval_end) do update set rows = present.rows + excluded.rows`,
    [
      erasureId,
      touched.map(({ exportId }) => exportId),
      touched.map(({ start }) => start),
      touched.map(({ end }) => end),
      touched.map(({ rows }) => rows),
    ],
  );
}

type Candidate = { interval: DataInterval; contents: Content[] };

/** Intervals around the rows, with the export's content and those of the runs that delivered or are delivering the interval. */
async function candidates(
  { stores }: Pick<Options, 'stores'>,
  batchExport: BatchExport & { deleted: boolean },
  tiling: Tiling,
  { events, versions }: ErasedRows,
): Promise<Candidate[]> {
  const present = batchExport.deleted ? [] : [contentOf(batchExport)];
  const instants = [...events, ...versions].map(({ intervalTime }) => millisOf(intervalTime));
  const own = intervalsAt(tiling, instants, 0);
  const ofRuns = await stores.erasedDeliveries.contentsOfRuns(batchExport.id, own.map(isoOf));
  const hours = [...present, ...[...ofRuns.values()].flat()].map((content) => erasableSourceOf(content).hoursBefore);
  const longest = Math.max(0, ...hours);
  const all = longest === 0 ? own : intervalsAt(tiling, instants, longest);
  const contents =
    longest === 0 ? ofRuns : await stores.erasedDeliveries.contentsOfRuns(batchExport.id, all.map(isoOf));
  return all.map((interval) => ({ interval, contents: [...present, ...(contents.get(interval.end) ?? [])] }));
}

/** The intervals that hold one of the instants, and those that begin within so many hours after one. */
function intervalsAt(tiling: Tiling, instants: readonly Millis[], hours: number): DataInterval[] {
  const intervals: DataInterval[] = [];
  let passed = -Infinity;
  for (const instant of instants.toSorted((a, b) => a - b)) {
    for (let at = Math.max(instant, passed); at <= instant + hours * HOUR_MS; at = passed) {
      passed = endOfIntervalAt(tiling, at);
      const interval = intervalEndingAt(tiling, passed);
      if (interval) intervals.push(interval);
    }
  }
  return intervals;
}

function windowOf(interval: DataInterval, content: Content, { events, versions }: ErasedRows): ErasedWindow {
  const { hoursBefore } = erasableSourceOf(content);
  const from = interval.start - hoursBefore * HOUR_MS;
  const isWithin = ({ intervalTime }: { intervalTime: string }) => {
    const instant = millisOf(intervalTime);
    return instant >= from && instant < interval.end;
  };
  return {
    ...isoOf(interval),
    content,
    rows: { events: events.filter(isWithin), versions: versions.filter(isWithin) },
  };
}

function isoOf({ start, end }: DataInterval) {
  return { start: isoMicros(start), end: isoMicros(end) };
}
