/**
 * Measures what capture over HTTP costs; it answers after the commit. Single events are compared with a server that only parses them. Batches of
 * 500 events are compared with `psql \copy` of the same rows into a table with the same partitions, index and checks. Both are measured with
 * events that create and look up persons, whose properties each event carries or refers to, and with personless ones. Afterwards, the stored events are counted.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { turnOnReferences } from '../../src/events/table/state-switch.ts';
import { requests, startServer, type Server } from './capture-load.ts';
import { benchEvents, type BenchEvent } from '../events.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  median,
  parentOf,
  peakRssMb,
  requireProgram,
  runShell,
  serverCpuMs,
  type Bench,
  type Case,
  type Sample,
} from '../measure.ts';

const SINGLES = 20_000;
const CONNECTIONS = 256;
const BATCHED = 50_000;
const BATCH = 500;
const BATCH_CONNECTIONS = 4;
const ROUNDS = 3;

export const bench: Bench = async ({ log }) => {
  await requireProgram('psql');
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root, Postgres runs as another user. If that user cannot enter this folder, the cluster is kept elsewhere, and never removed.
  await chmod(directory, 0o755);
  const server = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres'), port: 0, durable: true });
  const pool = createPool({ url: server.url, applicationName: 'sluice-bench', maxConnections: 2 });
  const pools = [pool];
  const processes: Server[] = [];
  try {
    await migrate(server.url);
    const referring = await createReferringDatabase(server.url, pool);
    pools.push(referring.pool);
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const postgres = parentOf(rows[0]!.pid);
    const [parser, capture] = [await startServer(), await startServer(server.url)];
    const capturing = await startServer(referring.url);
    processes.push(parser, capture, capturing);
    const setting: Setting = { pool, postgres, url: server.url, directory, parser, capture };

    const withPersons = await measure(setting, 'persons', [...benchEvents(BATCHED)], log);
    const once = await measure(
      { ...setting, ...referring, capture: capturing },
      'persons stored once',
      [...benchEvents(BATCHED)],
      log,
    );
    const personless = await measure(setting, 'personless', [...benchEvents(BATCHED)].map(withoutPerson), log);
    return {
      name: 'capture',
      cases: [...withPersons.cases, ...once.cases, ...personless.cases],
      goals: [...withPersons.goals, ...once.goals, ...personless.goals],
    };
  } finally {
    for (const { process } of processes) process.disconnect();
    await Promise.all(pools.map((one) => one.end()));
    await server.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  }
};

type Setting = { pool: Pool; postgres: number; url: string; directory: string; parser: Server; capture: Server };

/** A database whose events refer to states of persons. */
async function createReferringDatabase(url: string, pool: Pool): Promise<{ url: string; pool: Pool }> {
  await pool.query('create database referring');
  const referringUrl = new URL(url);
  referringUrl.pathname = '/referring';
  const { href } = referringUrl;
  await migrate(href);
  const referring = createPool({ url: href, applicationName: 'sluice-bench', maxConnections: 2 });
  await turnOnReferences(referring);
  return { url: href, pool: referring };
}

function withoutPerson({ properties, ...event }: BenchEvent): BenchEvent {
  return { ...event, properties: { ...properties, $process_person_profile: false } };
}

async function measure(setting: Setting, kind: string, events: readonly BenchEvent[], log: (line: string) => void) {
  const { parser, capture } = setting;
  log(`writing the requests: ${kind}`);
  const singles = requests(events.slice(0, SINGLES), 1);
  const batches = requests(events, BATCH);
  const baseline: Case = {
    name: `baseline: a server that only parses, single events, ${kind}`,
    run: () => load(parser, singles, CONNECTIONS),
  };
  const single = storing(`capture, single events, ${kind}`, { ...setting, count: SINGLES }, () =>
    load(capture, singles, CONNECTIONS),
  );
  const batched = storing(`capture, batches of 500, ${kind}`, { ...setting, count: BATCHED }, () =>
    load(capture, batches, BATCH_CONNECTIONS),
  );
  await batched.run();
  const copy = await psqlCase(setting, kind);
  const samples = await interleave([baseline, single, copy, batched], ROUNDS, log);
  const of = ({ name }: Case) => samples.get(name)!;
  const cases = [
    compare(baseline.name, of(baseline), of(baseline)),
    compare(single.name, of(single), of(baseline)),
    compare(copy.name, of(copy), of(copy)),
    compare(batched.name, of(batched), of(copy)),
  ];
  const cpuPerEvent = median(of(batched).map((sample) => (sample.cpuMs * 1000) / BATCHED));
  return {
    cases,
    goals: [
      atLeast(`single events, ${kind}: a parsing server's cpu time ÷ ours`, cases[1]!.cpu_ratio, 0.55),
      atLeast(`batches of 500, ${kind}: psql \\copy's wall time ÷ ours`, cases[3]!.wall_ratio, 0.65),
      atMost(`batches of 500, ${kind}: microseconds of cpu an event`, cpuPerEvent, 45),
    ],
  };
}

/**
 * Sends all requests over `connections` connections; each connection sends its next request once the last is answered. CPU time is that of the
 * server and of sending; sending is a seventh to a third of it.
 */
async function load(server: Server, all: readonly Buffer[], connections: number): Promise<Sample> {
  const pid = server.process.pid!;
  const cpuBefore = serverCpuMs(pid) + ownCpuMs();
  const startedAt = performance.now();
  const left = all.values();
  await Promise.all(Array.from({ length: connections }, () => sendInTurn(server.port, left)));
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: serverCpuMs(pid) + ownCpuMs() - cpuBefore, rssMb: peakRssMb(pid) };
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function sendInTurn(port: number, left: Iterator<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const next = () => {
      const { value, done } = left.next() as IteratorResult<Buffer, void>;
      if (done || !value) socket.end(resolve);
      else socket.write(value);
    };
    let answer = '';
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (!answer.endsWith('}')) return;
      if (!answer.startsWith('HTTP/1.1 200 ') || !answer.endsWith('{"status":1}')) reject(new Error(answer));
      answer = '';
      next();
    });
  });
}

type Store = Pick<Setting, 'pool' | 'postgres'> & { count: number };

/** Makes a case of `run` that adds Postgres's CPU time, and counts the stored events. */
function storing(name: string, { pool, postgres, count }: Store, run: () => Promise<Sample>): Case {
  return {
    name,
    async run() {
      await pool.query(
        `truncate events, event_ids, persons, person_distinct_ids, person_versions, person_states cascade; checkpoint`,
      );
      const cpuBefore = serverCpuMs(postgres);
      const sample = await run();
      const cpuMs = sample.cpuMs + serverCpuMs(postgres) - cpuBefore;
      await requireCount(pool, 'events', count);
      return { ...sample, cpuMs };
    },
  };
}

async function requireCount(pool: Pool, table: string, expected: number): Promise<void> {
  const { rows } = await pool.query<{ rows: number; uuids: number }>(
    `select count(*)::int as rows, count(distinct uuid)::int as uuids from ${table}`,
  );
  const { rows: found, uuids } = rows[0]!;
  if (found !== expected || uuids !== expected) {
    throw new Error(`${table} holds ${found} rows and ${uuids} uuids instead of ${expected}`);
  }
}

/**
 * The least that storing could cost: `psql` copies a file of the rows that were stored last. One transaction, without HTTP, without JSON to
 * parse, without claims and without persons to look up.
 */
async function psqlCase({ pool, postgres, url, directory }: Setting, kind: string): Promise<Case> {
  const [table, file] = [`copied_${kind.replaceAll(' ', '_')}`, path.join(directory, `${kind}.copy`)];
  await pool.query(`
    create table ${table} (like events including all) partition by range (interval_time);
    create table ${table}_all partition of ${table} for values from (minvalue) to (maxvalue)`);
  const env = { ...process.env, URL: url };
  await runShell(`psql -X -q "$URL" -c "\\copy (select * from events) to '${file}'"`, env);
  const command = `psql -X -q "$URL" -c "\\copy ${table} from '${file}'"`;
  return {
    name: `baseline: psql \\copy, ${kind}`,
    async run() {
      await pool.query(`truncate ${table}; checkpoint`);
      const cpuBefore = serverCpuMs(postgres);
      const sample = await runShell(command, env);
      const cpuMs = sample.cpuMs + serverCpuMs(postgres) - cpuBefore;
      await requireCount(pool, table, BATCHED);
      return { ...sample, cpuMs };
    },
  };
}
