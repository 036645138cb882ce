/**
 * Sends fifty bodies of 19 MB at once, over all capture paths. The API must answer bodies beyond its memory limit with 503 and `Retry-After`,
 * grow by at most 1.2 times that limit, and answer `/_livez` meanwhile. It must have stored all events that it answered with 200.
 */
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { LIMITS } from '../../src/events/capture/limits.ts';
import { CAPTURE_PATHS } from '../../src/events/capture/paths.ts';
import { startApiProcess } from '../../test/support/servers/api-process.ts';
import { createTestDatabase, stopTestDatabases } from '../../test/support/database/database.ts';
import { buildTenant } from '../../test/support/api/identity.ts';
import { createKnex, createPool } from '../../src/platform/db/connection.ts';
import { atLeast, atMost, peakRssMb, type Bench, type Goal } from '../measure.ts';

const AT_ONCE = 50;
const EVENT_BYTES = 19_000;
const EVENTS = 1_000;
const PROJECTS = 5;
const LIVENESS_EVERY_MS = 20;
const MB = 1024 * 1024;
const PROBE = new URL('../../test/hostile/probe.ts', import.meta.url).href;

type Answer = { status: number; retryAfter: string | undefined };

export const bench: Bench = async ({ log }) => {
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'bench', maxConnections: 1 });
  const pool = createPool({ url: database.url, applicationName: 'bench', maxConnections: 1 });
  const goals: Goal[] = [];
  try {
    const tokens: string[] = [];
    for (let n = 0; n < PROJECTS; n++) tokens.push((await buildTenant(db)).apiToken);
    for (const [name, packed] of [
      ['plain', false],
      ['gzip', true],
    ] as const) {
      const bodies = tokens.map((token) => (packed ? gzipSync(bodyOf(token), { level: 1 }) : bodyOf(token)));
      goals.push(...(await measure(name, bodies, { databaseUrl: database.url, pool, log })));
    }
    return { name: 'large-bodies', cases: [], goals };
  } finally {
    await Promise.all([db.destroy(), pool.end()]);
    await database.drop();
    await stopTestDatabases();
  }
};

type Measuring = { databaseUrl: string; pool: Pool; log: (line: string) => void };

/** Uses a server of its own, because the garbage of earlier bodies would distort the memory figures. */
async function measure(
  name: string,
  bodies: readonly Buffer[],
  { databaseUrl, pool, log }: Measuring,
): Promise<Goal[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  const portFile = path.join(folder, 'port');
  const environment = {
    CAPTURE_PROJECT_EVENTS_PER_SECOND: '10000000',
    NODE_OPTIONS: `--import=${PROBE}`,
    HOSTILE_PROBE_FILE: portFile,
  };
  const api = await startApiProcess({ databaseUrl, environment });
  try {
    const probePort = Number(await readFile(portFile, 'utf8'));
    const heldMs = async () =>
      ((await (await fetch(`http://127.0.0.1:${probePort}/`)).json()) as { cpuMs: number }).cpuMs;
    await send(api.port, '/e/', bodies[0]!);
    await pool.query('truncate events, event_ids');
    // Linux: the peak counts from here.
    writeFileSync(`/proc/${api.pid}/clear_refs`, '5');
    const before = peakRssMb(api.pid);
    await heldMs();
    const liveness = watchLiveness(api.port);
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) => {
        return send(api.port, `${CAPTURE_PATHS[n % CAPTURE_PATHS.length]}/`, bodies[n % PROJECTS]!);
      }),
    );
    const livezMs = await liveness.longestMs();
    const held = await heldMs();
    const added = peakRssMb(api.pid) - before;
    const stored = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status, retryAfter }) => status === 503 && Number(retryAfter) > 0).length;
    const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from events');
    if (rows[0]!.count !== stored * EVENTS)
      throw new Error(`${rows[0]!.count} events are stored, not ${stored * EVENTS}`);
    log(
      `${name}: ${stored} stored, ${refused} refused, ${before.toFixed(0)} MB before, ${added.toFixed(0)} MB added, ${livezMs.toFixed(0)} ms to /_livez, ${held.toFixed(0)} ms of CPU time held`,
    );
    return [
      atLeast(`${name}: answered with 200 or 503`, (stored + refused) / AT_ONCE, 1),
      atMost(`${name}: MB added at most`, added, (LIMITS.heldBytes / MB) * 1.2),
      // This limit is for a machine on which nothing else runs, because other processes delay the answer.
      atMost(`${name}: ms to /_livez, at most`, livezMs, 250),
      atMost(`${name}: ms of CPU time in which nothing else was answered`, held, 250),
    ];
  } finally {
    await api.end('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

/** A thousand events in 19 MB: texts of several lengths, names that repeat. */
function bodyOf(token: string): Buffer {
  const batch = Array.from({ length: EVENTS }, (_, n) => ({
    event: 'large',
    distinct_id: `user-${n % 100}`,
    properties: Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`p${at}`, `${n} `.repeat(EVENT_BYTES / 20 / 5)]),
    ),
  }));
  return Buffer.from(JSON.stringify({ api_key: token, batch }));
}

function send(port: number, target: string, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path: target, headers, agent: false }, (answer) => {
      answer.resume().once('end', () => {
        resolve({ status: answer.statusCode!, retryAfter: answer.headers['retry-after'] });
      });
    });
    sent.once('error', reject).end(body);
  });
}

function watchLiveness(port: number): { longestMs(): Promise<number> } {
  let longest = 0;
  const over = new AbortController();
  const watched = (async () => {
    while (!over.signal.aborted) {
      const askedAt = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/_livez/`)).text();
      longest = Math.max(longest, performance.now() - askedAt);
      await sleep(LIVENESS_EVERY_MS);
    }
  })();
  return {
    async longestMs() {
      over.abort();
      await watched;
      return longest;
    },
  };
}
