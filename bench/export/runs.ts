/**
 * The cost of a run apart from its rows: the time from the schedule's action to the run's end, and the number of events in its history. The
 * throughput of runs is compared with that of workflows that do nothing. Every run is checked to have delivered its rows.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { createPool } from '../../src/platform/db/connection.ts';
import { encodeEvents } from '../../src/events/ingest/event-rows.ts';
import { createIngest } from '../../src/events/ingest/ingest.ts';
import { NO_EFFECTS } from '../../src/events/persons/effects.ts';
import { runWorkflowId } from '../../src/exports/domain/ids.ts';
import { ensureReachable } from '../../src/platform/temporal/connection.ts';
import { retryUntilAnswered } from '../../src/platform/temporal/until-answered.ts';
import { startInstallation, type Installation } from '../installation.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  measurePart,
  median,
  peakRssMb,
  serverCpuMs,
  type Bench,
  type BenchResult,
  type Case,
  type CaseResult,
  type Goal,
  type Sample,
} from '../measure.ts';
import { planYear } from './plan-year.ts';
import { BARE_QUEUE, withBareWorker, withWorker } from './in-process-workers.ts';
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
const RUNS_OF_WORKERS = (ROUNDS_OF_WORKERS + 1) * RUNS_A_ROUND;
const INTERVALS = SINGLE_RUNS * 2 + COMPARED + WORKERS.length * RUNS_OF_WORKERS;
/** Longest waits for the end of a run, and for a Temporal that does not answer. */
const RUN_MS = 60_000;
const ANSWER_MS = 120_000;

export const bench: Bench = async ({ log }) => {
  const installation = await startInstallation();
  try {
    log(`storing ${ROWS_EACH} events in each of ${INTERVALS} hours`);
    await storeEvents(installation);
    const exportId = await createExport(installation, 'hour');
    const ends = Array.from({ length: INTERVALS }, (_, hour) => FIRST_END + hour * HOUR);
    const result: Required<BenchResult> = { name: 'runs', cases: [], goals: [], missing: [] };
    const measure = async (what: string, part: () => Promise<Partial<BenchResult>>) =>
      measurePart(result, what, async () => {
        await untilTemporalAnswers(installation);
        return part();
      });
    await measure('runs one after the other', () =>
      withWorker(installation, () => measureSingleRuns(installation, exportId, ends.splice(0, SINGLE_RUNS * 2), log)),
    );
    await measure('throughput of runs', () =>
      withBareWorker(installation, () =>
        withWorker(installation, () => compareThroughput(installation, exportId, ends.splice(0, COMPARED), log)),
      ),
    );
    for (const workers of WORKERS)
      await measure(nameOfWorkers(workers), () =>
        withBareWorker(installation, () =>
          measureWorkers(workers, installation, exportId, ends.splice(0, RUNS_OF_WORKERS), log),
        ),
      );
    await measure('a year of 5-minute intervals', async () => ({
      goals: await planYear(installation, await createExport(installation, 'every 5 minutes')),
    }));
    return result;
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

/** Measures a run's duration and its history. */
async function measureSingleRuns(
  installation: Installation,
  exportId: string,
  ends: number[],
  log: (line: string) => void,
): Promise<{ goals: Goal[] }> {
  const { engine, backfills, projectId } = installation;
  const scheduled: number[] = [];
  const requested: number[] = [];
  let events = 0;
  for (const end of ends.slice(0, SINGLE_RUNS)) {
    await engine.schedules.backfill(exportId, [end]);
    const run = await waitForEnd(engine.temporal.client, exportId, end);
    scheduled.push(run.ms);
    events = Math.max(events, run.events);
  }
  for (const end of ends.slice(SINGLE_RUNS)) {
    const [startAt, endAt] = [new Date(end - HOUR).toISOString(), new Date(end).toISOString()];
    const started = performance.now();
    await backfills.request(projectId, exportId, { startAt, endAt });
    await waitForEnd(engine.temporal.client, exportId, end);
    requested.push(performance.now() - started);
  }
  await checkDelivered(installation, exportId, ends);
  log(`from a request to its run's end: ${median(requested).toFixed(0)} ms`);
  return {
    goals: [
      atMost('from the schedule’s action to the end of a run of 50 rows, ms', Math.round(median(scheduled)), 300),
      atMost('events in the history of a run of one part', events, 25),
    ],
  };
}

/** Waits for the end of the interval's run. @returns its duration and number of history events, as Temporal has them */
async function waitForEnd(client: Client, exportId: string, end: number): Promise<{ ms: number; events: number }> {
  const handle = client.workflow.getHandle(runWorkflowId(exportId, end));
  for (const deadline = performance.now() + RUN_MS; performance.now() < deadline;) {
    const run = await handle.describe().catch(() => undefined);
    if (run?.closeTime) return { ms: run.closeTime.getTime() - run.startTime.getTime(), events: run.historyLength };
    await sleep(10);
  }
  throw new Error(`a run did not end within ${RUN_MS / 1000} s`);
}

async function untilTemporalAnswers({ engine }: Installation): Promise<void> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  await retryUntilAnswered(() => ensureReachable(engine.temporal.client), { signal, onFailure() {} });
}

async function compareThroughput(
  installation: Installation,
  exportId: string,
  ends: number[],
  log: (line: string) => void,
) {
  const baseline = bareCase(installation);
  const ours = runsCase('runs of one part, 50 rows', installation, exportId, [...ends]);
  const samples = await interleave([baseline, ours], ROUNDS, log);
  await checkDelivered(installation, exportId, ends);
  const cases = [baseline, ours].map(({ name }) => compare(name, samples.get(name)!, samples.get(baseline.name)!));
  log(`${perMinute(samples.get(ours.name)!)} runs a minute`);
  return { cases, goals: [atLeast('throughput of runs ÷ of bare workflows', cases[1]!.wall_ratio, 0.4)] };
}

/** The same with workers in processes of their own, beside the same baseline. */
async function measureWorkers(
  workers: number,
  installation: Installation,
  exportId: string,
  ends: number[],
  log: (line: string) => void,
): Promise<{ cases: CaseResult[] }> {
  const name = nameOfWorkers(workers);
  const [baseline, ours] = [bareCase(installation), runsCase(name, installation, exportId, [...ends])];
  const samples = await withWorkerProcesses(workers, installation.options, () =>
    interleave([baseline, ours], ROUNDS_OF_WORKERS, log),
  );
  await checkDelivered(installation, exportId, ends);
  log(`${name}: ${perMinute(samples.get(name)!)} runs a minute`);
  return { cases: [compare(name, samples.get(name)!, samples.get(baseline.name)!)] };
}

function bareCase({ engine }: Installation): Case {
  const { client } = engine.temporal;
  return throughputCase('baseline: workflows of one activity that does nothing', async () => {
    await client.workflow.execute('bare', { workflowId: randomUUID(), taskQueue: BARE_QUEUE });
  });
}

const nameOfWorkers = (workers: number) => `runs, ${workers} worker process${workers === 1 ? '' : 'es'}`;

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
      // Settled, because executions that go on after another's failure would burden what is measured next.
      const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
      for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
      const wallMs = performance.now() - started;
      return { wallMs, cpuMs: serverCpuMs(process.pid) - cpu, rssMb: peakRssMb(process.pid) };
    },
  };
}

/** @throws Error unless each of these intervals has one run, which delivered its rows */
async function checkDelivered(
  { engine, projectId }: Installation,
  exportId: string,
  ends: readonly number[],
): Promise<void> {
  const expected = new Set(ends);
  const all = await engine.stores.runs.list(projectId, exportId, { limit: INTERVALS + 1 });
  const runs = all.filter((run) => expected.has(Date.parse(run.end)));
  const delivered = runs.filter((run) => run.status === 'Completed' && run.recordsCompleted === ROWS_EACH);
  if (runs.length !== ends.length || delivered.length !== ends.length)
    throw new Error(`${delivered.length} of ${ends.length} runs delivered their rows`);
}
