/** The real engine and its real stores on a simulated clock, with a simulated Temporal and simulated workers, whose destinations can fail. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { closeLostRuns } from '../../activities/runs/close-lost-runs.ts';
import { compareDeliveries, intervalsToCompare } from '../../activities/rounds/compare-deliveries.ts';
import { deleteSupersededFiles } from '../../activities/rounds/delete-superseded-files.ts';
import { dispatchRequests } from '../../activities/rounds/dispatch-requests.ts';
import type { Engine } from '../../activities/engine.ts';
import { fillGaps } from '../../activities/rounds/fill-gaps.ts';
import { settleIntervals } from '../../activities/rounds/settle-intervals.ts';
import { watchImports } from '../../activities/rounds/watch-imports.ts';
import { createKnex, createPool } from '../../src/platform/db/connection.ts';
import { createEngine } from '../../src/app/engine.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../src/events/ingest/ingest.ts';
import { createSealer } from '../../src/events/table/seal.ts';
import { createExportsRoom } from '../../src/exports/room.ts';
import { renewTimeline } from '../../src/exports/timeline/renew-timeline.ts';
import { scheduleSync } from '../../src/exports/schedules/schedule-sync.ts';
import { timelineGuard } from '../../src/exports/timeline/timeline-guard.ts';
import { generateKeyRing } from '../../src/platform/secrets/key-ring.ts';
import { ensureReachable } from '../../src/platform/temporal/connection.ts';
import { exportExecutions } from '../../src/exports/temporal/executions.ts';
import { exportSchedules } from '../../src/exports/temporal/schedules.ts';
import { timelineWitness } from '../../src/exports/temporal/witness.ts';
import {
  copyTestDatabase,
  createTestDatabase,
  restoreTestDatabase,
  type TestDatabase,
} from '../support/database/database.ts';
import { buildTenant } from '../support/api/identity.ts';
import { simulateClock } from './clock.ts';
import { hashDeliveredFiles, readDelivered } from './delivered.ts';
import { eventRowsOf, type StoredRow } from './rows.ts';
import { createSimulatedTemporal } from './simulated-temporal.ts';
import { createSimulatedWorker } from './simulated-worker.ts';

/** The reconciler looks at a run that nothing touched for so long. */
const IDLE_SECONDS = 5;
const SECOND = 1000;
/** A file system in memory, where there is one: thousands of files are made and synced. */
const MEMORY = '/dev/shm';

export type Installation = Awaited<ReturnType<typeof buildInstallation>>;

export async function buildInstallation() {
  const database = await createTestDatabase();
  const { url } = database;
  const setup = createKnex({ url, applicationName: 'test-simulation' });
  const clock = await simulateClock(setup, path.basename(new URL(url).pathname));
  const localRoot = await mkdtemp(path.join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'sluice-test-simulation-'));
  const log = pino({ level: 'silent' });
  const temporal = createSimulatedTemporal();
  const composed = createEngine({
    databaseUrl: url,
    temporal: { address: '127.0.0.1:1', namespace: 'simulated' },
    encryptionKeys: generateKeyRing(),
    environment: { localRoot, allowedHosts: [] },
    partsAtOnce: 1,
    limits: { runsPerProject: 40, backfillsPerProject: 1000 },
    log,
    step: (step) => worker.onStep(step),
  });
  const { stores, pool } = composed;
  const schedules = exportSchedules(temporal.client);
  const executions = exportExecutions(temporal.client);
  const setter = scheduleSync({ stores, schedules, log });
  const witness = timelineWitness(temporal.client);
  /** A worker that starts asks the witness before it does anything else. */
  const startGuard = () => timelineGuard({ stores, witness, log });
  const engine: Engine = {
    ...composed,
    schedules,
    executions,
    scheduleSync: setter,
    timeline: startGuard(),
    sealer: createSealer(pool, { clock: () => new Date(clock.now()) }),
  };
  const ensureTemporal = () => ensureReachable(temporal.client);
  const { notifications } = composed;
  const exports = createExportsRoom({ ...engine, databaseUrl: url, notifications, ensureTemporal }).collaborators;
  const { signal } = new AbortController();
  const worker = createSimulatedWorker(engine, clock);
  const writers = createPool({ url, applicationName: 'test-ingest', maxConnections: 2, ...INGEST_TIMEOUTS });
  const ingest = createIngest(writers);
  let projectId = 0;
  let copy: TestDatabase | undefined;

  async function work(): Promise<void> {
    if (temporal.isAway()) return;
    for (const execution of temporal.running()) await worker.work(execution);
  }

  async function pass(by: number): Promise<void> {
    await clock.set(clock.now() + by);
  }

  const attempt = { workflowId: '', workflowRunId: '', number: 1, signal, nextTryInSeconds: () => undefined };

  /** Dispatchers look until nothing changes any more. */
  async function dispatch(): Promise<void> {
    for (let idle = 0; temporal.dispatchers.size > 0 && idle < 3;) {
      let progressed = false;
      for (const exportId of temporal.dispatchers) {
        const round = await dispatchRequests(engine, attempt, { exportId });
        progressed ||= round.progressed;
        if (round.open === 0) temporal.dispatchers.delete(exportId);
      }
      await work();
      // Longer than the schedule may take to start what it was asked for.
      await pass(progressed ? SECOND : 16 * SECOND);
      idle = progressed ? 0 : idle + 1;
    }
  }

  /** The reconciler's work of a minute, without the partitions of events, which a simulated clock would make for years. */
  async function reconcile(): Promise<void> {
    await engine.timeline.check();
    for (const id of await stores.schedules.listExportsToVerify(1)) await setter.verify(id);
    await closeLostRuns(engine, IDLE_SECONDS, signal);
    if ((await engine.timeline.blockReason()) !== undefined) return;
    await fillGaps(engine, signal);
    await watchImports(engine, signal);
    await settleIntervals(engine, { signal });
    await deleteSupersededFiles(engine, signal);
    await stores.places.forgetUnused();
    for (const id of await stores.runRequests.listExportsWithOpenRequests()) await executions.wakeDispatcher(id);
  }

  return {
    engine,
    get projectId() {
      return projectId;
    },
    clock,
    temporal,
    worker,

    /** A new project, whose clock may be behind that of the last one. */
    async begin(at: number): Promise<void> {
      temporal.forget();
      await worker.forget();
      await clock.set(at);
      await setup.raw(`update seal set sealing_until = '-infinity', sealed_until = '-infinity'`);
      await setup.raw('delete from timeline');
      await setup.raw('insert into timeline default values');
      engine.timeline = startGuard();
      ({ projectId } = await buildTenant(setup));
    },

    /** Stores events as capture does, now. */
    async store(rows: readonly StoredRow[], { historical }: { historical: boolean }): Promise<void> {
      const refused = await ingest.store(projectId, [eventRowsOf(rows, { projectId, historical })]);
      assert.deepEqual(refused, [[]]);
    },

    /** The deliveries that readers find below the project's folder. */
    delivered: () => readDelivered(localRoot, projectId),

    /** The hash of all delivered files, for comparing what is there at two times. */
    hashOfDeliveries: () => hashDeliveredFiles(localRoot, projectId),

    /** Keeps the database as it is now, for `restore`. */
    async backUp(): Promise<void> {
      await copy?.drop();
      copy = await copyTestDatabase(url);
    },

    /**
     * Makes the database what it was at the last `backUp`; Temporal, files and time stay as they are.
     * @param restarts the worker begins anew, and asks the witness; otherwise the reconciler's next round does
     */
    async restore(restarts: boolean): Promise<void> {
      await clock.keepDuring(() => restoreTestDatabase(url, copy!));
      worker.restart();
      if (restarts) engine.timeline = startGuard();
    },

    /** As `sluice recover`. */
    async recover(): Promise<void> {
      let above = 0;
      for (const id of await stores.freshness.listIds()) {
        const one = await stores.batchExports.find(id);
        if (!one) continue;
        const intervals = await intervalsToCompare(engine, one, null, signal);
        assert.ok(!('reason' in intervals));
        for await (const compared of compareDeliveries(engine, one, intervals, signal)) {
          assert.ok('end' in compared);
          const { present, difference } = compared;
          above = Math.max(above, present?.receipt.epoch ?? 0);
          if (difference === 'foreign') await stores.foreignDeliveries.recordFound(compared, present!.receipt);
        }
      }
      await renewTimeline(stores, witness, above);
    },

    foreignDeliveries: exports.foreignDeliveries,

    /** The status of each run that the database knows, which takes its plan. */
    async knownRuns(): Promise<Map<string, string>> {
      const { rows } = await pool.query<{ id: string; status: string }>(
        'select id, status from batch_export_runs where project_id = $1 and plan is not null',
        [projectId],
      );
      return new Map(rows.map(({ id, status }) => [id, status]));
    },

    /** Keys of uploads, and of files to be deleted later, that are on record. */
    async recordedKeys(): Promise<string[]> {
      const { rows } = await pool.query<{ key: string }>(
        `select artifact ->> 'key' as key from batch_export_artifacts union select key from superseded_files`,
      );
      return rows.map(({ key }) => key);
    },

    batchExports: exports.batchExports,
    backfills: exports.backfills,
    runs: exports.runs,
    /**
     * Lets time pass: schedules act at their times, workers work at once, the reconciler comes at the end.
     * @param arrivals what else happens at certain times
     */
    async advance(by: number, arrivals: readonly { at: number; happen(): Promise<void> }[] = []): Promise<void> {
      const [from, to] = [clock.now(), clock.now() + by];
      const actions = temporal.due(from, to).map(({ at, id }) => ({
        at: at + SECOND,
        async happen() {
          temporal.act(id, at);
          await work();
        },
      }));
      for (const { at, happen } of [...actions, ...arrivals].sort((a, b) => a.at - b.at)) {
        await clock.set(Math.max(at, clock.now()));
        await happen();
      }
      await clock.set(Math.max(to, clock.now()));
      await this.settle();
    },

    /** Lets workers, dispatchers and the reconciler do one round of their work. */
    async settle(): Promise<void> {
      if (temporal.isAway()) return;
      await work();
      await dispatch();
      await pass(10 * SECOND);
      await reconcile();
      await dispatch();
    },

    async close(): Promise<void> {
      await Promise.all([composed.close(), writers.end(), setup.destroy()]);
      await copy?.drop();
      await database.drop();
      await rm(localRoot, { recursive: true, force: true });
    },
  };
}
