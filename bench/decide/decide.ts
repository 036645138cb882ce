/**
 * The cost of deciding flags over HTTP, by the whole API with its token check. Projects have 1 to 1,000 flags; properties come with the request
 * or from stored persons. The API is compared with a server that only parses JSON and answers as many bytes, with flagd's evaluator in such a
 * server, and with Unleash. Figures are for a thousand requests: wall time under load, and CPU time of the server (and of Postgres, if it
 * stores the persons).
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { distinctId, PERSONS, propertiesOf, sluiceFilters } from './decide-flags.ts';
import { measureLoad, decideRequests, unleashRequests, type LoadRequest } from './decide-load.ts';
import { UNLEASH_TOKEN, type ServerReady, type ServerRole } from './decide-server.ts';
import {
  atLeast,
  atMost,
  compare,
  interleave,
  median,
  parentOf,
  peakRssMb,
  requireProgram,
  serverCpuMs,
  type Bench,
  type Case,
  type Sample,
} from '../measure.ts';
import { installedPeers } from '../peers.ts';

const ROUNDS = 7;
const COUNTS = [1, 10, 100, 1_000];
const FLAGS = 10;

export const bench: Bench = async ({ log }) => {
  await requireProgram('wrk');
  const peers = await installedPeers(log);
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root, Postgres runs as another user. If that user cannot enter this folder, the cluster is kept elsewhere, and never removed.
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({
    directory: path.join(directory, 'postgres'),
    port: 0,
    durable: false,
  });
  const pool = createPool({ url: postgres.url, applicationName: 'sluice-bench', maxConnections: 2 });
  const children: ChildProcess[] = [];
  const start = async (role: ServerRole) => {
    const child = fork(fileURLToPath(new URL('./decide-server.ts', import.meta.url)), [JSON.stringify(role)]);
    children.push(child);
    const [{ port }] = (await once(child, 'message')) as [ServerReady];
    return { pid: child.pid!, port };
  };
  try {
    await migrate(postgres.url);
    await pool.query('create database unleash');
    const tokens = await makeProjects(pool);
    const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    const database = { pid: parentOf(rows[0]!.pid) };
    const sluice = await start({ role: 'sluice', databaseUrl: postgres.url });
    const { answer, checked } = await checkDecides(sluice.port, tokens.get(FLAGS)!);
    log(checked);
    const slow = await start({ role: 'sluice', databaseUrl: postgres.url, fastPath: false });
    const bare = await start({ role: 'bare', answer });
    const flagd = await start({ role: 'flagd', peers, flags: FLAGS });
    log('starting Unleash');
    const unleashUrl = postgres.url.replace(/\/[^/]*$/, '/unleash');
    const unleash = await start({ role: 'unleash', peers, flags: FLAGS, databaseUrl: unleashUrl });

    const p99s = new Map<string, number[]>();
    const caseOf = (name: string, servers: { pid: number }[], port: number, request: LoadRequest): Case => ({
      name,
      async run() {
        const cpu = () => servers.reduce((sum, { pid }) => sum + serverCpuMs(pid), 0);
        const before = cpu();
        const { requests, seconds, p99Ms } = await measureLoad(directory, port, request);
        p99s.set(name, [...(p99s.get(name) ?? []), p99Ms]);
        const rssMb = peakRssMb(servers[0]!.pid);
        const thousands = requests / 1_000;
        return { wallMs: (seconds * 1_000) / thousands, cpuMs: (cpu() - before) / thousands, rssMb };
      },
    });
    const ours = (name: string, request: LoadRequest) => caseOf(name, [sluice], sluice.port, request);
    const baseline = caseOf('baseline: node:http, a JSON body', [bare], bare.port, decideRequests(tokens.get(FLAGS)!));
    const byCount = COUNTS.map((count) => ours(`decide, ${count} flags`, decideRequests(tokens.get(count)!)));
    const ten = byCount[COUNTS.indexOf(FLAGS)]!;
    const off = caseOf('decide, 10 flags, fast path off', [slow], slow.port, decideRequests(tokens.get(FLAGS)!));
    const details = ours('flags v=2, 10 flags', decideRequests(tokens.get(FLAGS)!, { path: '/flags/?v=2' }));
    const storedRequests = decideRequests(tokens.get(FLAGS)!, { stored: true });
    const stored = caseOf('decide, 10 flags, stored persons', [sluice, database], sluice.port, storedRequests);
    const flagdCore = caseOf('flagd-core, 10 flags', [flagd], flagd.port, decideRequests('none'));
    const server = caseOf('unleash-server, 10 flags', [unleash], unleash.port, unleashRequests(UNLEASH_TOKEN));

    const cases = [baseline, ...byCount, off, details, stored, flagdCore, server];
    const samples = await interleave(cases, ROUNDS, log);
    const samplesOf = ({ name }: Case) => samples.get(name)!;
    const costRatio = (one: Case, other: Case, figure: keyof Sample = 'cpuMs') =>
      median(samplesOf(one).map((sample, round) => samplesOf(other)[round]![figure] / sample[figure]));
    const cost = (one: Case) => median(samplesOf(one).map(({ cpuMs }) => cpuMs));
    const p99 = (one: Case) => median(p99s.get(one.name)!.slice(1));
    const [, , hundred, thousand] = byCount as [Case, Case, Case, Case];
    return {
      name: 'decide',
      cases: cases.map((one) => compare(one.name, samplesOf(one), samplesOf(baseline))),
      goals: [
        atLeast('10 flags: node:http’s cpu time ÷ ours', costRatio(ten, baseline), 0.7),
        atLeast('10 flags: cpu time with the fast path off ÷ with it on', costRatio(ten, off), 1.3),
        atLeast('10 flags: flagd-core’s cpu time ÷ ours', costRatio(ten, flagdCore), 1.1),
        atLeast('10 flags: unleash-server’s cpu time ÷ ours', costRatio(ten, server), 15),
        atMost('10 flags: p99 with stored persons ÷ with persons in the request', p99(stored) / p99(ten), 3),
        atMost('1,000 flags: milliseconds of cpu a request', cost(thousand) / 1e3, 2),
        atMost('cpu time of 1,000 flags ÷ of 100 flags', cost(thousand) / cost(hundred), 12),
      ],
    };
  } finally {
    for (const child of children) child.disconnect();
    await pool.end();
    await postgres.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  }
};

/** Checks that the API decides flags. @returns one answer, and a line for the log. @throws Error when a flag or an expected value is missing */
async function checkDecides(port: number, token: string): Promise<{ answer: string; checked: string }> {
  const { path: address, body } = decideRequests(token);
  const decide = async (n: number) => {
    const response = await fetch(`http://127.0.0.1:${port}${address}`, {
      method: 'POST',
      body: JSON.stringify(body(n)),
    });
    return response.text();
  };
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => decide(n)));
  const flags = answers.map((text) => (JSON.parse(text) as { featureFlags: Record<string, unknown> }).featureFlags);
  const values = new Set(flags.flatMap((some) => Object.values(some)));
  const wanted = [true, false, 'control', 'test', 'blue', 'green'];
  const missing = wanted.filter((value) => !values.has(value));
  if (missing.length > 0 || Object.keys(flags[0]!).length !== FLAGS)
    throw new Error(
      `decide must answer ${FLAGS} flags and each expected value; missing values: ${missing.join(', ') || 'none'}`,
    );
  return { answer: answers[0]!, checked: `100 persons see ${[...values].join(', ')}` };
}

/** A project for each count of flags, all with the same persons. @returns their tokens by count */
async function makeProjects(pool: Pool): Promise<Map<number, string>> {
  const tokens = new Map<number, string>();
  await pool.query(`insert into organizations (id, name) values (gen_random_uuid(), 'bench')`);
  for (const count of COUNTS) {
    const token = `phc_bench${count}`;
    const { rows } = await pool.query<{ id: number }>(
      `insert into projects (organization_id, name, api_token) select id, 'bench', $1 from organizations returning id`,
      [token],
    );
    const projectId = rows[0]!.id;
    await makeFlags(pool, projectId, count);
    await makePersons(pool, projectId);
    tokens.set(count, token);
  }
  await pool.query('analyze');
  return tokens;
}

async function makeFlags(pool: Pool, projectId: number, count: number): Promise<void> {
  await pool.query(
    `insert into feature_flags (project_id, key, name, filters, active, ensure_experience_continuity, evaluation_runtime,
        bucketing_identifier, evaluation_contexts, tags, is_remote_configuration, has_encrypted_payloads)
      select $1, flag ->> 'key', '', flag -> 'filters', true, false, 'all', 'distinct_id', '{}', '{}', false, false
      from jsonb_array_elements($2) as flag`,
    [projectId, JSON.stringify(sluiceFilters(count))],
  );
}

async function makePersons(pool: Pool, projectId: number): Promise<void> {
  const persons = Array.from({ length: PERSONS }, (_, n) => ({
    distinct_id: distinctId(n),
    properties: propertiesOf(n),
  }));
  await pool.query(
    `with given as (select gen_random_uuid() as id, value ->> 'distinct_id' as distinct_id, value -> 'properties' as properties
        from jsonb_array_elements($2) as value),
      made as (insert into persons (project_id, id, properties, is_identified, created_at)
        select $1, id, properties, true, now() from given)
      insert into person_distinct_ids (project_id, distinct_id, person_id, version, interval_time)
        select $1, distinct_id, id, 0, now() from given`,
    [projectId, JSON.stringify(persons)],
  );
}
