/** Persons who are deleted together with their events, and the deliveries that held them. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eraseRows, settleErasures } from '../../activities/rounds/erase-persons.ts';
import { createActivities } from '../../activities/index.ts';
import { openSession, requirePlan } from '../../activities/runs/open-session.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../src/events/ingest/ingest.ts';
import type { NewEvent } from '../../src/events/ingest/event-rows.ts';
import { erasureStore, type ErasedDelivery, type ErasureSubject } from '../../src/events/records/erasures.store.ts';
import { hideEvents } from '../../src/events/table/expiry.ts';
import { exportVerifier } from '../../src/exports/deliveries/verify.ts';
import { isoMicros } from '../../src/exports/domain/instants.ts';
import { createClient, createKnex, createPool, type Knex } from '../../src/platform/db/connection.ts';
import { inTransaction } from '../../src/platform/db/transactions.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database/database.ts';
import { buildPersonEvent } from '../support/database/stored-persons.ts';
import { buildRows, microseconds } from '../support/events/events.ts';
import { eventOf, identify, set, type Line } from '../support/events/person-lines.ts';
import { deliveredFiles, deliveredRows } from '../support/exports/delivered-files.ts';
import {
  buildExport,
  buildExportWorld,
  eventually,
  runsAfterBackfill,
  type ExportWorld,
} from '../support/exports/export-world.ts';
import { holdAt } from '../support/servers/hold-at.ts';
import { startHttpReceiver, type HttpReceiver } from '../support/servers/http-receiver.ts';

const HOUR = 3_600_000;
const begin = Math.floor(Date.now() / HOUR) * HOUR - 4 * HOUR;
const boundary = (hour: number) => isoMicros(begin + hour * HOUR);
const { signal } = new AbortController();

const files = (directory: string, more = {}) => ({
  type: 'LocalFile',
  config: { directory, layout: 'stable', ...more },
});

/** `name hour rows reason-or-state` of each. */
const shown = (deliveries: readonly ErasedDelivery[], exports: Record<string, { id: string }>) =>
  deliveries
    .map(({ batchExportId, start, rows, state, reason }) => {
      const name = Object.keys(exports).find((key) => exports[key]!.id === batchExportId);
      return [name, (Date.parse(start) - begin) / HOUR, rows, reason ?? state].join(' ');
    })
    .sort();

describe('an erasure', () => {
  let world: ExportWorld;
  let db: Knex;
  let place: TestDatabase;
  let receiver: HttpReceiver;
  before(async () => {
    [world, place, receiver] = await Promise.all([buildExportWorld(), createEmptyDatabase(), startHttpReceiver()]);
    db = createKnex({ url: world.options.databaseUrl, applicationName: 'test' });
    await world.startWorker();
  });
  after(async () => {
    await Promise.all([db?.destroy(), receiver?.stop(), world?.close()]);
    await place?.drop();
  });
  beforeEach(async () => {
    await sql('truncate erasures, event_retention, events, event_ids, import_ranges cascade');
  });

  const sql = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await world.engine.pool.query<Row>(text, values)).rows;

  /** Stores lines as capture does at the 20th minute of an hour. */
  async function storeIn(hour: number, lines: readonly Line[]): Promise<NewEvent[]> {
    const at = begin + hour * HOUR + 1_200_000;
    const events = lines.map((line) =>
      buildPersonEvent(eventOf(line, Number(microseconds(new Date(at).toISOString())))),
    );
    await storeAgain(events, at);
    return events;
  }
  async function storeAgain(events: readonly NewEvent[], at = Date.now()): Promise<void> {
    const pool = createPool({ url: world.options.databaseUrl, applicationName: 'test-ingest', ...INGEST_TIMEOUTS });
    pool.on('connect', (client) => void client.query(`set sluice.ingest_now to '${isoMicros(at)}'`));
    try {
      await createIngest(pool).store(world.projectId, [buildRows(events, { projectId: world.projectId })]);
    } finally {
      await pool.end();
    }
  }

  type Overrides = Parameters<typeof buildExport>[0];
  const create = async (overrides: Overrides = {}) => {
    const wanted = buildExport(overrides);
    const { id } = await world.batchExports.create(world.projectId, wanted);
    return { id, folder: `${world.folder}/${String(wanted.destination.config['directory'])}` };
  };
  const request = async (id: string, from = 0, to = 2) =>
    world.backfills.request(world.projectId, id, { startAt: boundary(from), endAt: boundary(to) });
  async function deliver(id: string, from = 0, to = 2): Promise<void> {
    const backfill = await request(id, from, to);
    const runs = await runsAfterBackfill(world, id, backfill.id);
    assert.deepEqual([...new Set(runs.map(({ status, latestError }) => latestError ?? status))], ['Completed']);
  }
  const ask = async (subject: ErasureSubject) =>
    inTransaction(db, async (tx) => erasureStore(tx).request(world.projectId, subject));
  const erase = async () => eraseRows(world.engine, { beginWithinMs: 60_000, signal });
  const settle = async () => settleErasures(world.engine, { beginWithinMs: 60_000, signal });
  const stateOf = async (id: string) => erasureStore(db).get(world.projectId, id);
  const listed = async (id: string) =>
    erasureStore(db).listDeliveries({ id }, { states: [], visible: { madeBy: null, except: [] } }, { limit: 1000 });
  const ended = async (id: string) =>
    eventually('the erasure to end', async () => {
      await new MockActivityEnvironment().run(createActivities(world.engine).reconcileAll);
      const erasure = await stateOf(id);
      return erasure.finishedAt !== null && erasure;
    });
  async function findings(exportId: string): Promise<string[]> {
    const openRun = async (run: Parameters<typeof requirePlan>[0]) =>
      openSession(world.engine, requirePlan(run), signal);
    const verifier = exportVerifier({ ...world.engine, openSession: openRun });
    const intervals = await Array.fromAsync(verifier.verify(exportId, { from: null, to: null }, true));
    return intervals.flatMap((interval) => interval.findings.map(({ kind }) => kind));
  }
  type Delivered = { distinct_id: string };
  const idsIn = async (folder: string) =>
    (await deliveredRows<Delivered>(folder)).map(({ distinct_id: id }) => id).sort();

  it('deletes the rows of a person, and has deliveries made again without them', async () => {
    const config = {
      host: new URL(place.url).hostname,
      port: Number(new URL(place.url).port),
      user: new URL(place.url).username,
      password: decodeURIComponent(new URL(place.url).password),
      database: new URL(place.url).pathname.slice(1),
      table_name: 'events',
    };
    const exports = {
      files: await create({ destination: files('files') }),
      others: await create({ destination: files('others', { include_events: ['$identify'] }) }),
      people: await create({ destination: files('people'), model: 'persons' }),
      sessions: await create({ destination: files('sessions'), model: 'sessions' }),
      table: await create({ destination: { type: 'Postgres', config } }),
      merged: await create({
        destination: { type: 'Postgres', config: { ...config, table_name: 'people' } },
        model: 'persons',
      }),
      moved: await create({ destination: { type: 'Postgres', config: { ...config, table_name: 'before' } } }),
      http: await create({ destination: { type: 'HTTP', config: { url: `${receiver.url}/`, token: 'phc_x' } } }),
    };
    const first = await storeIn(0, [
      set('visitor', { email: 'ada@example.com', seen: 1 }),
      set('bob', { email: 'bob@example.com' }),
      ['paid', 'ada', { $session_id: 'of ada' }],
    ]);
    await storeIn(1, [identify('ada', 'visitor'), set('ada', { seen: 2 }), set('bob', { seen: 2 })]);
    await Promise.all(Object.values(exports).map(async ({ id }) => deliver(id)));
    assert.deepEqual(await idsIn(exports.files.folder), ['ada', 'ada', 'ada', 'bob', 'bob', 'visitor']);
    // The former table keeps both deliveries, and the first interval is in the new one, too.
    await world.batchExports.patch(world.projectId, exports.moved.id, {
      destination: { type: 'Postgres', config: { ...config, table_name: 'after' } },
    });
    await deliver(exports.moved.id, 0, 1);

    // A run that failed on its way has sent rows, and has no receipt.
    await sql(
      `update batch_export_runs set status = 'Failed', receipt = null where batch_export_id = $1 and data_interval_start = $2`,
      [exports.http.id, boundary(1)],
    );

    const [ada] = await sql<{ id: string }>(
      `select person_id as id from person_distinct_ids where distinct_id = 'ada'`,
    );
    const { erasure, isNew } = await ask({ ids: [ada!.id] });
    assert.deepEqual([erasure.state, erasure.persons, isNew], ['pending', 1, true]);
    assert.deepEqual(await ask({ ids: [ada!.id] }), { erasure, isNew: false });
    await storeAgain([buildPersonEvent(eventOf(['paid', 'ada', {}], Number(microseconds(new Date().toISOString()))))]);

    // The process dies after the events are deleted, before the versions are.
    await sql(`create function die() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
      create trigger die before delete on person_versions for each statement execute function die()`);
    await erase();
    await sql('drop function die cascade');
    const halfWay = await stateOf(erasure.id);
    assert.deepEqual([halfWay.state, halfWay.eventsDeleted, halfWay.personVersionsDeleted], ['deleting', 4, 0]);
    assert.deepEqual(await findings(exports.files.id), ['erased', 'erased']);
    await erase();
    const deleted = await stateOf(erasure.id);
    assert.deepEqual([deleted.state, deleted.eventsDeleted], ['redelivering', 4]);
    assert.ok(deleted.personVersionsDeleted >= 3);
    // As an adopted run after a restore: its row is new, its rows are not.
    await sql('update batch_export_runs set created_at = clock_timestamp() where batch_export_id = $1', [
      exports.files.id,
    ]);
    const left = await sql<{ distinct_id: string; is_deleted: boolean; properties: object }>(
      `select distinct_id, is_deleted, properties from person_versions where distinct_id in ('ada', 'visitor') order by distinct_id, version`,
    );
    assert.deepEqual(
      left.map(({ distinct_id: id, is_deleted: isDeleted, properties }) => [id, isDeleted, properties]),
      [
        ['ada', true, {}],
        ['ada', false, {}],
        ['visitor', true, {}],
      ],
      'what says that the person was deleted, and the person who came later',
    );

    const { state, deliveries } = await ended(erasure.id);
    assert.deepEqual(shown(await listed(erasure.id), exports), [
      'files 0 2 clean',
      'files 1 2 clean',
      'http 0 2 append_destination',
      'http 1 2 append_destination',
      'merged 0 2 clean',
      'merged 1 2 clean',
      'moved 0 2 earlier_place',
      'moved 1 2 earlier_place',
      'others 1 1 clean',
      'people 0 2 clean',
      'people 1 2 clean',
      'sessions 0 1 clean',
      'sessions 1 1 clean',
      'table 0 2 clean',
      'table 1 2 clean',
    ]);
    assert.deepEqual(
      [state, deliveries],
      ['done_with_remainder', { held: 0, clean: 11, remainder: 4, not_searched: 0, handled: 0 }],
    );
    assert.deepEqual(await idsIn(exports.files.folder), ['bob', 'bob']);
    assert.deepEqual(await idsIn(exports.others.folder), []);
    assert.deepEqual(await idsIn(exports.people.folder), ['bob', 'bob']);
    assert.deepEqual(await idsIn(exports.sessions.folder), []);
    const table = createClient({ url: place.url, applicationName: 'test' });
    await table.connect();
    assert.deepEqual((await table.query('select distinct distinct_id from events')).rows, [{ distinct_id: 'bob' }]);
    assert.deepEqual((await table.query('select distinct distinct_id from people')).rows, [{ distinct_id: 'bob' }]);
    await table.end();
    for (const { id } of [exports.files, exports.table, exports.people]) assert.deepEqual(await findings(id), []);
    const [forgotten] = await sql(
      `select person_ids || '{}' as ids, distinct_ids, next_check_at as check from erasures`,
    );
    assert.deepEqual(forgotten, { ids: [], distinct_ids: [], check: null }, 'none of the remainders can change');

    await storeAgain([first[0]!, first[2]!]);
    const events = await sql<{ distinct_id: string }>('select distinct_id from events order by 1');
    assert.deepEqual(
      events.map(({ distinct_id: id }) => id),
      ['ada', 'bob', 'bob'],
      'the late event stays, and repeated ones stay deleted',
    );
  });

  for (const [name, step, hour] of [
    ['has read the rows before', 'before-committing', 2],
    ['reads fewer rows than it planned', 'after-plan', 3],
  ] as const) {
    it(`has an interval delivered again whose run ${name}`, async () => {
      await storeIn(hour, [set('ada', {}), set('bob', {})]);
      const batchExport = await create({ destination: { type: 'LocalFile', config: { directory: step } } });
      const gate = holdAt(world, batchExport.id, step);
      const backfill = await request(batchExport.id, hour, hour + 1);
      await gate.reached;
      const { erasure } = await ask({ distinctIds: ['ada'] });
      assert.equal(await erase(), 2, 'the event, and the state of the person');
      await settle();
      assert.equal((await stateOf(erasure.id)).state, 'redelivering', 'it waits for the run');
      gate.goOn();
      await runsAfterBackfill(world, batchExport.id, backfill.id);
      const { state } = await ended(erasure.id);
      assert.deepEqual(await idsIn(batchExport.folder), ['bob']);
      // The files of the delivery before stay for the time of grace.
      const isDelivered = step === 'before-committing';
      assert.equal(state, isDelivered ? 'done_with_remainder' : 'done');
      const [{ reason, keptUntil }] = (await listed(erasure.id)) as [ErasedDelivery];
      assert.equal(reason, isDelivered ? 'superseded_files' : null);
      assert.equal(keptUntil !== null && Date.parse(keptUntil) > Date.now(), isDelivered);
      if (!isDelivered) return;
      await sql('truncate superseded_files');
      await settle();
      assert.equal((await stateOf(erasure.id)).state, 'done_with_remainder', 'checked again later');
      await sql('update erasures set next_check_at = clock_timestamp()');
      await settle();
      assert.equal((await stateOf(erasure.id)).state, 'done');
    });
  }

  it('reads deliveries back before it is done: lists rows that are found, but no new ones of the same ids', async () => {
    const hour = -1;
    await storeIn(hour, [set('ada', {}), set('bob', {})]);
    const half = begin + hour * HOUR + HOUR / 2;
    await storeAgain([buildPersonEvent(eventOf(['paid', 'ada', {}], half * 1000))], half);
    const batchExport = await create({ destination: files('searched') });
    await deliver(batchExport.id, hour, hour + 1);
    const { erasure } = await inTransaction(db, async (tx) => {
      await tx.raw(`set local sluice.ingest_now to '${isoMicros(half)}'`);
      return erasureStore(tx).request(world.projectId, { distinctIds: ['ada'] });
    });
    await erase();
    await new MockActivityEnvironment().run(createActivities(world.engine).reconcileAll);
    await eventually('the re-delivery', async () => {
      const completed = await sql(`select from batch_export_runs where batch_export_id = $1 and status = 'Completed'`, [
        batchExport.id,
      ]);
      return completed.length === 2;
    });
    assert.deepEqual(await idsIn(batchExport.folder), ['ada', 'bob']);

    const [file] = (await deliveredFiles(batchExport.folder)) as [string];
    const content = await readFile(file, 'utf8');
    await writeFile(file, '{');
    const own = async () => {
      const [delivery] = (await listed(erasure.id)).filter(({ batchExportId }) => batchExportId === batchExport.id);
      return delivery!;
    };
    for (let failures = 0; failures < 5; failures++) {
      assert.equal((await own()).state, 'held');
      await settle();
      const [{ searched }] = (await sql<{ searched: number }>(
        `update erased_deliveries set searched_at = '-infinity' where batch_export_id = $1 returning search_failures as searched`,
        [batchExport.id],
      )) as [{ searched: number }];
      assert.equal(searched, failures + 1);
    }
    assert.equal((await own()).reason, 'search_failed');

    const checkNow = async () => {
      await sql('update erasures set next_check_at = clock_timestamp()');
      await settle();
    };
    await writeFile(file, content + content.replaceAll('"bob"', '"ada"'));
    await checkNow();
    const { reason, rowsFound } = await own();
    assert.deepEqual([reason, rowsFound], ['rows_found', 2], 'not the row that was stored later');
    await deliver(batchExport.id, hour, hour + 1);
    await checkNow();
    assert.equal((await stateOf(erasure.id)).state, 'done');
    assert.deepEqual(await sql('select distinct_ids from erasures'), [{ distinct_ids: [] }]);
  });

  it('waits for events that are being stored, and lists what had expired', async () => {
    await storeIn(0, [set('bob', {})]);
    const batchExport = await create();
    await deliver(batchExport.id, 0, 1);
    await hideEvents(world.engine.pool, world.projectId, boundary(1));
    const client = await world.engine.pool.connect();
    const uuid = '0190a5b8-7c2d-7a34-9f5b-0242ac130003';
    await client.query(`begin; select claim_events(${world.projectId}, false, '{${uuid}}')`);
    const asked = ask({ distinctIds: ['carol'] });
    await eventually('the request to wait', async () => {
      const waiting = await sql(
        `select from pg_locks where locktype = 'advisory' and not granted and classid = 7316003 and objid = ${world.projectId}`,
      );
      return waiting.length > 0;
    });
    await client.query(
      `insert into events select $1, $2, 'paid', 'carol', $2, '{}', '{}', '', now, now, now, now, 100 from (select ingest_now() as now) as clock`,
      [world.projectId, uuid],
    );
    await client.query('commit');
    client.release();
    const { erasure } = await asked;
    await erase();
    const own = async () => (await listed(erasure.id)).filter(({ batchExportId }) => batchExportId === batchExport.id);
    assert.deepEqual(
      (await own()).map(({ state }) => state),
      ['held', 'not_searched'],
      'the interval that goes on may end, and be read, before its rows are gone',
    );
    const { state, eventsDeleted, persons } = await ended(erasure.id);
    assert.deepEqual([state, eventsDeleted, persons], ['done_with_remainder', 1, 0]);
    assert.deepEqual(shown(await own(), { batchExport }), ['batchExport 0 0 not_searched']);
  });
});
