/** Rows of exports in a database of their own, without an engine: for tests of stores. */
import { randomUUID } from 'node:crypto';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import type { DataInterval } from '../../../src/exports/domain/intervals.ts';
import type { NewRun, Run } from '../../../src/exports/runs/runs.store.ts';
import { exportStores, type ExportStores } from '../../../src/exports/stores.ts';
import { createTestDatabase } from './database.ts';
import { buildTenant } from '../api/identity.ts';

export type ExportRows = {
  /** URL of the database. */
  url: string;
  db: Knex;
  stores: ExportStores;
  projectId: number;
  buildExport(overrides?: Partial<BatchExport>): Promise<BatchExport>;
  /** Inserts a run that has just begun. */
  buildRun(batchExport: BatchExport, interval: DataInterval, overrides?: Partial<NewRun>): Promise<Run>;
  close(): Promise<void>;
};

export async function createExportRows(): Promise<ExportRows> {
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const { projectId } = await buildTenant(db);
  const stores = exportStores(db);
  return {
    url: database.url,
    db,
    stores,
    projectId,
    buildExport: async (overrides = {}) =>
      stores.batchExports.insert({
        id: randomUUID(),
        projectId,
        name: 'test',
        model: 'events',
        destinationType: 'LocalFile',
        destinationConfig: {},
        destinationSecrets: null,
        keySpace: randomUUID(),
        interval: 'hour',
        timezone: 'UTC',
        offsetDay: 0,
        offsetHour: 0,
        jitterSeconds: 0,
        integration: null,
        paused: true,
        lastPausedAt: null,
        freshnessTargetSeconds: null,
        redeliverStale: false,
        notifications: null,
        notificationSecret: null,
        startAt: null,
        endAt: null,
        ...overrides,
      }),
    buildRun: async (batchExport, { start, end }, overrides = {}) =>
      stores.runs.open({
        projectId,
        batchExportId: batchExport.id,
        start: isoMicros(start),
        end: isoMicros(end),
        kind: 'scheduled',
        workflowId: randomUUID(),
        workflowRunId: randomUUID(),
        createdAt: await stores.batchExports.now(),
        ...overrides,
      }),
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}
