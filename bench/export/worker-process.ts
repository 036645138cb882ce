/** Real workers in processes of their own, and exports of stored events through them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPool } from '../../src/platform/db/connection.ts';
import type { Slice } from '../../src/events/reading/selection.ts';
import type { Installation } from '../installation.ts';
import { peakRssMb } from '../measure.ts';
import { loadEvents } from './export-data.ts';

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
export async function withWorkerProcess<T>(
  installation: Installation,
  partsAtOnce: number | undefined,
  work: (pid: number) => Promise<T>,
): Promise<T> {
  const worker = await startWorker(installation, partsAtOnce);
  try {
    return await work(worker.pid!);
  } finally {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  }
}

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

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

async function startWorker({ options }: Installation, partsAtOnce: number | undefined): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [MAIN, 'worker'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporal.address,
      TEMPORAL_NAMESPACE: options.temporal.namespace,
      SLUICE_ENCRYPTION_KEYS: options.encryptionKeys,
      EXPORT_LOCAL_ROOT: options.environment.localRoot,
      EXPORT_ALLOWED_HOSTS: options.environment.allowedHosts.join(),
      ...(partsAtOnce !== undefined && { SLUICE_WORKER_CONCURRENCY: String(partsAtOnce) }),
      LOG_LEVEL: 'info',
    },
  });
  const ready = Promise.withResolvers<void>();
  worker.once('exit', () => ready.reject(new Error('the worker does not start')));
  createInterface(worker.stderr).on('line', (line) => {
    if (line.includes('worker ready')) ready.resolve();
    if (!line.includes('"level":"info"')) console.error(line);
  });
  await ready.promise;
  return worker;
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
