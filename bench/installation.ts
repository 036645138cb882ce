/** A whole Sluice on new servers, as `sluice up` runs them, for the benchmarks of runs and of workers. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { createKnex } from '../src/platform/db/connection.ts';
import { startEmbeddedPostgres } from '../src/platform/db/embedded-postgres.ts';
import { createEngine, type ComposedEngine, type EngineOptions } from '../src/app/engine.ts';
import type { Backfills } from '../src/exports/backfills/backfills.ts';
import type { BatchExports } from '../src/exports/batch-exports/batch-exports.ts';
import { createExportsRoom } from '../src/exports/room.ts';
import { seedDemo } from '../src/people/demo.store.ts';
import { prepareDatabase } from '../src/app/prepare-database.ts';
import { createKeyRing, generateKeyRing } from '../src/platform/secrets/key-ring.ts';
import { startTemporalDevServer } from '../src/platform/temporal/dev-server.ts';
import { payloadCodec } from '../src/platform/temporal/payload-codec.ts';

export type Installation = {
  engine: ComposedEngine;
  options: EngineOptions;
  projectId: number;
  batchExports: BatchExports;
  backfills: Backfills;
  /** Files of exports, and whatever the benchmark leaves. */
  directory: string;
  close(): Promise<void>;
};

const NAMESPACE = 'sluice';
/** The server is a child process of the benchmark, and so always reachable. */
const reachable = async () => {};
const PARTS_AT_ONCE = 4;

/** Starts servers whose state is on disk, as users' is. */
export async function startInstallation({ allowedHosts = [] as string[] } = {}): Promise<Installation> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root, Postgres runs as another user. If that user cannot enter this folder, the cluster is kept elsewhere, and never removed.
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres'), port: 0, durable: true });
  const temporal = await startTemporalDevServer({
    directory: path.join(directory, 'temporal'),
    port: 0,
    uiPort: 0,
    namespace: NAMESPACE,
    persistent: true,
  });
  await prepareDatabase(postgres.url);
  const encryptionKeys = generateKeyRing();
  const options: EngineOptions = {
    databaseUrl: postgres.url,
    temporal: { address: temporal.address, namespace: NAMESPACE, codec: payloadCodec(createKeyRing(encryptionKeys)) },
    encryptionKeys,
    environment: { localRoot: path.join(directory, 'exports'), allowedHosts },
    partsAtOnce: PARTS_AT_ONCE,
    limits: { runsPerProject: 40, backfillsPerProject: 10 },
    log: pino({ level: 'warn' }, pino.destination(2)),
  };
  const engine = createEngine(options);
  const { collaborators } = createExportsRoom({ ...engine, ensureTemporal: reachable });
  return {
    engine,
    options,
    projectId: await demoProject(postgres.url),
    batchExports: collaborators.batchExports,
    backfills: collaborators.backfills,
    directory,
    async close() {
      await engine.close();
      await Promise.all([temporal.stop('immediate'), postgres.stop('immediate')]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function demoProject(url: string): Promise<number> {
  const db = createKnex({ url, applicationName: 'sluice-bench', maxConnections: 1 });
  try {
    return (await seedDemo(db)).projectId;
  } finally {
    await db.destroy();
  }
}
