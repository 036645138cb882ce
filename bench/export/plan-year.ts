/** The cost of requesting a backfill of a year of five-minute intervals: 105,120 runs, with no worker to run them. */
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Installation } from '../installation.ts';
import { atMost, peakRssMb, type Goal } from '../measure.ts';

const YEAR = { startAt: '2025-01-01T00:00:00Z', endAt: '2026-01-01T00:00:00Z' };
const RUNS = 105_120;

/** @param exportId the ID of an export with an interval of five minutes */
export async function planYear({ backfills, engine, projectId }: Installation, exportId: string): Promise<Goal[]> {
  const { stores } = engine;
  const before = process.memoryUsage.rss() / 1024 / 1024;
  // Linux: the peak counts from here.
  writeFileSync('/proc/self/clear_refs', '5');
  const [previewed, preview] = await timed(() =>
    backfills.preview(projectId, exportId, { ...YEAR, only: ['missing'] }),
  );
  const [answered, { id }] = await timed(() => backfills.request(projectId, exportId, YEAR));
  const tiling = await stores.batchExports.getTiling(exportId);
  const [written] = await timed(async () => {
    // As the dispatcher does.
    while (await stores.inTransaction((inside) => inside.backfills.writeRequests(id, tiling)));
  });
  const open = await stores.runRequests.countOpen(exportId);
  if (preview.totalRuns !== RUNS || open !== RUNS) throw new Error(`${preview.totalRuns} previewed, ${open} requested`);
  const [read] = await timed(() => backfills.get(projectId, exportId, id));
  const [cancelled] = await timed(() => backfills.cancel(projectId, exportId, id));
  return [
    atMost('a year of 5-minute intervals previewed, s', previewed, 5),
    atMost('… asked for, s', answered, 1),
    atMost('… its 105,120 requests written by the dispatcher, s', written, 15),
    atMost('… its progress read, s', read, 1),
    atMost('… cancelled, s', cancelled, 5),
    atMost('… MB added', peakRssMb(process.pid) - before, 120),
  ];
}

/** @returns seconds, and what came of it */
async function timed<T>(work: () => Promise<T>): Promise<[seconds: number, result: T]> {
  const started = performance.now();
  const result = await work();
  return [(performance.now() - started) / 1000, result];
}
