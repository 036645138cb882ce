/**
 * What a run costs around its rows: how long from the schedule's action to its end, how many events of history, and how many runs
 * a server carries beside workflows that do nothing. Every run is checked to have delivered its rows.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../activities/index.ts';
import { createPool } from '../src/db/connection.ts';
import { encodeEvents } from '../src/events/event-rows.ts';
import { createIngest } from '../src/events/ingest.ts';
import { NO_EFFECTS } from '../src/events/persons/effects.ts';
import { runWorkflowId } from '../src/exports/domain/ids.ts';
import { startExportWorker } from '../src/temporal/worker.ts';
import { startInstallation, type Installation } from './installation.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  median,
  peakRssMb,
  serverCpuMs,
  type Bench,
  type Case,
  type Goal,
} from './measure.ts';

const HOUR = 3_600_000;
/** As Postgres counts. */
const microseconds = (at: number) => BigInt(at - Date.UTC(2000, 0, 1)) * 1000n;
const FIRST_END = Date.UTC(2026, 2, 1, 1);
const ROWS_EACH = 50;
/** One after the other. */
const SINGLE_RUNS = 15;
const ROUNDS = 3;
const RUNS_A_ROUND = 40;
const AT_ONCE = 10;
const INTERVALS = SINGLE_RUNS * 2 + (ROUNDS + 1) * RUNS_A_ROUND;
const YEAR = { startAt: '2025-01-01T00:00:00Z', endAt: '2026-01-01T00:00:00Z', runs: 105_120 };

export const bench: Bench = async ({ log }) => {
  const installation = await startInstallation();
  try {
    log(`storing ${ROWS_EACH} events in each of ${INTERVALS} hours`);
    await storeEvents(installation);
    const exportId = await createExport(installation, 'hour');
    const { cases, goals } = await withWorkers(installation, async () => {
      const ends = Array.from({ length: INTERVALS }, (_, hour) => FIRST_END + hour * HOUR);
      const single = await measureSingleRuns(installation, exportId, ends, log);
      const compared = await compareThroughput(installation, exportId, ends, log);
      return { cases: compared.cases, goals: [...single, ...compared.goals] };
    });
    return { name: 'runs', cases, goals: [...goals, ...(await planYear(installation))] };
  } finally {
    await installation.close();
  }
};

async function storeEvents({ options, projectId }: Installation): Promise<void> {
  const pool = createPool({ url: options.databaseUrl, applicationName: 'sluice-bench', maxConnections: 1 });
  const createdAt = microseconds(Date.now());
  const properties = JSON.stringify({ $current_url: 'https://app.example.com/', note: 'x'.repeat(900) });
  const events = Array.from({ length: INTERVALS * ROWS_EACH }, (_, n) => ({
    uuid: randomUUID(),
    event: '$pageview',
    distinctId: `person ${n % 100}`,
    properties,
    elementsChain: '',
    person: NO_EFFECTS,
    timestamp: microseconds(FIRST_END - HOUR + (n * HOUR) / ROWS_EACH),
  }));
  try {
    await createIngest(pool).store(projectId, [encodeEvents(events, { projectId, historical: true, createdAt })]);
    await pool.query('vacuum analyze events');
  } finally {
    await pool.end();
  }
}

async function createExport({ batchExports, projectId }: Installation, interval: string): Promise<string> {
  const destination = { type: 'LocalFile', config: { directory: randomUUID(), compression: 'gzip' } };
  const wanted = {
    name: 'bench',
    model: 'events' as const,
    destination,
    interval,
    paused: true,
    startAt: null,
    endAt: null,
  };
  return (await batchExports.create(projectId, wanted)).id;
}

const BARE_QUEUE = 'bench-bare';

/** A worker as users have it, and one for bare workflows, in this process. */
async function withWorkers<T>({ engine, options }: Installation, work: () => Promise<T>): Promise<T> {
  const { temporal, log, partsAtOnce } = options;
  const worker = await startExportWorker({ activities: createActivities(engine), log, temporal, partsAtOnce });
  const connection = await NativeConnection.connect({ address: temporal.address });
  const bare = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: BARE_QUEUE,
    workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
    activities: { nothing: async () => {} },
  });
  const bareEnded = bare.run();
  try {
    return await work();
  } finally {
    worker.shutdown();
    bare.shutdown();
    await Promise.all([worker.stopped, bareEnded]);
    await connection.close();
  }
}

/** @returns goals of a run's duration and of its history */
async function measureSingleRuns(
  installation: Installation,
  exportId: string,
  ends: number[],
  log: (line: string) => void,
): Promise<Goal[]> {
  const { engine, backfills, projectId } = installation;
  const scheduled: number[] = [];
  const requested: number[] = [];
  let events = 0;
  for (let i = 0; i < SINGLE_RUNS; i++) {
    const end = ends.shift()!;
    await engine.schedules.backfill(exportId, [end]);
    const run = await ended(engine.temporal.client, exportId, end);
    scheduled.push(run.ms);
    events = Math.max(events, run.events);
  }
  for (let i = 0; i < SINGLE_RUNS; i++) {
    const end = ends.shift()!;
    const [startAt, endAt] = [new Date(end - HOUR).toISOString(), new Date(end).toISOString()];
    const started = performance.now();
    await backfills.request(projectId, exportId, { startAt, endAt });
    await ended(engine.temporal.client, exportId, end);
    requested.push(performance.now() - started);
  }
  await checkDelivered(installation, exportId, SINGLE_RUNS * 2);
  log(`from a request to its run's end: ${median(requested).toFixed(0)} ms`);
  return [
    atMost('from the schedule’s action to the end of a run of 50 rows, ms', Math.round(median(scheduled)), 300),
    atMost('events in the history of a run of one part', events, 25),
  ];
}

/** Waits for the end of the interval's run. @returns its duration as Temporal has it */
async function ended(client: Client, exportId: string, end: number): Promise<{ ms: number; events: number }> {
  const handle = client.workflow.getHandle(runWorkflowId(exportId, end));
  for (;;) {
    const run = await handle.describe().catch(() => undefined);
    if (run?.closeTime) return { ms: run.closeTime.getTime() - run.startTime.getTime(), events: run.historyLength };
    await sleep(10);
  }
}

async function compareThroughput(
  installation: Installation,
  exportId: string,
  ends: number[],
  log: (line: string) => void,
) {
  const { engine } = installation;
  const { client } = engine.temporal;
  const limit = throughputCase('limit: workflows of one activity that does nothing', async () => {
    await client.workflow.execute('bare', { workflowId: randomUUID(), taskQueue: BARE_QUEUE });
  });
  const ours = throughputCase('runs of one part, 50 rows', async () => {
    const end = ends.shift()!;
    await engine.executions.start(exportId, end);
    await client.workflow.getHandle(runWorkflowId(exportId, end)).result();
  });
  const samples = await interleave([limit, ours], ROUNDS, log);
  await checkDelivered(installation, exportId, INTERVALS);
  const cases = [limit, ours].map(({ name }) => compare(name, samples.get(name)!, samples.get(limit.name)!));
  const perMinute = (RUNS_A_ROUND * 60_000) / median(samples.get(ours.name)!.map(({ wallMs }) => wallMs));
  log(`${perMinute.toFixed(0)} runs a minute`);
  return { cases, goals: [atLeast('throughput of runs, of bare workflows', cases[1]!.wall_ratio, 0.4)] };
}

/** Some at once, until all have ended. CPU and memory are those of workers and servers together. */
function throughputCase(name: string, execute: () => Promise<void>): Case {
  return {
    name,
    async run() {
      const cpu = serverCpuMs(process.pid);
      const started = performance.now();
      let left = RUNS_A_ROUND;
      const lane = async () => {
        while (left-- > 0) await execute();
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      const wallMs = performance.now() - started;
      return { wallMs, cpuMs: serverCpuMs(process.pid) - cpu, rssMb: peakRssMb(process.pid) };
    },
  };
}

async function checkDelivered({ engine, projectId }: Installation, exportId: string, runs: number): Promise<void> {
  const all = await engine.stores.runs.list(projectId, exportId, { limit: INTERVALS + 1 });
  const delivered = all.filter((run) => run.status === 'Completed' && run.recordsCompleted === ROWS_EACH);
  if (all.length !== runs || delivered.length !== runs)
    throw new Error(`${delivered.length} of ${runs} runs delivered their rows`);
}

/** A request for 105,120 runs, with nobody there to run them. */
async function planYear(installation: Installation): Promise<Goal[]> {
  const { backfills, projectId } = installation;
  const exportId = await createExport(installation, 'every 5 minutes');
  const before = process.memoryUsage.rss() / 1024 / 1024;
  // Linux: the peak counts from here.
  writeFileSync('/proc/self/clear_refs', '5');
  const started = performance.now();
  const { totalRuns } = await backfills.request(projectId, exportId, YEAR);
  const seconds = (performance.now() - started) / 1000;
  if (totalRuns !== YEAR.runs) throw new Error(`${totalRuns} runs were requested`);
  return [
    atMost('a year of 5-minute intervals requested, s', seconds, 15),
    atMost('… MB added', peakRssMb(process.pid) - before, 120),
  ];
}
