/**
 * The cost of claiming uuids as claims become many: the same events are stored beside 100,000 claims, and beside 2 million (20 million with
 * --large). Uuids in the order of time (version 7) go to the same few index pages, however large the index is. Random uuids (version 4) each
 * go to another page. Postgres writes a page whole into its log at the first change after a checkpoint; each round begins with a
 * checkpoint, so it measures the worst case.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { uuidV7 } from '../../src/events/capture/uuid.ts';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { encodeEvents, type EventRows } from '../../src/events/ingest/event-rows.ts';
import { createIngest } from '../../src/events/ingest/ingest.ts';
import { NO_EFFECTS } from '../../src/events/persons/effects.ts';
import { fromMilliseconds } from '../../src/platform/time/iso.ts';
import { benchEvents } from '../events.ts';
import {
  atLeast,
  compare,
  interleave,
  median,
  parentOf,
  peakRssMb,
  serverCpuMs,
  type Bench,
  type Case,
} from '../measure.ts';

const FEW = 100_000;
const MANY = 2_000_000;
const VERY_MANY = 20_000_000;
const BATCH = 500;
const BATCHES = 40;
const ROUNDS = 3;
const PROJECT = 1;

/** Ways to make uuids: `make` for new events, and `stored`, an SQL expression, for earlier ones; version 7 spreads these over the last day. */
const KINDS = {
  random: { make: () => randomUUID() as string, stored: () => 'gen_random_uuid()' },
  'in order of time': {
    make: () => uuidV7(),
    stored: (count: number) => `uuidv7(interval '1 day' * (n - ${count}) / ${count})`,
  },
};

export const bench: Bench = async ({ large, log }) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root, Postgres runs as another user. If that user cannot enter this folder, the cluster is kept elsewhere, and never removed.
  await chmod(directory, 0o755);
  const server = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres'), port: 0, durable: true });
  const pools: Pool[] = [];
  try {
    const counts = [FEW, large ? VERY_MANY : MANY];
    const cases: StoringCase[] = [];
    for (const [kind, uuids] of Object.entries(KINDS)) {
      for (const count of counts) {
        log(`storing ${count} uuids, ${kind}`);
        const pool = await databaseWith(server, count, uuids.stored(count), `${kind} ${count}`);
        pools.push(pool);
        cases.push(await storing(`${kind}, beside ${count}`, pool, uuids.make));
      }
    }
    const samples = await interleave(cases, ROUNDS, log);
    const of = ({ name }: Case) => samples.get(name)!;
    for (const each of cases) log(`${each.name}: ${median(each.walBytes).toFixed(0)} bytes of WAL an event`);
    const [fewRandom, manyRandom, fewOrdered, manyOrdered] = cases as [
      StoringCase,
      StoringCase,
      StoringCase,
      StoringCase,
    ];
    const results = [
      compare(fewRandom.name, of(fewRandom), of(fewRandom)),
      compare(manyRandom.name, of(manyRandom), of(fewRandom)),
      compare(fewOrdered.name, of(fewOrdered), of(fewOrdered)),
      compare(manyOrdered.name, of(manyOrdered), of(fewOrdered)),
    ];
    return {
      name: 'claims',
      cases: results,
      goals: [
        atLeast('uuids in order of time: wall time beside few claims ÷ beside many', results[3]!.wall_ratio, 0.9),
        atLeast('random uuids: wall time beside few claims ÷ beside many', results[1]!.wall_ratio, 0.65),
      ],
    };
  } finally {
    for (const pool of pools) await pool.end();
    await server.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  }
};

/** Creates a database with the claims of `count` events that are gone: claims stay when their events are removed. */
async function databaseWith(server: EmbeddedPostgres, count: number, uuid: string, name: string): Promise<Pool> {
  const administration = createPool({ url: server.url, applicationName: 'sluice-bench', maxConnections: 1 });
  await administration.query(`create database "${name}"`);
  await administration.end();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await migrate(url.href);
  const pool = createPool({ url: url.href, applicationName: 'sluice-bench', maxConnections: 2 });
  // An index that is built at once takes a fraction of the time.
  await pool.query(`
    alter table event_ids drop constraint event_ids_pkey;
    insert into event_ids select ${PROJECT}, ${uuid} from generate_series(1, ${count}) as n;
    alter table event_ids add primary key (project_id, uuid)`);
  await pool.query('vacuum analyze event_ids');
  return pool;
}

/** A case that also measures bytes of WAL per event, one number for each run. */
type StoringCase = Case & { walBytes: number[] };

async function storing(name: string, pool: Pool, makeUuid: () => string): Promise<StoringCase> {
  const ingest = createIngest(pool);
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postgres = parentOf(rows[0]!.pid);
  const walBytes: number[] = [];
  return {
    name,
    walBytes,
    async run() {
      await pool.query('truncate events; checkpoint');
      const batches = batchesOfEvents(makeUuid);
      const before = await walPosition(pool);
      const cpuBefore = serverCpuMs(postgres);
      const startedAt = performance.now();
      for (const batch of batches) await ingest.store(PROJECT, [batch]);
      const wallMs = performance.now() - startedAt;
      const cpuMs = serverCpuMs(postgres) - cpuBefore;
      walBytes.push(((await walPosition(pool)) - before) / (BATCH * BATCHES));
      await requireStored(pool);
      return { wallMs, cpuMs, rssMb: peakRssMb(process.pid) };
    },
  };
}

function batchesOfEvents(makeUuid: () => string): EventRows[] {
  const createdAt = fromMilliseconds(Date.now());
  const events = [...benchEvents(BATCH * BATCHES)].map(({ event, distinct_id, properties }) => ({
    uuid: makeUuid(),
    event,
    distinctId: distinct_id,
    properties: JSON.stringify(properties),
    elementsChain: '',
    timestamp: createdAt,
    person: NO_EFFECTS,
  }));
  return Array.from({ length: BATCHES }, (_, n) =>
    encodeEvents(events.slice(n * BATCH, (n + 1) * BATCH), { projectId: PROJECT, historical: false, createdAt }),
  );
}

async function walPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`);
  return Number(rows[0]!.bytes);
}

async function requireStored(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from events');
  if (rows[0]!.count !== BATCH * BATCHES) throw new Error(`${rows[0]!.count} events were stored`);
}
