/**
 * Capture under load while its Postgres and its API process are killed again and again. Half way, events begin to refer to states of
 * persons. At the end every acknowledged event is there once, no request in part, and every person is as the last acknowledged event
 * left it.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKnex, createPool, type Pool } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { turnOnReferences } from '../../src/events/table/state-switch.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { freePort } from '../../src/platform/processes/port.ts';
import { startApiProcess, type ApiProcess } from '../support/servers/api-process.ts';
import { eventually } from '../support/exports/export-world.ts';
import { buildTenant } from '../support/api/identity.ts';
import { startClients, type Sent } from './capture-clients.ts';
import type { Random } from '../support/random.ts';

const CLIENTS = 16;
/** Acknowledged between two kills at least, so that each meets work under way. */
const EVENTS_BETWEEN = 100;

/** Postgres crashes (all of it, or its first process alone, which the others must notice), or the API does. */
const VICTIMS = ['postgres', 'postmaster', 'api'] as const;
type Victim = (typeof VICTIMS)[number];

export type CaptureKillsOptions = { random: Random; postgresKills: number; apiKills: number };

/** @returns sentences of what is wrong; none: all is well */
export async function captureKills({ random, postgresKills, apiKills }: CaptureKillsOptions): Promise<string[]> {
  const installation = await install();
  try {
    const clients = startClients(installation.url, installation.token, CLIENTS, random);
    const victims: Victim[] = random.shuffled([
      ...Array.from({ length: postgresKills }, () => random.pick(['postgres', 'postmaster'] as const)),
      ...Array.from({ length: apiKills }, () => 'api' as const),
    ]);
    for (const [done, victim] of victims.entries()) {
      const before = clients.acknowledged();
      await eventually('events to be acknowledged', async () => clients.acknowledged() >= before + EVENTS_BETWEEN, 60);
      await sleep(random.below(300));
      console.log(`kill ${done + 1}/${victims.length} of ${victim}, ${clients.acknowledged()} events acknowledged`);
      await installation.kill(victim, random.below(400));
      if (done === Math.floor(victims.length / 2)) await turnOn(installation.databaseUrl);
    }
    const before = clients.acknowledged();
    await eventually('events to be acknowledged', async () => clients.acknowledged() >= before + EVENTS_BETWEEN, 60);
    const sent = await clients.stop();
    // Requests that were given up may still be on their way.
    await installation.endApi();
    return await check(installation.databaseUrl, sent);
  } finally {
    await installation.remove();
  }
}

async function turnOn(databaseUrl: string): Promise<void> {
  const pool = createPool({ url: databaseUrl, applicationName: 'test-kill', maxConnections: 1 });
  try {
    await turnOnReferences(pool);
  } finally {
    await pool.end();
  }
  console.log('events refer to states of persons from now on');
}

async function install() {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-kill-capture-'));
  // Under root Postgres is another user, and would keep its cluster elsewhere.
  await chmod(directory, 0o755);
  const cluster = path.join(directory, 'postgres');
  let postgres = await startEmbeddedPostgres({ directory: cluster, port: 0, durable: true });
  const { url: databaseUrl, port } = postgres;
  await migrate(databaseUrl);
  const db = createKnex({ url: databaseUrl, applicationName: 'test-kill' });
  const { apiToken: token } = await buildTenant(db);
  await db.destroy();
  const apiPort = await freePort();
  const start = () => startApiProcess({ databaseUrl, port: apiPort, environment: { LOG_LEVEL: 'info' } });
  let api: ApiProcess = await start();

  async function killPostgres(victim: Victim): Promise<void> {
    if (victim === 'postgres') return postgres.stop('immediate');
    const [pid] = (await readFile(path.join(cluster, 'data', 'postmaster.pid'), 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await postgres.exited;
  }

  return {
    url: api.url,
    token,
    databaseUrl,
    /** Kills, and starts again after a while. */
    async kill(victim: Victim, awayMs: number): Promise<void> {
      if (victim === 'api') {
        await api.end('SIGKILL');
        await sleep(awayMs);
        api = await start();
        return;
      }
      await killPostgres(victim);
      await sleep(awayMs);
      postgres = await startAgain(cluster, port);
    },
    endApi: () => api.end('SIGTERM'),
    async remove(): Promise<void> {
      await api.end('SIGKILL');
      await postgres.stop('immediate');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Sessions of a server that was killed take a moment to notice, and keep its memory until then. */
async function startAgain(directory: string, port: number): Promise<EmbeddedPostgres> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startEmbeddedPostgres({ directory, port, durable: true });
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(250);
    }
  }
}

async function check(databaseUrl: string, { acknowledged, open, counters, answers }: Sent): Promise<string[]> {
  const pool = createPool({ url: databaseUrl, applicationName: 'test-kill', maxConnections: 1 });
  try {
    const stored = await uuids(pool, 'events');
    const claimed = new Set(await uuids(pool, 'event_ids'));
    const found = new Set(stored);
    const all = new Set([...acknowledged, ...open.flat()]);
    const counts = {
      lost: acknowledged.filter((uuid) => !found.has(uuid)).length,
      doubled: stored.length - found.size,
      foreign: found.difference(all).size,
      'claimed and not stored': claimed.difference(found).size,
      'stored and not claimed': found.difference(claimed).size,
      'of requests stored in part': open.filter((request) => isInPart(request, found)).length,
      'counters wrong': await wrongCounters(pool, counters),
      'versions of persons missing or out of order': await brokenVersions(pool),
      'persons unlike their newest version': await staleVersions(pool),
      'forms of events, copies or references, without any event': await missingForms(pool),
    };
    const answerCounts = Object.entries(answers).map(([answer, count]) => `${count} x ${answer}`);
    console.log(
      `capture: ${acknowledged.length} acknowledged, ${stored.length} stored; answers: ${answerCounts.join(', ')}`,
    );
    console.log(
      `capture: ${Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join(', ')}`,
    );
    return Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `capture: ${count} ${what}`);
  } finally {
    await pool.end();
  }
}

function isInPart(request: readonly string[], found: ReadonlySet<string>): boolean {
  const stored = request.filter((uuid) => found.has(uuid)).length;
  return stored > 0 && stored < request.length;
}

async function uuids(pool: Pool, table: 'events' | 'event_ids'): Promise<string[]> {
  const { rows } = await pool.query<{ uuid: string }>(`select uuid from ${table}`);
  return rows.map(({ uuid }) => uuid);
}

/** A counter may be ahead of what was acknowledged, up to what was sent; never behind. */
async function wrongCounters(pool: Pool, counters: Sent['counters']): Promise<number> {
  const { rows } = await pool.query<{ distinct_id: string; counter: number }>(`
    select distinct_id, (properties -> 'counter')::int as counter
    from person_distinct_ids as known join persons on persons.project_id = known.project_id and persons.id = known.person_id`);
  const stored = new Map(rows.map(({ distinct_id: id, counter }) => [id, counter]));
  return [...counters].filter(([id, { sent, acknowledged }]) => {
    const counter = stored.get(id) ?? 0;
    return counter < acknowledged || counter > sent;
  }).length;
}

/** Every version follows the one before, and none takes a counter back. */
async function brokenVersions(pool: Pool): Promise<number> {
  return count(
    pool,
    `select version - lag(version, 1, 0) over earlier <> 1
       or (properties -> 'counter')::int < lag((properties -> 'counter')::int, 1, 0) over earlier as is_wrong
     from person_versions_with_properties window earlier as (partition by project_id, distinct_id order by version)`,
  );
}

/** @returns how many of both forms no event has */
async function missingForms(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ forms: number }>(
    'select count(distinct person_state is null)::int as forms from events',
  );
  return 2 - rows[0]!.forms;
}

async function staleVersions(pool: Pool): Promise<number> {
  return count(
    pool,
    `select versions.properties is distinct from persons.properties as is_wrong
     from person_distinct_ids as known
       join persons on persons.project_id = known.project_id and persons.id = known.person_id
       left join person_versions_with_properties as versions on versions.project_id = known.project_id
         and versions.distinct_id = known.distinct_id and versions.version = known.version`,
  );
}

/** @param sql rows with `is_wrong` */
async function count(pool: Pool, sql: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from (${sql}) as looked_at where is_wrong`,
  );
  return rows[0]!.count;
}
