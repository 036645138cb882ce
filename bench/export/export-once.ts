/** Exports of stored events, each by one run through a worker that is a process of its own. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../src/platform/db/connection.ts';
import type { Slice } from '../../src/events/reading/selection.ts';
import type { Installation } from '../installation.ts';
import { peakRssMb } from '../measure.ts';
import { loadEvents } from './export-data.ts';
import { withWorkerProcesses } from './worker-processes.ts';

/** Time in which the worker gets rid of the garbage of its start. */
const REST_MS = 5_000;
const POLL_MS = 20;

export type WantedDestination = { type: string; config: Record<string, unknown> };

export async function storeEvents({ options }: Installation, rows: number): Promise<Slice> {
  const pool = createPool({ url: options.databaseUrl, applicationName: 'sluice-bench', maxConnections: 2 });
  try {
    return await loadEvents(pool, rows);
  } finally {
    await pool.end();
  }
}

/** Does the work with a new worker. @param partsAtOnce as users have it by default */
export const withWorkerProcess = async <T>(
  { options }: Installation,
  partsAtOnce: number | undefined,
  work: (pid: number) => Promise<T>,
): Promise<T> => withWorkerProcesses(1, { ...options, partsAtOnce }, async ([pid]) => work(pid!));

/** Exports by a new worker, which has exported nothing before. @returns the memory that it added to the idle worker */
export async function measureAddedMb(
  installation: Installation,
  work: () => Promise<unknown>,
  partsAtOnce?: number,
): Promise<{ idle: number; peak: number }> {
  return withWorkerProcess(installation, partsAtOnce, async (pid) => {
    await sleep(REST_MS);
    // Linux: the peak counts from here.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const idle = peakRssMb(pid);
    await work();
    return { idle, peak: peakRssMb(pid) };
  });
}

export const toLocalFiles = (): WantedDestination => {
  return { type: 'LocalFile', config: { directory: randomUUID(), compression: 'gzip' } };
};

/** Delivers the rows by one run. @returns seconds @throws Error unless all of them arrived */
export async function exportOnce(
  installation: Installation,
  slice: Slice,
  rows: number,
  destination: WantedDestination,
): Promise<number> {
  const { batchExports, backfills, engine, projectId } = installation;
  const wanted = { name: 'bench', model: 'events' as const, destination, interval: 'hour', paused: true };
  const { id } = await batchExports.create(projectId, { ...wanted, startAt: null, endAt: null });
  const started = performance.now();
  await backfills.request(projectId, id, { startAt: slice.start, endAt: slice.end });
  for (;;) {
    const [run] = await engine.stores.runs.list(projectId, id, { limit: 1 });
    if (run?.status === 'Completed' && run.recordsCompleted === rows) return (performance.now() - started) / 1000;
    if (run && run.status !== 'Starting' && run.status !== 'Running') throw new Error(`the run ended ${run.status}`);
    await sleep(POLL_MS);
  }
}
