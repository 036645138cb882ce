/** The engine, a worker and Temporal as they are, with the real clock; Temporal can be away. */
import { createPool, createKnex } from '../../src/platform/db/connection.ts';
import { DestinationRejected } from '../../src/platform/errors.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../src/events/ingest/ingest.ts';
import { exportRuns } from '../../src/exports/runs/runs.ts';
import { ensureReachable } from '../../src/platform/temporal/connection.ts';
import { buildExportWorld, eventually } from '../support/exports/export-world.ts';
import { buildTenant } from '../support/api/identity.ts';
import { startStallingProxy } from '../support/servers/stalling-proxy.ts';
import { testTemporal } from '../support/servers/temporal.ts';
import { readDelivered } from './delivered.ts';
import { eventRowsOf, type StoredRow } from './rows.ts';

/** A run takes a moment, so that some are under way when they are cancelled. */
const RUN_MILLIS = 50;

export type RealInstallation = Awaited<ReturnType<typeof buildRealInstallation>>;

export async function buildRealInstallation() {
  const { address } = await testTemporal();
  const temporal = await startStallingProxy(`http://${address}`);
  const world = await buildExportWorld('silent', { temporal: new URL(temporal.origin).host });
  const { engine, options } = world;
  const url = options.databaseUrl;
  const db = createKnex({ url, applicationName: 'test' });
  const writers = createPool({ url, applicationName: 'test-ingest', maxConnections: 2, ...INGEST_TIMEOUTS });
  const ingest = createIngest(writers);
  const ensureTemporal = () => ensureReachable(engine.temporal.client);
  const { stores, executions, limits } = engine;
  /** Ids of exports whose destination says no. */
  const rejecting = new Set<string>();
  let onPlanned: ((runId: string) => void) | undefined;
  let rounds = 0;

  world.onStep = async ({ name, exportId, runId }) => {
    if (name === 'after-plan') onPlanned?.(runId);
    if (name !== 'before-committing') return;
    await new Promise((resolve) => setTimeout(resolve, RUN_MILLIS));
    if (rejecting.has(exportId)) throw new DestinationRejected('The destination says no.');
  };
  await world.startWorker();

  return {
    engine,
    batchExports: world.batchExports,
    backfills: world.backfills,
    runs: exportRuns({ stores, executions, limits, ensureTemporal }),
    rejecting,
    buildProject: async () => (await buildTenant(db)).projectId,

    whenPlanned(call: (runId: string) => void): void {
      onPlanned = call;
    },

    async store(projectId: number, rows: readonly StoredRow[], historical: boolean): Promise<void> {
      await ingest.store(projectId, [eventRowsOf(rows, { projectId, historical })]);
    },

    /** Temporal is out of reach while `meanwhile` happens. */
    async withoutTemporal(meanwhile: () => Promise<void>): Promise<void> {
      temporal.refuse();
      try {
        await meanwhile();
      } finally {
        temporal.resume();
        await eventually('Temporal to answer', async () =>
          ensureTemporal().then(
            () => true,
            () => false,
          ),
        );
      }
    },

    async reconcile(): Promise<void> {
      await engine.temporal.client.workflow.execute('reconcile', {
        workflowId: `reconcile-${process.pid}-${++rounds}`,
        taskQueue: 'sluice-control',
      });
    },

    /** The deliveries that readers find below the project's folder. */
    delivered: (projectId: number) => readDelivered(options.environment.localRoot!, projectId),

    /** Keys of uploads, and of files to be deleted later, that are on record. */
    async recordedKeys(): Promise<string[]> {
      const { rows } = await engine.pool.query<{ key: string }>(
        `select artifact ->> 'key' as key from batch_export_artifacts union select key from superseded_files`,
      );
      return rows.map(({ key }) => key);
    },

    async close(): Promise<void> {
      await Promise.all([writers.end(), db.destroy()]);
      await world.close();
      temporal.close();
    },
  };
}
