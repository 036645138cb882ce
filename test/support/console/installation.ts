/** A whole installation behind the console: the API on a port, a worker that delivers, and a project whose user is logged in. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../api/identity.ts';
import { createTestDatabase } from '../database/database.ts';
import { buildExportWorld, type ExportWorld } from '../exports/export-world.ts';
import { startSluice, type Sluice } from '../servers/sluice.ts';
import { startWorkerProcess } from '../servers/worker-process.ts';
import { createKnex } from '../../../src/platform/db/connection.ts';
import { ensureConsoleIsBuilt, visit, type BrowserVisit } from './visitor.ts';

/** An address without a server: pages only link to it. */
export const TEMPORAL_UI_URL = 'https://temporal.example';

export type ConsoleInstallation = {
  sluice: Sluice;
  world: ExportWorld;
  tenant: Tenant;
  /** A browser of the project's user. */
  visit(options?: Parameters<typeof visit>[1]): Promise<BrowserVisit>;
  /** Sends the request that a page would send, to set up a test. */
  request<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  close(): Promise<void>;
};

/** @param hasOwnProcess whether the worker runs in a process of its own, as in production; that takes some seconds to start */
export async function buildConsoleInstallation({ hasOwnProcess = false } = {}): Promise<ConsoleInstallation> {
  await ensureConsoleIsBuilt();
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const tenant = await buildTenant(db, { name: 'Coffee' });
  await db('users').where({ id: tenant.userId }).update({ first_name: 'Ada' });
  await db.destroy();
  const localRoot = await mkdtemp(path.join(tmpdir(), 'sluice-test-console-'));
  const encryptionKeys = generateKeyRing();
  const world = await buildExportWorld('silent', {
    encryptsPayloads: false,
    installed: { database, localRoot, encryptionKeys, projectId: tenant.projectId },
  });
  const { address, namespace } = world.options.temporal;
  const sluice = await startSluice({
    // The export world drops the database.
    database: { ...database, drop: async () => {} },
    temporal: { address, namespace },
    localRoot,
    allowedHosts: ['127.0.0.1', 'localhost'],
    encryptionKeys,
    backfillsPerProject: 1000,
    temporalUiUrl: TEMPORAL_UI_URL,
  });
  const worker = hasOwnProcess
    ? startWorkerProcess({
        DATABASE_URL: database.url,
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        SLUICE_ENCRYPTION_KEYS: encryptionKeys,
        EXPORT_LOCAL_ROOT: localRoot,
      })
    : undefined;
  if (!worker) await world.startWorker();
  const key = await buildPersonalKey(sluice.db, tenant, '*');
  return {
    sluice,
    world,
    tenant,
    visit: (options = {}) => visit(sluice, { userId: tenant.userId, ...options }),
    async request<Answer>(method: string, path: string, body?: unknown) {
      const answer = await fetch(`${sluice.url}/api/environments/${tenant.projectId}${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    },
    async close() {
      await sluice.stop();
      await worker?.stop();
      await world.close();
    },
  };
}
