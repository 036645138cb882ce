/** An API in a process of its own, a project with flags of every kind, and how long one request holds it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKnex, type Knex } from '../../src/platform/db/connection.ts';
import { ALL_SCOPES } from '../../src/people/access/scopes.ts';
import { startApiProcess } from '../support/servers/api-process.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { buildFlag } from '../support/database/flag-rows.ts';
import { buildPersonalKey, buildTenant, type Tenant } from '../support/api/identity.ts';
import type { Probed } from './probe.ts';

export type HostileRequest = {
  what: string;
  /** POST unless it says otherwise. */
  method?: string;
  path: string;
  /** Made when it is needed: together they are hundreds of megabytes. */
  body?: () => string | Uint8Array;
  headers?: Record<string, string>;
};

/**
 * The effect of one request on the process that answered it.
 * @property cpuMs of the main thread, in the longest stretch in which nothing else was answered
 * @property livezMs the longest that `/_livez` was waited for meanwhile, which other processes of the machine make longer
 * @property allCpuMs of all threads
 * @property tookMs until it was answered
 */
export type Held = {
  what: string;
  bytes: number;
  status: number;
  cpuMs: number;
  livezMs: number;
  allCpuMs: number;
  tookMs: number;
};

export type HostileWorld = {
  url: string;
  db: Knex;
  tenant: Tenant;
  /** A member's, with all scopes. */
  key: string;
  /** @returns status and body */
  ask(request: HostileRequest): Promise<{ status: number; text: string }>;
  measure(request: HostileRequest): Promise<Held>;
  /** The least of several tries: what only one of them took (garbage of others, compiling) is not the request's. */
  measureLeast(request: HostileRequest, goodMs: number): Promise<Held>;
  end(): Promise<void>;
};

const PROBE = new URL('probe.ts', import.meta.url).href;
const TRIES = 3;
const LONGEST_MS = 120_000;
/** The loop must have gone around once more before the probe has seen what was last. */
const SETTLE_MS = 10;
const LIVENESS_EVERY_MS = 10;

export async function startHostileWorld(): Promise<HostileWorld> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-hostile-'));
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test', maxConnections: 2 });
  const tenant = await buildTenant(db);
  const key = await buildPersonalKey(db, tenant, ALL_SCOPES);
  await buildFlags(db, tenant.projectId);
  const portFile = path.join(folder, 'port');
  const environment = {
    NODE_OPTIONS: `--import=${PROBE}`,
    HOSTILE_PROBE_FILE: portFile,
    FLAGS_PROJECT_REQUESTS_PER_SECOND: '100000',
    CAPTURE_PROJECT_EVENTS_PER_SECOND: '10000000',
  };
  const api = await startApiProcess({ databaseUrl: database.url, environment });
  const probePort = Number(await readFile(portFile, 'utf8'));

  async function probed(): Promise<Probed> {
    const { text } = await send(probePort, { method: 'GET', path: '/' }, undefined);
    return JSON.parse(text) as Probed;
  }

  async function answerTo(request: HostileRequest, body = request.body?.()) {
    const startedAt = performance.now();
    const answer = await send(api.port, request, body).catch(() => ({ status: 0, text: '' }));
    const bytes = body === undefined ? request.path.length : Buffer.byteLength(body);
    return { ...answer, bytes, tookMs: performance.now() - startedAt };
  }

  async function measure(request: HostileRequest): Promise<Held> {
    const body = request.body?.();
    await probed();
    const liveness = watchLiveness(api.port);
    const { status, bytes, tookMs } = await answerTo(request, body);
    await sleep(SETTLE_MS);
    const livezMs = await liveness.longestMs();
    const { cpuMs, allCpuMs } = await probed();
    return { what: request.what, bytes, status, cpuMs, livezMs, allCpuMs, tookMs };
  }

  return {
    url: api.url,
    db,
    tenant,
    key,
    ask: (request) => answerTo(request),
    measure,
    async measureLeast(request, goodMs) {
      let least = await measure(request);
      for (let tries = 1; tries < TRIES && least.cpuMs > goodMs; tries++) {
        const next = await measure(request);
        if (next.cpuMs < least.cpuMs) least = next;
      }
      return least;
    },
    async end() {
      await api.end('SIGKILL');
      await db.destroy();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Asks `/_livez` again and again until it is asked how long the longest answer took. */
function watchLiveness(port: number): { longestMs(): Promise<number> } {
  let longestMs = 0;
  const over = new AbortController();
  const watched = (async () => {
    while (!over.signal.aborted) {
      const askedAt = performance.now();
      await send(port, { method: 'GET', path: '/_livez/' }, undefined).catch(() => {});
      longestMs = Math.max(longestMs, performance.now() - askedAt);
      await sleep(LIVENESS_EVERY_MS);
    }
  })();
  return {
    async longestMs() {
      over.abort();
      await watched;
      return longestMs;
    },
  };
}

/** Each over a connection of its own: what is refused closes it. */
function send(
  port: number,
  { method = 'POST', path: target, headers }: Pick<HostileRequest, 'method' | 'path' | 'headers'>,
  body: string | Uint8Array | undefined,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path: target, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode!, text: Buffer.concat(chunks).toString() }));
    });
    sent.setTimeout(LONGEST_MS, () => sent.destroy());
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Conditions of every kind on one property, as many as a project may well have. */
async function buildFlags(db: Knex, projectId: number): Promise<void> {
  const conditions: [operator: string, value: unknown][] = [
    ...Array.from({ length: 30 }, (_, index): [string, unknown] => ['icontains', `x${index}`]),
    ...['gt', 'lte'].map((operator): [string, unknown] => [operator, '5']),
    ['between', [1, 5]],
    ...['is_date_after', 'is_date_before'].map((operator): [string, unknown] => [operator, '-7d']),
    ...['semver_gt', 'semver_eq', 'semver_tilde', 'semver_wildcard'].map((operator): [string, unknown] => [
      operator,
      '1.2.3',
    ]),
    ...['(a|b)*c', '(a+)+$', '^a+$', String.raw`\p{L}+\d`, '(a|b)*a(a|b){100}$'].map((value): [string, unknown] => [
      'regex',
      value,
    ]),
    ['exact', ['a', 'b', 'c']],
    ['exact', 'true'],
    ['icontains_multi', Array.from({ length: 1000 }, (_, index) => `y${index}`)],
    ['icontains', `${'a'.repeat(25_000)}b${'a'.repeat(24_999)}`],
  ];
  for (const [index, [operator, value]] of conditions.entries()) {
    const properties = [{ type: 'person', key: 'q', operator, value }];
    await buildFlag(db, projectId, { key: `flag-${index}`, filters: { groups: [{ properties }] } });
  }
  await db('group_types').insert({ project_id: projectId, group_type_index: 0, group_type: 'company' });
  for (let index = 0; index < 20; index++) {
    await buildFlag(db, projectId, {
      key: `group-${index}`,
      filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] },
      evaluation_contexts: ['site'],
    });
    await buildFlag(db, projectId, {
      key: `device-${index}`,
      bucketing_identifier: 'device_id',
      filters: { groups: [{ rollout_percentage: 50 }] },
    });
  }
}
