import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createSealer, databaseClockAheadSeconds } from '../../../src/events/table/seal.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const INSERT = `
  insert into events
  select 1, gen_random_uuid(), 'e', 'd', gen_random_uuid(), '{}', '{}', '', now, now, now, now, 1 from (select ingest_now() as now) as x
  returning inserted_at`;

const values = (insertedAt: string) => `
  select 1, gen_random_uuid(), 'e', 'd', gen_random_uuid(), '{}'::jsonb, '{}'::jsonb, '', now(), now(), x, x, 1
  from (select ${insertedAt} as x) as y`;
const refused = /stored with the inserted_at that ingest_now\(\) gives/;

describe('a seal', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test' });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  afterEach(() => setClock('clock_timestamp()'));

  const setClock = (sql: string) =>
    pool.query(
      `create or replace function wall_clock() returns timestamptz language sql volatile as $$ select ${sql} $$`,
    );

  async function openWriter() {
    const writer = await pool.connect();
    await writer.query('begin');
    const { rows } = await writer.query<{ inserted_at: string }>(INSERT);
    return { writer, insertedAt: rows[0]!.inserted_at };
  }

  it('waits for a transaction that stored something, and is after it', async () => {
    const { writer, insertedAt } = await openWriter();
    let sealed: string | undefined;
    const sealing = createSealer(pool)
      .seal()
      .then((until) => (sealed = until));
    await sleep(150);
    assert.equal(sealed, undefined);
    await writer.query('commit');
    writer.release();
    assert.ok((await sealing) > insertedAt);
  });

  it('does not wait for a transaction that stored nothing yet, whose events are after it', async () => {
    const writer = await pool.connect();
    await writer.query('begin; select 1');
    const sealed = await createSealer(pool).seal();
    const { rows } = await writer.query<{ inserted_at: string }>(INSERT);
    await writer.query('commit');
    writer.release();
    assert.ok(rows[0]!.inserted_at >= sealed);
  });

  it('ends the session of a lingering writer, so that what it stored never appears', async () => {
    const { writer } = await openWriter();
    const ended = new Promise<Error>((resolve) => writer.on('error', resolve));
    const before = await pool.query<{ n: string }>('select count(*) as n from events');
    await createSealer(pool, { patienceMs: 100 }).seal();
    assert.equal(((await ended) as { code?: string }).code, '57P01');
    writer.release(true);
    assert.deepEqual((await pool.query('select count(*) as n from events')).rows, before.rows);
  });

  it('serves everyone who asked before it began', async () => {
    const sealer = createSealer(pool);
    const first = sealer.seal();
    const sealedTo = await Promise.all([sealer.seal(), sealer.seal(), sealer.seal()]);
    assert.equal(new Set(sealedTo).size, 1);
    assert.ok(sealedTo[0] > (await first));
  });

  it('holds when the clock is set back: later events are not before it', async () => {
    const sealed = await createSealer(pool).seal();
    await setClock(`clock_timestamp() - interval '10 s'`);
    const { writer, insertedAt } = await openWriter();
    await writer.query('commit');
    writer.release();
    assert.equal(insertedAt >= sealed, true);
  });

  it('waits until the database is past the instant, and can be called off', async () => {
    const sealer = createSealer(pool);
    const soon = new Date(Date.now() + 300).toISOString();
    const sealed = await sealer.sealPast(soon);
    assert.ok(Date.parse(sealed) >= Date.parse(soon));

    const late = new Date(Date.now() + 30_000).toISOString();
    await assert.rejects(sealer.sealPast(late, AbortSignal.timeout(50)), { name: 'AbortError' });
  });

  for (const [words, interval] of [
    ['ahead of', '90 s'],
    ['behind', '-90 s'],
  ] as const) {
    it(`is refused while the database's clock is 90 s ${words} ours, and names it`, async () => {
      await setClock(`clock_timestamp() + interval '${interval}'`);
      // Some seconds of what is measured may be those that a busy machine took.
      const message = new RegExp(`(?:8|9)\\d s ${words}`);
      await assert.rejects(createSealer(pool).seal(), { name: 'Unavailable', message });
      await assert.rejects(createSealer(pool).sealPast(new Date().toISOString()), { name: 'Unavailable', message });
      assert.ok(Math.abs((await databaseClockAheadSeconds(pool)) - parseInt(interval, 10)) < 10);
    });
  }
});

describe('ingest_now()', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 1 });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('gives one instant to all statements of a transaction', async () => {
    await pool.query('begin');
    const ask = () => pool.query('select ingest_now() as now');
    assert.deepEqual((await ask()).rows, (await ask()).rows);
    await pool.query('commit');
  });

  it('is the only source of inserted_at, also directly into a partition', async () => {
    await assert.rejects(pool.query(`insert into events ${values('clock_timestamp()')}`), refused);
    const month = new Date().toISOString().slice(0, 7).replace('-', '_');
    await assert.rejects(pool.query(`insert into events_${month} ${values('clock_timestamp()')}`), refused);
    await assert.rejects(
      pool.query(`insert into events ${values('ingest_now()')} union all ${values(`ingest_now() + interval '1 us'`)}`),
      refused,
    );
  });

  it('does not serve a later transaction of the same session', async () => {
    const { rows } = await pool.query<{ now: string }>('select ingest_now() as now');
    await assert.rejects(pool.query(`insert into events ${values(`'${rows[0]!.now}'::timestamptz`)}`), refused);
  });

  it('refuses a transaction that would not see the newest watermark', async () => {
    for (const level of ['repeatable read', 'serializable']) {
      await pool.query(`begin isolation level ${level}`);
      await assert.rejects(pool.query('select ingest_now()'), { code: '25000' });
      await pool.query('rollback');
    }
  });
});
