/** A whole installation for a test file: a database, a Temporal namespace, an engine, a worker, and a project to export from. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import pino from 'pino';
import type { Step } from '../../../activities/engine.ts';
import { createActivities } from '../../../activities/index.ts';
import { createKnex, createPool } from '../../../src/platform/db/connection.ts';
import { createEngine, type ComposedEngine, type EngineOptions } from '../../../src/app/engine.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import type { Backfills } from '../../../src/exports/backfills/backfills.ts';
import type { BatchExports, NewExport } from '../../../src/exports/batch-exports/batch-exports.ts';
import { createExportsRoom } from '../../../src/exports/room.ts';
import { isLive } from '../../../src/exports/domain/statuses.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import type { Traces } from '../../../src/platform/telemetry/traces.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { ensureNamespace } from '../../../src/platform/temporal/namespace.ts';
import { payloadCodec } from '../../../src/platform/temporal/payload-codec.ts';
import { startExportWorker, type ExportWorker } from '../../../src/exports/temporal/worker.ts';
import type { NewEvent } from '../../../src/events/ingest/event-rows.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { buildRows } from '../events/events.ts';
import { buildTenant } from '../api/identity.ts';
import { testTemporal } from '../servers/temporal.ts';

export type ExportWorld = {
  engine: ComposedEngine;
  options: EngineOptions;
  projectId: number;
  /** Folder of the project's LocalFile exports. */
  folder: string;
  batchExports: BatchExports;
  backfills: Backfills;
  /** Called at every step of every run; a test may replace it. */
  onStep: (step: Step) => Promise<void>;
  startWorker(): Promise<ExportWorker>;
  store(events: readonly NewEvent[], placed?: { historical: boolean }): Promise<void>;
  close(): Promise<void>;
};

const PARTS_AT_ONCE = 4;
const MORE_PATIENCE_MS = 55_000;
const READS = [
  'describeSchedule',
  'describeWorkflowExecution',
  'getWorkflowExecutionHistory',
  'listSchedules',
  'listWorkflowExecutions',
];
const TRIES = 3;
/** Calls that wait for a worker. Their deadline is short, because not every test has a worker. */
const UPDATES = ['updateWorkflowExecution', 'pollWorkflowExecutionUpdate'];
const WITHOUT_WORKER_MS = 5_000;
/** gRPC's DEADLINE_EXCEEDED and UNAVAILABLE: Temporal was too busy for the call. */
const TOO_BUSY = new Set([4, 14]);

/** An existing installation: its database, its keys, and the project to export from; `namespace`: also its Temporal namespace. */
export type Installation = {
  database: TestDatabase;
  localRoot: string;
  encryptionKeys: string;
  projectId: number;
  namespace?: string;
};

type WorldOptions = {
  /** False: histories are readable without a key. */
  encryptsPayloads?: boolean;
  /** Used instead of a new installation. */
  installed?: Installation;
  /** Address of a Temporal server other than the shared one. */
  temporal?: string;
  /** Absent: traces are off. The caller closes them. */
  traces?: Traces;
};

/** Variables of a command beside a world, which reach the same database, Temporal and files. */
export const environmentOf = ({ options }: Pick<ExportWorld, 'options'>) => ({
  DATABASE_URL: options.databaseUrl,
  TEMPORAL_ADDRESS: options.temporal.address,
  TEMPORAL_NAMESPACE: options.temporal.namespace,
  SLUICE_ENCRYPTION_KEYS: options.encryptionKeys,
  EXPORT_LOCAL_ROOT: options.environment.localRoot,
});

/** @param level of the engine's log; use `debug` to investigate a failure */
export async function buildExportWorld(
  level = 'silent',
  { encryptsPayloads = true, installed, temporal, traces }: WorldOptions = {},
): Promise<ExportWorld> {
  const database = installed?.database ?? (await createTestDatabase());
  const address = temporal ?? (await testTemporal()).address;
  const localRoot = installed?.localRoot ?? (await mkdtemp(path.join(tmpdir(), 'sluice-test-exports-')));
  const log = pino({ level });
  const encryptionKeys = installed?.encryptionKeys ?? generateKeyRing();
  const options: EngineOptions = {
    databaseUrl: database.url,
    temporal: {
      address,
      namespace: installed?.namespace ?? `test-${randomBytes(4).toString('hex')}`,
      codec: encryptsPayloads ? payloadCodec(createKeyRing(encryptionKeys)) : undefined,
    },
    encryptionKeys,
    environment: { localRoot, allowedHosts: ['127.0.0.1', 'localhost'] },
    assumesRoles: true,
    partsAtOnce: PARTS_AT_ONCE,
    limits: { runsPerProject: 40, backfillsPerProject: 1000 },
    traces,
    log,
    step: (step) => world.onStep(step),
  };
  const engine = createEngine(options);
  extendDeadlinesAndRetryReads(engine.temporal.client);
  await ensureNamespace(engine.temporal.client);
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const { projectId } = installed ?? (await buildTenant(db));
  const writers = createPool({ url: database.url, applicationName: 'test-ingest', ...INGEST_TIMEOUTS });
  const ingest = createIngest(writers);
  const { collaborators } = createExportsRoom(engine);
  const workers: ExportWorker[] = [];

  const world: ExportWorld = {
    engine,
    options,
    projectId,
    folder: path.join(localRoot, String(projectId)),
    batchExports: collaborators.batchExports,
    backfills: collaborators.backfills,
    onStep: async () => {},
    async startWorker() {
      const worker = await startExportWorker({
        activities: createActivities(engine),
        log,
        temporal: options.temporal,
        partsAtOnce: PARTS_AT_ONCE,
        traces,
      });
      workers.push(worker);
      return worker;
    },
    async store(events, { historical } = { historical: true }) {
      await ingest.store(projectId, [buildRows(events, { projectId, historical })]);
    },
    async close() {
      for (const worker of workers) worker.shutdown();
      await Promise.all(workers.map(({ stopped }) => stopped));
      await Promise.all([engine.close(), writers.end(), db.destroy()]);
      await database.drop();
      await rm(localRoot, { recursive: true, force: true });
    },
  };
  return world;
}

/** Extends deadlines and retries reads: on a busy machine, calls to Temporal may exceed the API's time limit. */
function extendDeadlinesAndRetryReads(client: Client): void {
  const withDeadline = client.withDeadline.bind(client);
  client.withDeadline = (deadline, call) => withDeadline(Number(deadline) + MORE_PATIENCE_MS, call);
  const service = client.workflowService as unknown as Record<string, (request: unknown) => Promise<unknown>>;
  for (const name of UPDATES) {
    const call = service[name]!.bind(service);
    service[name] = (request) => withDeadline(Date.now() + WITHOUT_WORKER_MS, () => call(request));
  }
  for (const name of READS) {
    const call = service[name]!.bind(service);
    service[name] = async (request) => {
      for (let left = TRIES; ; left -= 1) {
        try {
          return await call(request);
        } catch (error) {
          if (!isTooBusy(error) || left === 1) throw error;
        }
      }
    };
  }
}

/** An hourly export to files that is not paused. */
export function buildExport(overrides: Partial<NewExport> = {}): NewExport {
  return {
    name: 'test',
    model: 'events',
    destination: { type: 'LocalFile', config: { directory: randomBytes(4).toString('hex') } },
    interval: 'hour',
    paused: false,
    startAt: null,
    endAt: null,
    ...overrides,
  };
}

/**
 * Waits until the function returns something, and calls it again when Temporal is too busy.
 * @throws Error after the time limit, naming what was awaited
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  seconds = 150,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await look().catch((error: unknown) => {
      if (!isTooBusy(error)) throw error;
    });
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain for ${what}`);
    await sleep(100);
  }
}

function isTooBusy(error: unknown): boolean {
  if (error instanceof Unavailable) return true;
  for (let at = error; at instanceof Error; at = at.cause)
    if (TOO_BUSY.has((at as { code?: number }).code ?? 0)) return true;
  return false;
}

/** Waits until the backfill has ended. @returns all runs of the export, oldest interval first */
export async function runsAfterBackfill(
  world: ExportWorld,
  exportId: string,
  backfillId: string,
  seconds = 150,
): Promise<Run[]> {
  const { backfills, runs } = world.engine.stores;
  await eventually(
    'the backfill to end',
    async () => !isLive((await backfills.get(world.projectId, exportId, backfillId)).status),
    seconds,
  );
  const listed = await runs.list(world.projectId, exportId, { limit: 1000 });
  const all = await Promise.all(listed.map(({ id }) => runs.getById(id)));
  return all.sort((a, b) => a.end.localeCompare(b.end) || a.createdAt.localeCompare(b.createdAt));
}
