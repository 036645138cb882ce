import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS, type Ingest } from '../../../src/events/ingest/ingest.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startBreakingProxy } from '../../support/servers/faulty-proxy.ts';
import { buildEvent, buildRows, microseconds } from '../../support/events/events.ts';
import { until } from '../../support/until.ts';

/** Of what an ingest sends, only the rows begin so. */
const areRows = (sent: Buffer) => sent.toString('latin1', 0, 16).includes('PGCOPY');

describe('storing events', () => {
  let database: TestDatabase;
  let pool: Pool;
  let ingest: Ingest;
  let projectId = 0;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS, lockTimeoutMs: 150 });
    ingest = createIngest(pool);
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => (projectId += 1));

  const through = (port: number) => {
    const url = new URL(database.url);
    url.port = String(port);
    return url.href;
  };
  const rows = (events: Parameters<typeof buildRows>[0], historical = false) =>
    buildRows(events, { projectId, historical });
  const stored = async <T>(columns: string): Promise<T[]> =>
    (await pool.query(`select ${columns} from events where project_id = ${projectId} order by uuid`)).rows as T[];
  const count = async (): Promise<number> => (await stored<{ n: number }>('uuid')).length;

  it('keeps every value, microseconds included', async () => {
    const event = buildEvent({
      event: 'Zwölf 🎈',
      distinctId: 'naïve "id"',
      properties: '{"a":{"b":[1,null,"\\n"]},"grüße":true}',
      elementsChain: 'a:b;',
      timestamp: microseconds('2015-05-17T10:05:03Z') + 123456n,
    });
    await ingest.store(projectId, [rows([event])]);
    const [row] = await stored<Record<string, unknown>>('*');
    assert.equal(row!['uuid'], event.uuid);
    assert.equal(row!['event'], event.event);
    assert.equal(row!['distinct_id'], event.distinctId);
    assert.deepEqual(row!['properties'], JSON.parse(event.properties));
    assert.deepEqual(row!['person_properties'], {});
    assert.equal(row!['elements_chain'], 'a:b;');
    assert.equal(row!['timestamp'], '2015-05-17T10:05:03.123456Z');
  });

  it('names the person by uuid v5 of project and distinct id', async () => {
    await ingest.store(projectId, [rows([buildEvent({ distinctId: 'a' }), buildEvent({ distinctId: 'a' })])]);
    const people = await stored<{ person_id: string }>('distinct person_id, uuid');
    assert.equal(new Set(people.map((row) => row.person_id)).size, 1);
    assert.match(people[0]!.person_id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('says how long the JSON line is, within what jsonb adds', async () => {
    const event = buildEvent({ event: 'é', properties: '{"path":"/"}' });
    await ingest.store(projectId, [rows([event])]);
    const [row] = await stored<{ row_bytes: number; line: string }>(
      `row_bytes, json_build_object('uuid', uuid, 'event', event, 'distinct_id', distinct_id, 'person_id', person_id,
         'properties', properties, 'person_properties', person_properties, 'elements_chain', elements_chain,
         'timestamp', "timestamp", 'created_at', created_at, '_inserted_at', inserted_at)::jsonb::text as line`,
    );
    const compact = JSON.stringify(JSON.parse(row!.line)).length;
    assert.ok(Math.abs(row!.row_bytes - compact) < 20, `${row!.row_bytes} for a line of about ${compact}`);
  });

  it('gives all events of a transaction one instant, which places live ones', async () => {
    const past = microseconds('2015-05-17T10:00:00Z');
    await ingest.store(projectId, [rows([buildEvent({ timestamp: past }), buildEvent()]), rows([buildEvent()])]);
    const instants = await stored<{ inserted_at: string; interval_time: string }>('inserted_at, interval_time');
    assert.equal(new Set(instants.flatMap((row) => [row.inserted_at, row.interval_time])).size, 1);
  });

  it('places historical events by their timestamp, never later than now, and records the range', async () => {
    const first = microseconds('2015-05-17T10:05:03Z') + 1n;
    const last = microseconds('2015-05-17T12:00:00Z');
    const future = microseconds(new Date(Date.now() + 3_600_000).toISOString());
    await ingest.store(projectId, [rows([buildEvent({ timestamp: first }), buildEvent({ timestamp: last })], true)]);
    await ingest.store(projectId, [rows([buildEvent({ timestamp: future })], true)]);

    const placed = await stored<{ interval_time: string; now: boolean }>(
      'interval_time, interval_time = inserted_at as now',
    );
    assert.deepEqual(placed.map((row) => (row.now ? 'now' : row.interval_time)).sort(), [
      '2015-05-17T10:05:03.000001Z',
      '2015-05-17T12:00:00.000000Z',
      'now',
    ]);
    const ranges = await pool.query<{ range_from: string; range_to: string; now: boolean }>(
      `select range_from, range_to, range_from = inserted_at as now from import_ranges where project_id = ${projectId} order by 1`,
    );
    const [range, present] = ranges.rows;
    assert.deepEqual(range, {
      range_from: '2015-05-17T10:05:03.000001Z',
      range_to: '2015-05-17T12:00:00.000001Z',
      now: false,
    });
    assert.equal(present?.now, true);
  });

  it('stores a uuid once: in one request, in one group, in a later one', async () => {
    const event = buildEvent({ event: 'first' });
    const again = { ...event, event: 'second' };
    await ingest.store(projectId, [rows([event, again, buildEvent()]), rows([again])]);
    await ingest.store(projectId, [rows([again, buildEvent({ event: 'new' })])]);
    const events = await stored<{ event: string }>('event');
    assert.deepEqual(events.map((row) => row.event).sort(), ['first', 'new', 'pageview']);
  });

  it('stores the same uuid for each project that sends it', async () => {
    const event = buildEvent();
    await ingest.store(projectId, [rows([event])]);
    projectId += 1;
    await ingest.store(projectId, [rows([event])]);
    assert.equal(await count(), 1);
  });

  it('records no range for an import that was all stored before', async () => {
    const events = [buildEvent({ timestamp: 0n })];
    await ingest.store(projectId, [rows(events, true)]);
    await ingest.store(projectId, [rows(events, true)]);
    const { rowCount } = await pool.query(`select from import_ranges where project_id = ${projectId}`);
    assert.equal(rowCount, 1);
  });

  it('stores overlapping requests from many connections at once, each uuid once', async () => {
    const events = Array.from({ length: 200 }, () => buildEvent());
    const shuffled = () => [...events].sort(() => Math.random() - 0.5);
    await Promise.all(Array.from({ length: 8 }, () => ingest.store(projectId, [rows(shuffled())])));
    assert.equal(await count(), 200);
  });

  it('finds the rows that Postgres refuses and stores all others', async () => {
    const nul = { properties: '{"a":"\\u0000"}' };
    const events = Array.from({ length: 50 }, (_, index) => buildEvent(index === 7 || index === 31 ? nul : {}));
    assert.deepEqual(await ingest.store(projectId, [rows(events), rows([buildEvent()]), rows([buildEvent(nul)])]), [
      [7, 31],
      [],
      [0],
    ]);
    assert.equal(await count(), 49);
  });

  it('tries again while another transaction claims the same uuid, and gives up without storing anything', async () => {
    const event = buildEvent();
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('insert into event_ids values ($1, $2)', [projectId, event.uuid]);
    setTimeout(() => void holder.query('rollback'), 200);
    await ingest.store(projectId, [rows([event])]);
    assert.equal(await count(), 1);

    const other = buildEvent();
    await holder.query('begin');
    await holder.query('insert into event_ids values ($1, $2)', [projectId, other.uuid]);
    await assert.rejects(ingest.store(projectId, [rows([other, buildEvent()])]), { name: 'Unavailable' });
    await holder.query('rollback');
    holder.release();
    assert.equal(await count(), 1);
  });

  it('stores once when its connection is lost on the way', async () => {
    const event = buildEvent();
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('insert into event_ids values ($1, $2)', [projectId, event.uuid]);
    const patient = createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS });
    const storing = createIngest(patient).store(projectId, [rows([event])]);
    const endWaiting = () =>
      pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
    await until('it to wait', async () => (await endWaiting()).rowCount);
    await holder.query('rollback');
    holder.release();
    assert.deepEqual(await storing, [[]]);
    await patient.end();
    assert.equal(await count(), 1);
  });

  it('stores once when the answer to its commit is lost', async () => {
    const { hostname: host, port } = new URL(database.url);
    let breaks = 1;
    const proxy = await startBreakingProxy({ host, port: Number(port) }, (sent) =>
      areRows(Buffer.from(sent, 'latin1')) && breaks-- > 0 ? 'answered' : undefined,
    );
    const far = createPool({ url: through(proxy.port), applicationName: 'test', ...INGEST_TIMEOUTS });
    assert.deepEqual(await createIngest(far).store(projectId, [rows([buildEvent()])]), [[]]);
    await far.end();
    proxy.close();
    assert.equal(proxy.breaks, 1);
    assert.equal(await count(), 1);
  });

  it('cuts a connection that falls silent, and stores over another', async () => {
    const { hostname: host, port } = new URL(database.url);
    let silenced = 0;
    const proxy = createServer((client) => {
      const upstream = connect(Number(port), host);
      client.on('data', (sent) => {
        if (areRows(sent) && silenced++ === 0) return;
        upstream.write(sent);
      });
      upstream.pipe(client);
      for (const socket of [client, upstream]) socket.on('error', () => {}).on('close', () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const far = createPool({ url: through((proxy.address() as AddressInfo).port), applicationName: 'test' });
    const storing = createIngest(far, { patienceMs: 4_000 }).store(projectId, [rows([buildEvent()])]);
    assert.deepEqual(await storing, [[]]);
    await far.end();
    proxy.close();
    assert.equal(silenced, 2);
    assert.equal(await count(), 1);
  });

  it('stores a group that takes too long in several transactions', async () => {
    await pool.query(`
      create function take_long() returns trigger language plpgsql as $$ begin perform pg_sleep(0.02); return new; end $$;
      create trigger take_long before insert on events for each row when (new.event = 'slow') execute function take_long()`);
    const hasty = createPool({
      url: database.url,
      applicationName: 'test',
      ...INGEST_TIMEOUTS,
      statementTimeoutMs: 1_000,
    });
    const events = Array.from({ length: 64 }, () => buildEvent({ event: 'slow' }));
    const refused = await createIngest(hasty).store(projectId, [rows(events.slice(0, 40)), rows(events.slice(40))]);
    await hasty.end();
    await pool.query('drop function take_long cascade');
    assert.deepEqual(refused, [[], []]);
    assert.equal(await count(), 64);
    assert.equal(new Set((await stored<{ inserted_at: string }>('inserted_at')).map((row) => row.inserted_at)).size, 8);
  });

  it('does not take our own mistake for an absent Postgres', async () => {
    const broken = rows([buildEvent()]);
    broken.subjects[0] = { ...broken.subjects[0]!, person: undefined as never };
    await assert.rejects(ingest.store(projectId, [broken]), { name: 'TypeError' });
  });

  it('is unavailable, and refuses no event, while the month has no partition', async () => {
    await pool.query(
      `create or replace function wall_clock() returns timestamptz language sql as $$ select clock_timestamp() + interval '8 months' $$`,
    );
    try {
      await assert.rejects(ingest.store(projectId, [rows([buildEvent()])]), { name: 'Unavailable' });
    } finally {
      await pool.query(
        `create or replace function wall_clock() returns timestamptz language sql as 'select clock_timestamp()'`,
      );
    }
  });
});
