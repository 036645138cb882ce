/** Each state of a person is stored once when events refer to states, and what leaves is what copies would have been. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createKnex, createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { unfilteredContent } from '../../../src/conditions/rows/content.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { eventReader } from '../../../src/events/reading/read.ts';
import { columnsOf } from '../../../src/events/reading/selection.ts';
import { ensurePartitions } from '../../../src/events/table/partitions.ts';
import { findSwitchedOnAt, turnOnReferences } from '../../../src/events/table/state-switch.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { readAll } from '../../support/database/copy-stream.ts';
import { buildPersonEvent } from '../../support/database/stored-persons.ts';
import { anyPersonEvent } from '../../support/events/any-person-event.ts';
import { buildRows } from '../../support/events/events.ts';
import { eventOf, identify, set, type Line } from '../../support/events/person-lines.ts';
import { down } from '../../../migrations/0069_person_state_references.ts';

const PROJECT = 1;
/** States that are stored twice, or whose event or person has another than it should. */
const FAULTS = `
  select (select count(*)::int from events where copied_person_properties is not null and interval_time >= turned_on_at) as copies,
    (select count(*)::int from (select from person_states group by person_id, properties::text, stored_at having count(*) > 1) as twice) as twice,
    (select count(*)::int from events join person_states as state on state.version = person_state where state.person_id <> events.person_id) as of_others,
    (select count(*)::int from person_distinct_ids join persons on id = person_id join person_states as state on state.version = person_state
      where state.properties::text <> persons.properties::text or not is_final) as stale
  from person_state_switch`;
const NO_FAULTS = { copies: 0, twice: 0, of_others: 0, stale: 0 };

const build = (lines: Line[]) =>
  buildRows(
    lines.map((line) => buildPersonEvent(eventOf(line))),
    { projectId: PROJECT },
  );
const store = (pool: Pool, lines: Line[]) => createIngest(pool).store(PROJECT, [build(lines)]);

describe('states of persons', () => {
  const databases: TestDatabase[] = [];
  const pools: Pool[] = [];
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await Promise.all(databases.map((database) => database.drop()));
  });

  async function open(): Promise<{ pool: Pool; url: string }> {
    const database = await createTestDatabase();
    databases.push(database);
    return { pool: connect(database.url), url: database.url };
  }
  function connect(url: string): Pool {
    const pool = createPool({ url, applicationName: 'test', ...INGEST_TIMEOUTS });
    pools.push(pool);
    return pool;
  }
  async function openReferring() {
    const opened = await open();
    assert.equal(await turnOnReferences(opened.pool), true);
    return opened;
  }

  it('leave as the bytes that copies are, in every format, also where the switch is turned on half way', async () => {
    const began = new Date(Date.now() + 3_600_000).toISOString();
    const groups = fc.sample(
      fc.array(anyPersonEvent(['a', 'b', 'c', 'd', ' guest ']), { minLength: 1, maxLength: 8 }),
      {
        numRuns: 30,
        seed: 7,
      },
    );
    const rows = groups.map((events) => buildRows(events.map(buildPersonEvent), { projectId: PROJECT }));
    const answers = [];
    for (const switchAt of [Infinity, 0, 20]) {
      const { pool } = await open();
      // The same instants in each database.
      await pool.query(`create sequence ticks; create or replace function wall_clock() returns timestamptz language sql volatile as
        $$ select '${began}'::timestamptz + nextval('ticks') * interval '1 second' $$`);
      const ingest = createIngest(pool);
      for (const [n, group] of rows.entries()) {
        if (n === switchAt) await turnOnReferences(pool);
        assert.deepEqual(await ingest.store(PROJECT, [group]), [[]]);
      }
      const end = new Date(Date.parse(began) + 7_200_000).toISOString();
      await pool.query('update seal set sealing_until = $1, sealed_until = $1', [end]);
      if (switchAt === 0) assert.deepEqual((await pool.query(FAULTS)).rows, [NO_FAULTS]);
      const slice = { projectId: PROJECT, start: '2020-01-01T00:00:00Z', end, cutoff: end };
      for (const model of ['events', 'persons', 'sessions'] as const) {
        const whole = { ...slice, content: unfilteredContent(model) };
        const columns = columnsOf(whole.content, 'files');
        const files = [];
        for (const format of ['JSONLines', 'CSV', 'Parquet'] as const) {
          const file = encodeFile(eventReader(pool).copy(whole, columns), { columns, format, compression: null });
          files.push((await readAll(file.bytes)).toString('hex'));
        }
        answers.push({
          files,
          parts: await eventReader(pool).measure(whole, { rows: 7, bytes: 1e9 }),
          digest: await eventReader(pool).digest(whole),
        });
      }
    }
    assert.ok(answers[0]!.digest.rows > 80);
    assert.deepEqual(answers.slice(3, 6), answers.slice(0, 3));
    assert.deepEqual(answers.slice(6, 9), answers.slice(0, 3));
  });

  it('are stored once for all events that see them, the first one also of a person from before', async () => {
    const { pool, url } = await open();
    await store(pool, [set('old', { plan: 'free' }), identify('old', 'old-2')]);
    await turnOnReferences(pool);
    for (const ingest of [createIngest(pool), createIngest(connect(url))]) {
      for (let n = 0; n < 3; n++) {
        await ingest.store(PROJECT, [
          build([set('old', {}), set('old-2', {}), set('new', { plan: 'pro' }), set('new', {})]),
        ]);
      }
    }
    const { rows } = await pool.query(
      'select properties, is_final, (select count(*)::int from events where person_state = version) as events from person_states order by version',
    );
    assert.deepEqual(rows, [
      { properties: { plan: 'free' }, is_final: true, events: 12 },
      { properties: { plan: 'pro' }, is_final: true, events: 12 },
    ]);
  });

  it('of a person who is deleted and seen again have other versions', async () => {
    const { pool } = await openReferring();
    await store(pool, [set('a', { n: 1 })]);
    await pool.query('select delete_persons($1, array(select id from persons))', [PROJECT]);
    await store(pool, [set('a', { n: 1 })]);
    const { rows } = await pool.query<{ versions: number; persons: number }>(
      'select count(distinct version)::int as versions, count(distinct person_id)::int as persons from person_states',
    );
    assert.deepEqual(rows, [{ versions: 2, persons: 1 }]);
  });

  it('stay whole where many writers change, merge and see the same persons while the switch is turned on', async () => {
    const { url } = await open();
    const events = fc.sample(anyPersonEvent(['a', 'b', 'c', 'd', 'e']), { numRuns: 400, seed: 11 });
    const writers = Array.from({ length: 4 }, (_, writer) => ({
      ingest: createIngest(connect(url)),
      events: events.filter((_event, n) => n % 4 === writer),
    }));
    let stored = 0;
    await Promise.all(
      writers.map(async (writer) => {
        for (const event of writer.events) {
          const rows = buildRows([buildPersonEvent(event)], { projectId: PROJECT });
          assert.deepEqual(await writer.ingest.store(PROJECT, [rows]), [[]]);
          stored += 1;
          if (stored === 100) assert.equal(await turnOnReferences(pools.at(-1)!), true);
        }
      }),
    );
    const pool = pools.at(-1)!;
    const { rows } = await pool.query<{ events: number; referring: number; read: number }>(
      `select count(*)::int as events, count(*) filter (where person_state is not null)::int as referring,
         (select count(person_properties)::int from events_with_persons) as read from events`,
    );
    assert.ok(rows[0]!.referring > 200, String(rows[0]!.referring));
    assert.deepEqual([rows[0]!.events, rows[0]!.read], [400, 400]);
    assert.deepEqual((await pool.query(FAULTS)).rows, [NO_FAULTS]);
  });

  it('are not written again with a small event, nor for each distinct id of a person that changes', async () => {
    const { pool } = await openReferring();
    const large = { blob: randomBytes(150_000).toString('hex') };
    const others = Array.from({ length: 50 }, (_, n) => identify('large', `large-${n}`));
    await store(pool, [set('large', large), ...others]);
    await pool.query('checkpoint');
    const written = async (lines: Line[]) => {
      const lsn = async () =>
        (await pool.query<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn')).rows[0]!.lsn;
      const before = await lsn();
      await store(pool, lines);
      const { rows } = await pool.query<{ bytes: number }>('select pg_wal_lsn_diff($1, $2)::float8 as bytes', [
        await lsn(),
        before,
      ]);
      return rows[0]!.bytes;
    };
    await written([set('large', {})]);
    await pool.query('checkpoint');
    await written([set('large', { n: 0 })]);
    const unchanged = await written(Array.from({ length: 100 }, () => set('large', {})));
    assert.ok(unchanged / 100 < 2_000, `${unchanged / 100} bytes for each event`);
    // The person, and its new state.
    const changed = await written([set('large', { n: 1 })]);
    assert.ok(changed < 3 * 300_000, `${changed} bytes for a change`);
  });

  it('are no way back: an older version fails, at reading and at writing, and so does the migration', async () => {
    const { pool, url } = await openReferring();
    assert.equal(await turnOnReferences(pool), false);
    assert.notEqual(await findSwitchedOnAt(pool), null);
    for (const sql of [
      'select person_properties from events',
      'select properties from person_versions',
      'copy events (uuid, person_properties) from stdin',
    ])
      await assert.rejects(pool.query(sql), { code: '42703' });
    const db = createKnex({ url, applicationName: 'test' });
    await assert.rejects(down(db), /no way back/);
    await db.destroy();
  });

  it('are referred to in months that are made later', async () => {
    const { pool } = await openReferring();
    const setClock = (ahead: string) =>
      pool.query(`create or replace function wall_clock() returns timestamptz language sql volatile as
        $$ select clock_timestamp() + interval '${ahead}' $$`);
    await setClock('2 months');
    assert.ok((await ensurePartitions(pool)).length > 0);
    await setClock('4 months');
    await store(pool, [set('a', { n: 1 })]);
    const { rows } = await pool.query('select person_properties from events_with_persons');
    assert.deepEqual(rows, [{ person_properties: { n: 1 } }]);
  });
});
