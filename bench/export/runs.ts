/**
 * The cost of a run apart from its rows: the time from the schedule's action to the run's end, and the number of events in its history. The
 * throughput of runs is compared with that of workflows that do nothing. Every run is checked to have delivered its rows.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from '../../activities/index.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { encodeEvents } from '../../src/events/ingest/event-rows.ts';
import { createIngest } from '../../src/events/ingest/ingest.ts';
import { NO_EFFECTS } from '../../src/events/persons/effects.ts';
import { runWorkflowId } from '../../src/exports/domain/ids.ts';
import { installRuntime, startExportWorker } from '../../src/exports/temporal/worker.ts';
import { startInstallation, type Installation } from '../installation.ts';
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
  type CaseResult,
  type Goal,
  type Sample,
} from '../measure.ts';
import { planYear } from './plan-year.ts';
import { withWorkerProcesses } from './worker-processes.ts';

const HOUR = 3_600_000;
/** Converts to microseconds since the year 2000, as Postgres counts. */
const microseconds = (at: number) => BigInt(at - Date.UTC(2000, 0, 1)) * 1000n;
const FIRST_END = Date.UTC(2026, 2, 1, 1);
const ROWS_EACH = 50;
/** The number of runs of each kind that are measured one after the other. */
const SINGLE_RUNS = 15;
const ROUNDS = 3;
const RUNS_A_ROUND = 40;
const AT_ONCE = 10;
/** The numbers of processes that are compared, each as `sluice worker` starts it. */
const WORKERS = [1, 2, 4];
const ROUNDS_OF_WORKERS = 1;
const COMPARED = (ROUNDS + 1) * RUNS_A_ROUND;
const INTERVALS = SINGLE_RUNS * 2 + COMPARED + WORKERS.length * (ROUNDS_OF_WORKERS + 1) * RUNS_A_ROUND;

export const bench: Bench = async ({ log }) => {
  const installation = await startInstallation();
  try {
    log(`storing ${ROWS_EACH} events in each of ${INTERVALS} hours`);
    await storeEvents(installation);
    const exportId = await createExport(installation, 'hour');
    const ends = Array.from({ length: INTERVALS }, (_, hour) => FIRST_END + hour * HOUR);
    return await withBareWorker(installation, async () => {
      const { cases, goals } = await withWorker(installation, async () => {
        const single = await measureSingleRuns(installation, exportId, ends, log);
        const compared = await compareThroughput(installation, exportId, ends, log);
        return { cases: compared.cases, goals: [...single, ...compared.goals] };
      });
      const scaled = await measureWorkers(installation, exportId, ends, log);
      const planned = await planYear(installation, await createExport(installation, 'every 5 minutes'));
      return { name: 'runs', cases: [...cases, ...scaled], goals: [...goals, ...planned] };
    });
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

/** Does the work with a worker as users have it, in this process. */
async function withWorker<T>({ engine, options }: Installation, work: () => Promise<T>): Promise<T> {
  const { temporal, log, partsAtOnce } = options;
  const worker = await startExportWorker({ activities: createActivities(engine), log, temporal, partsAtOnce });
  try {
    return await work();
  } finally {
    worker.shutdown();
    await worker.stopped;
  }
}

/** Does the work with a worker for bare workflows, in this process. */
async function withBareWorker<T>({ options: { temporal, log } }: Installation, work: () => Promise<T>): Promise<T> {
  installRuntime(log);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const bare = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: BARE_QUEUE,
    workflowsPath: fileURLToPath(new URL('../bare-workflow.ts', import.meta.url)),
    activities: { nothing: async () => {} },
  });
  const bareEnded = bare.run();
  try {
    return await work();
  } finally {
    bare.shutdown();
    await bareEnded;
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
    const run = await waitForEnd(engine.temporal.client, exportId, end);
    scheduled.push(run.ms);
    events = Math.max(events, run.events);
  }
  for (let i = 0; i < SINGLE_RUNS; i++) {
    const end = ends.shift()!;
    const [startAt, endAt] = [new Date(end - HOUR).toISOString(), new Date(end).toISOString()];
    const started = performance.now();
    await backfills.request(projectId, exportId, { startAt, endAt });
    await waitForEnd(engine.temporal.client, exportId, end);
    requested.push(performance.now() - started);
  }
  await checkDelivered(installation, exportId, SINGLE_RUNS * 2);
  log(`from a request to its run's end: ${median(requested).toFixed(0)} ms`);
  return [
    atMost('from the schedule’s action to the end of a run of 50 rows, ms', Math.round(median(scheduled)), 300),
    atMost('events in the history of a run of one part', events, 25),
  ];
}

/** Waits for the end of the interval's run. @returns its duration and number of history events, as Temporal has them */
async function waitForEnd(client: Client, exportId: string, end: number): Promise<{ ms: number; events: number }> {
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
  const limit = bareCase(installation);
  const ours = runsCase('runs of one part, 50 rows', installation, exportId, ends);
  const samples = await interleave([limit, ours], ROUNDS, log);
  await checkDelivered(installation, exportId, SINGLE_RUNS * 2 + COMPARED);
  const cases = [limit, ours].map(({ name }) => compare(name, samples.get(name)!, samples.get(limit.name)!));
  log(`${perMinute(samples.get(ours.name)!)} runs a minute`);
  return { cases, goals: [atLeast('throughput of runs, of bare workflows', cases[1]!.wall_ratio, 0.4)] };
}

/** The same with workers in processes of their own, beside the same limit. */
async function measureWorkers(
  installation: Installation,
  exportId: string,
  ends: number[],
  log: (line: string) => void,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const workers of WORKERS) {
    const name = `runs, ${workers} worker process${workers === 1 ? '' : 'es'}`;
    const [limit, ours] = [bareCase(installation), runsCase(name, installation, exportId, ends)];
    const measure = () => interleave([limit, ours], ROUNDS_OF_WORKERS, log);
    const samples = await withWorkerProcesses(workers, installation.options, measure);
    log(`${name}: ${perMinute(samples.get(name)!)} runs a minute`);
    results.push(compare(name, samples.get(name)!, samples.get(limit.name)!));
  }
  await checkDelivered(installation, exportId, INTERVALS);
  return results;
}

function bareCase({ engine }: Installation): Case {
  const { client } = engine.temporal;
  return throughputCase('limit: workflows of one activity that does nothing', async () => {
    await client.workflow.execute('bare', { workflowId: randomUUID(), taskQueue: BARE_QUEUE });
  });
}

function runsCase(name: string, { engine }: Installation, exportId: string, ends: number[]): Case {
  return throughputCase(name, async () => {
    const end = ends.shift()!;
    await engine.executions.start(exportId, end);
    await engine.temporal.client.workflow.getHandle(runWorkflowId(exportId, end)).result();
  });
}

function perMinute(samples: readonly Sample[]): string {
  return ((RUNS_A_ROUND * 60_000) / median(samples.map(({ wallMs }) => wallMs))).toFixed(0);
}

/** Executes `RUNS_A_ROUND` times, `AT_ONCE` at once. CPU time is that of workers and servers together; memory is that of this process. */
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
