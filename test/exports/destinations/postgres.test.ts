import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createClient } from '../../../src/platform/db/connection.ts';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { checkIdentifier, quoteName } from '../../../src/exports/destinations/postgres/identifiers.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../../../src/platform/errors.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows, freezeAt, testInterval, type TestInterval } from '../../support/exports/deliveries.ts';
import { eventually } from '../../support/exports/export-world.ts';
import { startBreakingProxy } from '../../support/servers/faulty-proxy.ts';
import { REPLACED_AT_ONCE } from '../../../src/exports/destinations/promises.ts';
import { itKeepsTheContract, type TestPlace } from '../../support/exports/destination-contract.ts';
import { LOOPBACK_ENVIRONMENT } from '../../support/exports/test-place.ts';

let database: TestDatabase;
let client: ReturnType<typeof createClient>;

type TablePlace = TestPlace & { schema: string; target: string };

/** A schema of its own in the one test database. */
async function makePlace(config: Record<string, unknown> = {}): Promise<TablePlace> {
  const schema = `s "${randomBytes(5).toString('hex')}`;
  await client.query(`create schema ${quoteName(schema)}`);
  const target = `${quoteName(schema)}.${quoteName((config['table_name'] as string | undefined) ?? 'events')}`;
  const url = new URL(database.url);

  async function tables(): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      'select relname as name from pg_class where relnamespace = $1::regnamespace and relkind = $2',
      [quoteName(schema), 'r'],
    );
    return rows.map(({ name }) => name);
  }
  async function content(): Promise<string[]> {
    if (!(await tables()).includes('events')) return [];
    const { rows } = await client.query<{ row: string }>(`select events::text as row from ${target} events order by 1`);
    return rows.map(({ row }) => row);
  }
  return {
    schema,
    target,
    destination: destinationOf('Postgres', LOOPBACK_ENVIRONMENT),
    config: {
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      schema,
      table_name: 'events',
      has_self_signed_cert: false,
      ...config,
    },
    environment: LOOPBACK_ENVIRONMENT,
    snapshot: async () => Object.fromEntries((await content()).map((row, index) => [String(index), row])),
    async read() {
      const known = await tables();
      if (!known.includes('_sluice_ledger') || !known.includes('events')) return undefined;
      // One statement: what a reader sees is one moment.
      const { rows } = await client.query<{ delivered: string; uuids: string[] }>(
        `select (select count(*) from ${quoteName(schema)}._sluice_ledger)::text as delivered,
                (select coalesce(array_agg(uuid::text order by uuid::text), '{}') from ${target}) as uuids`,
      );
      return rows[0]!.delivered === '0' ? undefined : rows[0]!.uuids;
    },
    leftovers: async () => (await tables()).filter((name) => name.startsWith('_sluice_stage_')).length,
    damages: [
      {
        name: 'missing row',
        inflict: () => run(`delete from ${target} where uuid = (select min(uuid::text)::uuid from ${target})`),
      },
      {
        name: 'changed row',
        inflict: () =>
          run(
            `update ${target} set uuid = '${randomUUID()}' where uuid = (select min(uuid::text)::uuid from ${target})`,
          ),
      },
      { name: 'missing table', inflict: () => run(`drop table ${target}`) },
      { name: 'doubled rows', inflict: () => run(`insert into ${target} select * from ${target}`) },
    ],
    stop: () => run(`drop schema if exists ${quoteName(schema)} cascade`),
  };
}

async function run(sql: string): Promise<void> {
  await client.query(sql);
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => assert.fail('it should have failed'),
    (error: Error) => error,
  );
}

describe('Postgres', () => {
  before(async () => {
    database = await createEmptyDatabase();
    client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  itKeepsTheContract(REPLACED_AT_ONCE, makePlace);

  describe('as a table', () => {
    let place: TablePlace;
    let interval: TestInterval;
    beforeEach(async () => {
      place = await makePlace();
      interval = testInterval(place);
    });
    afterEach(() => place.stop());

    it('marks every row with its export and the start of its interval', async () => {
      await interval.deliver([buildRows(2)]);
      const { rows } = await client.query(`select distinct _sluice_export, _sluice_interval_time from ${place.target}`);
      assert.deepEqual(rows, [
        { _sluice_export: interval.exportId, _sluice_interval_time: '2015-05-17T10:00:00.000000Z' },
      ]);
    });

    it('leaves rows of other exports and other writers alone', async () => {
      await interval.deliver([buildRows(2)]);
      await testInterval(place).deliver([buildRows(3)]);
      await run(`insert into ${place.target} (uuid) values ('${randomUUID()}')`);
      const { receipt, run: last } = await interval.deliver([buildRows(1)]);
      const { rows } = await client.query(`select count(*)::int as count from ${place.target}`);
      assert.deepEqual(rows, [{ count: 1 + 3 + 1 }]);
      assert.deepEqual(await last.verify(receipt), []);
    });

    it('is made once by many runs at once', async () => {
      const intervals = Array.from({ length: 8 }, () => testInterval(place));
      await Promise.all(intervals.map((one) => one.deliver([buildRows(1)])));
      const { rows } = await client.query(`select count(*)::int as count from ${place.target}`);
      assert.deepEqual(rows, [{ count: 8 }]);
    });

    it('that another client makes at the same time without our lock is found by the next attempt', async () => {
      const other = createClient({ url: database.url, applicationName: 'test' });
      await other.connect();
      try {
        await other.query('begin');
        await other.query(`create table ${quoteName(place.schema)}._sluice_ledger (id int)`);
        const failing = failureOf(interval.deliver([buildRows(1)]));
        await eventually('the delivery to wait', async () => {
          const { rows } = await client.query(
            `select from pg_stat_activity where application_name = 'sluice' and wait_event_type = 'Lock' and query like '%_sluice_ledger%'`,
          );
          return rows.length > 0;
        });
        await other.query('commit');
        const error = await failing;
        assert.ok(error instanceof DestinationUnavailable, error.message);
      } finally {
        await other.end();
      }
    });

    it('may be the user’s own, with other columns and types that take the values', async () => {
      await run(
        `create table ${place.target} (id bigserial primary key, uuid varchar(200), event varchar(200), properties json,
           _sluice_export uuid, _sluice_interval_time timestamptz)`,
      );
      const { receipt, run: delivered } = await interval.deliver([buildRows(2)]);
      assert.deepEqual(await delivered.verify(receipt), []);
    });

    it('that lacks our columns is refused with the statements that make it fit', async () => {
      await run(`create table ${place.target} (uuid uuid, event text, properties jsonb)`);
      const error = await failureOf(interval.deliver([buildRows(2)]));
      assert.ok(error instanceof DestinationRejected, error.message);
      const [, statements] = /: (ALTER TABLE .*)$/.exec(error.message)!;
      await run(statements!);
      const { run: delivered, receipt } = await interval.deliver([buildRows(2)]);
      assert.deepEqual(await delivered.verify(receipt), []);
    });

    for (const [change, sql] of [
      ['a dropped column', (target: string) => `alter table ${target} drop column event`],
      ['a changed type', (target: string) => `alter table ${target} alter column event type int using 1`],
      ['a constraint', (target: string) => `alter table ${target} add check (event <> 'viewed') not valid`],
      ['a view in its place', (target: string) => `drop table ${target}; create view ${target} as select 1 as uuid`],
    ] as const) {
      it(`with ${change} is refused, and stays as it is`, async () => {
        await interval.deliver([buildRows(2)]);
        await run(sql(place.target));
        const before = await place.snapshot();
        const error = await failureOf(interval.deliver([buildRows(3)]));
        assert.ok(error instanceof DestinationRejected, error.message);
        assert.deepEqual(await place.snapshot(), before);
      });
    }

    it('of which another database delivers between the look at the ledger and the rows is left to that', async () => {
      await interval.deliver([buildRows(2)]);
      const attempt = interval.plan([buildRows(3)]);
      const staged = await attempt.write();
      const before = await place.snapshot();
      const other = createClient({ url: database.url, applicationName: 'other' });
      await other.connect();
      await other.query('begin');
      await other.query(`update ${quoteName(place.schema)}._sluice_ledger set run = $1`, [randomUUID()]);
      const failing = failureOf(attempt.commit(staged));
      await eventually('the commit waits for the ledger', async () => {
        const { rows } = await other.query('select from pg_locks where not granted');
        return rows.length > 0;
      });
      await other.query('commit');
      await other.end();
      assert.equal((await failing).name, 'DeliveredElsewhere');
      assert.deepEqual(await place.snapshot(), before);
    });

    it('that swallows rows is found out, and nothing changes', async () => {
      await interval.deliver([buildRows(2)]);
      const before = await place.snapshot();
      await run(`
        create function ${quoteName(place.schema)}.swallow() returns trigger language plpgsql as 'begin return null; end';
        create trigger swallow before insert on ${place.target}
          for each row execute function ${quoteName(place.schema)}.swallow()`);
      const error = await failureOf(interval.deliver([buildRows(3)]));
      assert.equal(error.name, 'ReadBackDiffers');
      assert.deepEqual(await place.snapshot(), before);
    });

    it('is delivered to when the session ends while a part is loaded', async () => {
      const parts = [buildRows(3)];
      const attempt = interval.plan(parts);
      const frozen = freezeAt('part-0-begin');
      const write = attempt.write(frozen.steps);
      await frozen.reached;
      await run(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sluice'`);
      frozen.thaw();
      const error = await failureOf(write);
      assert.ok(error instanceof DestinationUnavailable, error.message);
      const receipt = await attempt.commit(await attempt.write());
      assert.equal(receipt.rows, 3);
      assert.equal(await place.leftovers(), 0);
    });
  });

  for (const moment of ['before', 'answered'] as const) {
    it(`delivers once when the connection breaks in the commit, ${moment === 'before' ? 'not heard' : 'heard'}`, async () => {
      const direct = await makePlace();
      const { host, port } = direct.config as { host: string; port: number };
      let broken = false;
      const proxy = await startBreakingProxy({ host, port }, (sent) => {
        if (broken || !sent.includes('do $sluice_')) return undefined;
        broken = true;
        return moment;
      });
      const place = { ...direct, config: { ...(direct.config as object), port: proxy.port } };
      const interval = testInterval(place);
      const { receipt } = await interval.deliver([buildRows(3)]);
      proxy.close();
      assert.equal(proxy.breaks, 1);
      assert.equal(receipt.rows, 3);
      const { rows } = await client.query(`select count(*)::int as count from ${direct.target}`);
      assert.deepEqual(rows, [{ count: 3 }]);
      assert.equal(await direct.leftovers(), 0);
      await direct.stop();
    });
  }

  for (const name of ['events"; drop table x; --', 'select', 'Ünïcode 🦦', 'a.b', "it's", '$$', 'x'.repeat(63)]) {
    it(`takes the table name ${name.slice(0, 30)}`, async () => {
      const place = await makePlace({ table_name: name });
      await place.destination.validate(place.config, place.environment);
      const { run: delivered, receipt } = await testInterval(place).deliver([buildRows(2)]);
      assert.deepEqual(await delivered.verify(receipt), []);
      const { rows } = await client.query(`select count(*)::int as count from ${place.target}`);
      assert.deepEqual(rows, [{ count: 2 }]);
      await place.stop();
    });
  }

  it('quotes any name that it accepts so that Postgres reads the same name', async () => {
    const name = fc.string({
      unit: fc.oneof(fc.constantFrom('"', "'", '\\', '$', ';', '%'), fc.string({ unit: 'binary' })),
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(name, async (candidate) => {
        try {
          checkIdentifier(candidate, 'table_name');
        } catch {
          return;
        }
        const { fields } = await client.query(`select 1 as ${quoteName(candidate)}`);
        assert.equal(fields[0]!.name, candidate);
      }),
      { numRuns: 200 },
    );
  });

  for (const [field, value] of [
    ['table_name', 'x'.repeat(64)],
    ['table_name', 'é'.repeat(32)],
    ['table_name', ''],
    ['table_name', '_sluice_ledger'],
    ['table_name', 'a\0b'],
    ['schema', 'pg_catalog'],
    ['schema', 'information_schema'],
    ['port', 22],
    ['host', 'postgres://user:pw@db.example.com/x'],
    ['host', 'user:pw@db.example.com'],
    ['host', '/var/run/postgresql'],
    ['host', 'localhost'],
    ['host', '127.0.0.1'],
    ['host', '2130706433'],
    ['host', '0x7f.1'],
    ['host', '[::ffff:a9fe:a9fe]'],
    ['host', 'no.such.host.invalid'],
    ['host', 'a\r\nb'],
  ] as const) {
    it(`refuses the ${field} ${JSON.stringify(value).slice(0, 30)}`, async () => {
      const destination = destinationOf('Postgres', LOOPBACK_ENVIRONMENT);
      const config = {
        host: '8.8.8.8',
        port: 5432,
        database: 'd',
        schema: 'public',
        table_name: 'events',
        [field]: value,
      };
      const error = await failureOf(destination.validate(config, { localRoot: undefined, allowedHosts: [] }));
      assert.ok(error instanceof InvalidInput && error.attr === field, error.message);
      if (field === 'host') assert.match(error.message, /^This host cannot be used: /);
    });
  }

  describe('says why it cannot deliver, without hosts or secrets', () => {
    for (const [name, config, kind, message] of [
      ['a wrong password', { password: 'canary-password' }, DestinationUnavailable, /user or the password/],
      ['an unknown database', { database: 'canary' }, DestinationUnavailable, /database does not exist/],
      ['an unknown schema', { schema: 'nowhere' }, DestinationUnavailable, /schema "nowhere" does not exist/],
      ['a closed port', { port: 1 }, DestinationUnavailable, /cannot be reached/],
    ] as const) {
      it(name, async () => {
        const place = await makePlace();
        const failing = { ...place, config: { ...(place.config as object), ...config } };
        const error = await failureOf(testInterval(failing).deliver([buildRows(1)]));
        assert.ok(error instanceof kind, error.message);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /127\.0\.0\.1|canary/);
        await place.stop();
      });
    }

    it('a private host that the operator does not list', async () => {
      const place = { ...(await makePlace()), environment: { localRoot: undefined, allowedHosts: [] } };
      const error = await failureOf(testInterval(place).deliver([buildRows(1)]));
      assert.ok(error instanceof DestinationUnavailable, error.message);
      assert.match(error.message, /host cannot be used/);
      await place.stop();
    });
  });
});
