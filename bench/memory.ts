/**
 * The memory that exporting adds to an idle worker: a real `sluice worker`, sealed intervals, files with gzip, receipts on. The
 * worker's own peak is read from Linux, which counts everything: rows, compression, Temporal's core, the garbage.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createPool } from '../src/platform/db/connection.ts';
import type { Slice } from '../src/events/reading/selection.ts';
import { loadEvents } from './export/export-data.ts';
import { startInstallation, type Installation } from './installation.ts';
import { atMost, peakRssMb, type Bench, type Goal } from './measure.ts';

const ROWS = 100_000;
const LARGE_ROWS = 2_000_000;
const MAX_ADDED_MB = 120;
/** Time in which the worker gets rid of the garbage of its start. */
const REST_MS = 5_000;

export const bench: Bench = async ({ large, log }) => {
  const installation = await startInstallation();
  try {
    const goals: Goal[] = [];
    for (const rows of large ? [ROWS, LARGE_ROWS] : [ROWS]) {
      log(`storing ${rows} events`);
      goals.push(await measure(installation, rows, log));
    }
    return { name: 'memory', cases: [], goals };
  } finally {
    await installation.close();
  }
};

/** Measures in a new worker, which has exported nothing before. */
async function measure(installation: Installation, rows: number, log: (line: string) => void): Promise<Goal> {
  const slice = await load(installation, rows);
  const worker = await startWorker(installation);
  try {
    await sleep(REST_MS);
    // Linux: the peak counts from here.
    writeFileSync(`/proc/${worker.pid}/clear_refs`, '5');
    const idle = peakRssMb(worker.pid!);
    const seconds = await exportOnce(installation, slice, rows);
    const peak = peakRssMb(worker.pid!);
    log(`${rows} rows in ${seconds.toFixed(1)} s: ${idle.toFixed(0)} MB idle, ${peak.toFixed(0)} MB at most`);
    return atMost(`${rows} rows to gzip files: MB added to an idle worker`, peak - idle, MAX_ADDED_MB);
  } finally {
    worker.kill('SIGTERM');
    await once(worker, 'exit');
  }
}

async function load({ options }: Installation, rows: number): Promise<Slice> {
  const pool = createPool({ url: options.databaseUrl, applicationName: 'sluice-bench', maxConnections: 2 });
  try {
    return await loadEvents(pool, rows);
  } finally {
    await pool.end();
  }
}

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function startWorker({ options }: Installation): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [MAIN, 'worker'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporal.address,
      TEMPORAL_NAMESPACE: options.temporal.namespace,
      SLUICE_ENCRYPTION_KEYS: options.encryptionKeys,
      EXPORT_LOCAL_ROOT: options.environment.localRoot,
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

/** @returns seconds */
async function exportOnce(installation: Installation, slice: Slice, rows: number): Promise<number> {
  const { batchExports, backfills, engine, projectId } = installation;
  const destination = { type: 'LocalFile', config: { directory: randomUUID(), compression: 'gzip' } };
  const wanted = { name: 'bench', model: 'events' as const, destination, interval: 'hour', paused: true };
  const { id } = await batchExports.create(projectId, { ...wanted, startAt: null, endAt: null });
  const started = performance.now();
  await backfills.request(projectId, id, { startAt: slice.start, endAt: slice.end });
  for (;;) {
    const [run] = await engine.stores.runs.list(projectId, id, { limit: 1 });
    if (run?.status === 'Completed' && run.recordsCompleted === rows) return (performance.now() - started) / 1000;
    if (run && run.status !== 'Starting' && run.status !== 'Running') throw new Error(`the run ended ${run.status}`);
    await sleep(100);
  }
}
