/**
 * The promise of the seal, and the proof that the test could see it broken: readers that trust a plain timestamp column lose
 * rows in the same run.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, createPool, type Pool } from '../../src/db/connection.ts';
import { createSealer } from '../../src/events/seal.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { seeded } from '../kill/random.ts';

const SEED = 20_150_517;
const SECONDS = 18;
const WRITERS = 14;
const LONGEST_TRANSACTION_MS = 4_000;

describe('sealing under load', function () {
  this.timeout((SECONDS + 40) * 1000);
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 12 });
    await pool.query(`
      create table clock_step (seconds float8);
      insert into clock_step values (0);
      create or replace function wall_clock() returns timestamptz language sql volatile as
        'select clock_timestamp() + make_interval(secs => (select seconds from clock_step))';
      create table naive (uuid uuid, inserted_at timestamptz default now());
      create index on naive (inserted_at)`);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it(`loses nothing and doubles nothing, while a plain timestamp loses rows (seed ${SEED})`, async () => {
    const random = seeded(SEED).next;
    const another = () => seeded(random() * 2 ** 32).next;
    const stop = { now: false };
    const writers = Promise.all(Array.from({ length: WRITERS }, () => write(stop, another())));
    const quiet = Promise.all([writers, stepClock(stop, random)]);
    const readers = [readSealed(stop, quiet, another()), readSealed(stop, quiet, another())];
    const naive = readNaive(stop, quiet);

    await sleep(SECONDS * 1000);
    stop.now = true;
    const committed = (await writers).flat();

    for (const { seen, seals } of await Promise.all(readers)) {
      const distinct = new Set(seen);
      assert.ok(seals > 30, `${seals} seals`);
      assert.equal(seen.length - distinct.size, 0, 'doubled');
      assert.equal(committed.filter((uuid) => !distinct.has(uuid)).length, 0, 'lost');
      assert.equal(distinct.size, committed.length, 'stored without having been committed');
    }
    const naively = await naive;
    const lost = committed.filter((uuid) => !naively.has(uuid)).length;
    assert.ok(
      lost > committed.length / 1000,
      `the control lost ${lost} of ${committed.length}: the test shows nothing`,
    );
  });

  /** Transactions of up to four seconds, some idle before their first event, some rolled back. @returns what was committed */
  async function write(stop: { now: boolean }, random: () => number): Promise<string[]> {
    const client = createClient({ url: database.url, applicationName: 'test-writer' });
    await client.connect();
    const committed: string[] = [];
    while (!stop.now) {
      await client.query('begin');
      if (random() < 0.1) {
        await client.query('select 1');
        await sleep(random() * 1_000);
      }
      const { rows } = await client.query<{ uuid: string }>(
        `with stored as (
           insert into events
           select 1, gen_random_uuid(), 'e', 'd', gen_random_uuid(), '{}', '{}', '', now, now, now, now, 1
           from (select ingest_now() as now) as x, generate_series(1, $1) returning uuid
         ) insert into naive select uuid from stored returning uuid`,
        [1 + Math.floor(random() * 20)],
      );
      // Most are short: a seal waits for the longest of fourteen.
      await sleep(random() * (random() < 0.01 ? LONGEST_TRANSACTION_MS - 1_000 : 150));
      const keep = random() >= 0.05;
      await client.query(keep ? 'commit' : 'rollback');
      if (keep) committed.push(...rows.map((row) => row.uuid));
      await sleep(random() * 30);
    }
    await client.end();
    return committed;
  }

  /** Seals again and again with a sealer of its own and reads what lies between two seals. */
  async function readSealed(stop: { now: boolean }, quiet: Promise<unknown>, random: () => number) {
    const sealer = createSealer(pool);
    const seen: string[] = [];
    let from = '-infinity';
    let seals = 0;
    for (let last = false; !last; seals++) {
      last = stop.now;
      if (last) await quiet;
      const until = await sealer.seal();
      seen.push(...(await uuidsBetween('events', from, until)));
      from = until;
      await sleep(random() * 200);
    }
    return { seen, seals };
  }

  /** The control: reads up to the database's present by the time that the transaction began, as `default now()` sets it. */
  async function readNaive(stop: { now: boolean }, quiet: Promise<unknown>): Promise<Set<string>> {
    const seen: string[] = [];
    let from = '-infinity';
    for (let last = false; !last;) {
      last = stop.now;
      if (last) await quiet;
      const { rows } = await pool.query<{ now: string }>('select clock_timestamp() as now');
      seen.push(...(await uuidsBetween('naive', from, rows[0]!.now)));
      from = rows[0]!.now;
      await sleep(200);
    }
    return new Set(seen);
  }

  async function uuidsBetween(table: string, from: string, until: string): Promise<string[]> {
    const { rows } = await pool.query<{ uuid: string }>(
      `select uuid from ${table} where inserted_at >= $1 and inserted_at < $2`,
      [from, until],
    );
    return rows.map((row) => row.uuid);
  }

  /** The database's clock jumps by up to two seconds either way, several times a second. */
  async function stepClock(stop: { now: boolean }, random: () => number): Promise<void> {
    while (!stop.now) {
      await pool.query('update clock_step set seconds = $1', [(random() - 0.5) * 4]);
      await sleep(400);
    }
    // Ahead of every step, so that the last seal is past everything.
    await pool.query('update clock_step set seconds = 2');
  }
});
