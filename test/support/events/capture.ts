/** Capture on a real port over a real database. */
import { createCapture, type Capture, type CaptureOptions } from '../../../src/events/capture/capture.ts';
import { GROUPS_IN_FLIGHT } from '../../../src/events/capture/group-commit.ts';
import { createSalts, type SaltsOptions } from '../../../src/events/cookieless/salts.ts';
import { saltStore } from '../../../src/events/cookieless/salts.store.ts';
import { createKnex, createPool, type Knex, type Pool } from '../../../src/platform/db/connection.ts';
import { INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { asRawHandler } from '../../../src/platform/http/raw-answers.ts';
import { startHttpServer } from '../../../src/platform/http/server.ts';
import { createGatekeeper } from '../../../src/people/access/gatekeeper.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createProjectLookup } from '../../../src/people/projects/project-tokens.ts';
import { projectStore } from '../../../src/people/projects/projects.store.ts';
import { createWarningWriter } from '../../../src/events/warnings/warning-writer.ts';
import { warningStore, type WarningSummary } from '../../../src/events/warnings/warnings.store.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { createClientAddress } from '../../../src/platform/wire/client-address.ts';
import type { Locate } from '../../../src/platform/wire/geoip.ts';
import { createTestDatabase, type TestDatabase } from '../database/database.ts';
import { buildTenant, type Tenant } from '../api/identity.ts';

export type CaptureServer = {
  url: string;
  port: number;
  capture: Capture;
  db: Knex;
  /** Pool for reading what was stored. */
  pool: Pool;
  /** The ingestion warnings of a project. */
  warnings(projectId: number): Promise<WarningSummary[]>;
  /** All logged lines, as one text. */
  logged(): string;
  stop(): Promise<void>;
};

type Options = Partial<Pick<CaptureOptions, 'eventsPerSecond'>> & {
  locate?: Locate;
  trustedProxies?: string[];
  /** Timing of visitors' salts. */
  salts?: Pick<SaltsOptions, 'rereadAfterMs' | 'forgetEveryMs'>;
};

/** @param options `eventsPerSecond`: unlimited by default */
export async function startCapture(
  databaseUrl: string,
  { eventsPerSecond = { project: 1e9, key: 1e9 }, locate, trustedProxies = [], salts: saltOptions }: Options = {},
): Promise<CaptureServer> {
  const lines: string[] = [];
  const log = createLogger({ LOG_LEVEL: 'debug' }, 'test', { write: (line) => lines.push(line) });
  const db = createKnex({ url: databaseUrl, applicationName: 'test' });
  const pool = createPool({ url: databaseUrl, applicationName: 'test' });
  const ingestPool = createPool({
    url: databaseUrl,
    applicationName: 'test-capture',
    maxConnections: GROUPS_IN_FLIGHT,
    ...INGEST_TIMEOUTS,
  });
  const projects = projectStore(db);
  const store = warningStore(db);
  const warnings = createWarningWriter({ store, log });
  const salts = createSalts({ store: saltStore(db), log, ...saltOptions });
  const capture = createCapture({
    pool: ingestPool,
    projectByToken: createProjectLookup(projects),
    gatekeeper: createGatekeeper(identityStores(db)),
    clientAddress: createClientAddress(trustedProxies),
    locate,
    salts,
    eventsPerSecond,
    warn: warnings.note,
    log,
  });
  const handle = asRawHandler(capture.handle);
  const server = await startHttpServer(
    {
      async listener(request, response) {
        if (!handle(request, response)) response.writeHead(418).end();
      },
      lane: capture.handle,
    },
    { host: '127.0.0.1', port: 0 },
  );
  return {
    url: server.url,
    port: server.port,
    capture,
    db,
    pool,
    async warnings(projectId) {
      await warnings.drain();
      return store.list(projectId, {});
    },
    logged: () => lines.join(''),
    async stop() {
      await server.stop(0);
      await capture.drain();
      await warnings.drain();
      await salts.close();
      await Promise.all([db.destroy(), pool.end(), ingestPool.end()]);
    },
  };
}

export type CaptureAnswer = { status: number; headers: Headers; body: Record<string, unknown> };

/** @param body sent as JSON, unless it is a string or bytes already */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<CaptureAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: raw ? (body as string) : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

export type CaptureWorld = {
  database: TestDatabase;
  server: CaptureServer;
  tenant: Tenant;
};

export type CaptureWorldOptions = {
  /** Options of the server. */
  server?: Options;
  /** Settings of the tenant. With `anonymizeIps`, the sender's address is not added to events. */
  tenant?: Parameters<typeof buildTenant>[1];
  /** Whether each test gets a new tenant; otherwise all share one. */
  tenantEach?: boolean;
  /** Whether each test begins without events. */
  emptied?: boolean;
};

/**
 * Hooks of a suite: capture over a database of its own.
 * @returns the world of the tests, which the first hook fills
 */
export function useCapture(options: CaptureWorldOptions = {}): Readonly<CaptureWorld> {
  // Filled before the first test.
  const world = {} as CaptureWorld;
  const makeTenant = async () => void (world.tenant = await buildTenant(world.server.db, options.tenant));

  before(async () => {
    world.database = await createTestDatabase();
    world.server = await startCapture(world.database.url, options.server);
    if (!options.tenantEach) await makeTenant();
  });
  after(async () => {
    await world.server.stop();
    await world.database.drop();
  });
  if (options.tenantEach) beforeEach(makeTenant);
  if (options.emptied) beforeEach(() => world.server.pool.query('truncate events, event_ids'));
  return world;
}
