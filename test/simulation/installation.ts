/** The real engine and its real stores on a simulated clock, with a simulated Temporal, destination weather and workers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { closeLostRuns } from '../../activities/close-lost-runs.ts';
import { dispatchRequests } from '../../activities/dispatch-requests.ts';
import type { Engine } from '../../activities/engine.ts';
import { fillGaps } from '../../activities/fill-gaps.ts';
import { finishRun, type RunEnding } from '../../activities/finish-run.ts';
import { prepareRun } from '../../activities/prepare-run.ts';
import { settleIntervals } from '../../activities/settle-intervals.ts';
import { createKnex } from '../../src/db/connection.ts';
import { createEngine } from '../../src/engine.ts';
import { backfills } from '../../src/exports/backfills.ts';
import { batchExports } from '../../src/exports/batch-exports.ts';
import { exportRuns } from '../../src/exports/runs.ts';
import { scheduleSetter } from '../../src/exports/schedule-setter.ts';
import { generateKeyRing } from '../../src/secrets/key-ring.ts';
import { ensureReachable } from '../../src/temporal/connection.ts';
import { exportExecutions } from '../../src/temporal/executions.ts';
import { exportSchedules } from '../../src/temporal/schedules.ts';
import { createTestDatabase } from '../support/database.ts';
import { buildTenant } from '../support/identity.ts';
import { simulateClock } from './clock.ts';
import { simulatedTemporal, type SimulatedExecution } from './simulated-temporal.ts';

/** How runs end: `silent` leaves them under way, `crashing` takes their workflow away. */
export const WEATHERS = ['fine', 'rejecting', 'unavailable', 'crashing', 'silent'] as const;
export type Weather = (typeof WEATHERS)[number];

const ENDINGS: Record<'fine' | 'rejecting' | 'unavailable', RunEnding> = {
  fine: { how: 'commit' },
  rejecting: { how: 'failed', type: 'DestinationRejected', message: 'The destination says no.' },
  unavailable: { how: 'failed', type: 'DestinationUnavailable', message: 'The destination is away.' },
};
/** The reconciler looks at a run that nothing touched for so long. */
const IDLE_SECONDS = 5;
const SECOND = 1000;

export type Installation = Awaited<ReturnType<typeof buildInstallation>>;

export async function buildInstallation() {
  const database = await createTestDatabase();
  const { url } = database;
  const setup = createKnex({ url, applicationName: 'test-simulation' });
  const { projectId } = await buildTenant(setup);
  const clock = await simulateClock(setup, path.basename(new URL(url).pathname));
  const localRoot = await mkdtemp(path.join(tmpdir(), 'sluice-test-simulation-'));
  const log = pino({ level: 'silent' });
  const temporal = simulatedTemporal();
  const composed = createEngine({
    databaseUrl: url,
    temporal: { address: '127.0.0.1:1', namespace: 'simulated' },
    encryptionKeys: generateKeyRing(),
    environment: { localRoot, allowedHosts: [] },
    partsAtOnce: 1,
    limits: { runsPerProject: 40, backfillsPerProject: 1000 },
    log,
  });
  const { stores, sealed, notifications, environment, pool, limits } = composed;
  const schedules = exportSchedules(temporal.client);
  const executions = exportExecutions(temporal.client);
  const setter = scheduleSetter({ stores, schedules, log });
  const ensureTemporal = () => ensureReachable(temporal.client);
  const engine: Engine = {
    ...composed,
    schedules,
    executions,
    setter,
    // Which rows an interval holds is not what is simulated: each holds none.
    sealer: { ...composed.sealer, sealPast: () => stores.batchExports.now() },
    events: { ...composed.events, measure: async () => ({ rows: 0, bytes: 0, parts: [] }) },
  };
  const { signal } = new AbortController();
  const refused: string[] = [];
  let weather: Weather = 'fine';

  /** As the workflow of a run does. */
  async function run(execution: SimulatedExecution): Promise<void> {
    const attempt = { workflowId: execution.workflowId, workflowRunId: execution.runId, signal };
    const input = { exportId: execution.exportId, end: new Date(execution.end).toISOString() };
    const prepared = await prepareRun(engine, attempt, input).catch((error: Error) => {
      refused.push(`${execution.workflowId}: ${error.message}`);
      execution.status = 'FAILED';
    });
    if (!prepared || (weather === 'silent' && !execution.cancelled)) return;
    if (weather === 'crashing') {
      execution.status = execution.end % 2 === 0 ? 'TERMINATED' : 'TIMED_OUT';
      return;
    }
    const ending: RunEnding = execution.cancelled
      ? { how: 'cancelled' }
      : ENDINGS[weather === 'silent' ? 'fine' : weather];
    const { status } = await finishRun(engine, attempt, { runId: prepared.runId, ending });
    execution.status = status === 'Completed' ? 'COMPLETED' : status === 'Cancelled' ? 'CANCELLED' : 'FAILED';
  }

  async function work(): Promise<void> {
    if (temporal.isAway()) return;
    for (const execution of temporal.running()) await run(execution);
  }

  async function pass(by: number): Promise<void> {
    await clock.set(clock.now() + by);
  }

  /** Dispatchers look until nothing changes any more. */
  async function dispatch(): Promise<void> {
    for (let idle = 0; temporal.dispatchers.size > 0 && idle < 3;) {
      let progressed = false;
      for (const exportId of temporal.dispatchers) {
        const round = await dispatchRequests(engine, { workflowId: '', workflowRunId: '', signal }, { exportId });
        progressed ||= round.progressed;
        if (round.open === 0) temporal.dispatchers.delete(exportId);
      }
      await work();
      // Longer than the schedule may take to start what it was asked for.
      await pass(progressed ? SECOND : 16 * SECOND);
      idle = progressed ? 0 : idle + 1;
    }
  }

  /** What the reconciler does each minute, without the partitions of events, which a simulated clock would make for years. */
  async function reconcile(): Promise<void> {
    for (const id of await stores.schedules.due(1)) await setter.verify(id);
    await closeLostRuns(engine, IDLE_SECONDS);
    await settleIntervals(engine, { workflowId: '', workflowRunId: '', signal });
    await fillGaps(engine);
    for (const id of await stores.requests.exportsWithOpen()) await executions.wakeDispatcher(id);
  }

  return {
    engine,
    projectId,
    clock,
    temporal,
    refused,
    batchExports: batchExports({
      stores,
      schedules: setter,
      executions,
      sealed,
      notifications,
      environment,
      ensureTemporal,
    }),
    backfills: backfills({ stores, pool, executions, limits, log, ensureTemporal }),
    runs: exportRuns({ stores, executions, limits, ensureTemporal }),
    setWeather(to: Weather): void {
      weather = to;
    },

    /** Lets time pass: schedules act at their times, workers work at once, the reconciler comes at the end. */
    async advance(by: number): Promise<void> {
      const [from, to] = [clock.now(), clock.now() + by];
      for (const { at, id } of temporal.due(from, to)) {
        await clock.set(Math.max(at + SECOND, clock.now()));
        temporal.act(id, at);
        await work();
      }
      await clock.set(Math.max(to, clock.now()));
      await this.settle();
    },

    /** One round of everybody who looks after something. */
    async settle(): Promise<void> {
      if (temporal.isAway()) return;
      await work();
      await dispatch();
      await pass(10 * SECOND);
      await reconcile();
      await dispatch();
    },

    async close(): Promise<void> {
      await Promise.all([composed.close(), setup.destroy()]);
      await database.drop();
      await rm(localRoot, { recursive: true, force: true });
    },
  };
}
