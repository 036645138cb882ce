/** Sessions of roles with limits of their own, and servers that change while a run is under way. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createClient } from '../../../src/platform/db/connection.ts';
import { startEmbeddedPostgres } from '../../../src/platform/db/embedded-postgres.ts';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { DestinationUnavailable } from '../../../src/platform/errors.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows, testInterval, type Steps } from '../../support/exports/deliveries.ts';
import { LOOPBACK_ENVIRONMENT } from '../../support/exports/test-place.ts';

const destination = destinationOf('Postgres', LOOPBACK_ENVIRONMENT);

function placeAt(url: string, change: Record<string, unknown> = {}) {
  const { hostname, port, username, password, pathname } = new URL(url);
  const config = {
    host: hostname,
    port: Number(port),
    user: username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    schema: 'public',
    table_name: 'delivered',
    has_self_signed_cert: false,
    ...change,
  };
  return { destination, config, environment: LOOPBACK_ENVIRONMENT };
}

async function on<T>(url: string, work: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
  const client = createClient({ url, applicationName: 'test' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => assert.fail('it should have failed'),
    (error: Error) => error,
  );
}

/** Leaves the connection idle before a part is loaded and before the commit. */
const slowly: Steps = async (name) => {
  if (name === 'part-0-begin' || name === 'rows') await sleep(2_500);
};

describe('a session on Postgres', () => {
  let database: TestDatabase;
  let role: string;
  beforeEach(async () => {
    database = await createEmptyDatabase();
    role = `limited_${randomBytes(4).toString('hex')}`;
    await on(database.url, async (client) => {
      await client.query(`create role ${role} login password 'first'`);
      await client.query(`grant all on schema public to ${role}`);
    });
  });
  afterEach(async () => {
    await on(database.url, (client) => client.query(`drop owned by ${role}; drop role ${role}`));
    await database.drop();
  });

  const limited = () => placeAt(database.url, { user: role, password: 'first' });
  const owner = (sql: string) => on(database.url, (client) => client.query(sql));

  it('delivers in a second and more though its role has a statement_timeout of one second', async () => {
    await testInterval(limited()).deliver([buildRows(1)]);
    await owner(`alter role ${role} set statement_timeout = '1s'`);
    await owner(`
      create function take_long() returns trigger language plpgsql as $$ begin perform pg_sleep(1.5); return null; end $$;
      create trigger take_long after insert on delivered for each statement execute function take_long()`);
    const { receipt } = await testInterval(limited()).deliver([buildRows(3)]);
    assert.equal(receipt.rows, 3);
  });

  for (const [own, used] of [
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ]) {
    it(`commits with synchronous_commit = ${used} where its role has ${own}`, async () => {
      await testInterval(limited()).deliver([buildRows(1)]);
      await owner(`alter role ${role} set synchronous_commit = '${own}'`);
      await owner(`
        create table committed (setting text);
        grant insert on committed to public;
        create function note() returns trigger language plpgsql as $$
          begin insert into committed select current_setting('synchronous_commit'); return null; end $$;
        create trigger note after insert on delivered for each statement execute function note()`);
      await testInterval(limited()).deliver([buildRows(3)]);
      const { rows } = await owner('select distinct setting from committed');
      assert.deepEqual(rows, [{ setting: used }]);
    });
  }

  it('waits for a lock longer than its role’s lock_timeout', async () => {
    const interval = testInterval(limited());
    const { run } = await interval.deliver([buildRows(3)]);
    await owner(`alter role ${role} set lock_timeout = '100ms'`);
    await on(database.url, async (other) => {
      await other.query('begin; lock table _sluice_ledger in access exclusive mode');
      const answer = run.delivered();
      await Promise.race([answer, sleep(800)]);
      await other.query('commit');
      assert.equal((await answer)?.rows, 3);
    });
  });

  it('outlives silences that its role’s idle timeouts do not permit', async () => {
    await owner(`alter role ${role} set idle_session_timeout = '2s'`);
    await owner(`alter role ${role} set idle_in_transaction_session_timeout = '2s'`);
    const run = testInterval(limited()).plan([buildRows(3)]);
    const receipt = await run.commit(await run.write(slowly), slowly);
    assert.equal(receipt.rows, 3);
  });

  it('has limits of its own, whatever the server’s version knows of them', async () => {
    await testInterval(limited()).deliver([buildRows(1)]);
    await owner(`
      create table seen (name text, setting text);
      grant all on seen to ${role};
      create function look() returns trigger language plpgsql as
        $$ begin insert into seen select name, setting from pg_settings where name like '%timeout%'; return null; end $$;
      create trigger look after insert on delivered for each statement execute function look()`);
    for (const name of ['statement_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout']) {
      await owner(`alter role ${role} set ${name} = '5s'`);
    }
    await owner(
      `do $$ begin alter role ${role} set transaction_timeout = '5s'; exception when undefined_object then null; end $$`,
    );
    await testInterval(limited()).deliver([buildRows(1)]);
    const { rows } = await on(database.url, (client) =>
      client.query<{ name: string; setting: string }>('select * from seen'),
    );
    const seen = new Map(rows.map(({ name, setting }) => [name, Number(setting)]));
    assert.equal(seen.get('statement_timeout'), 7_200_000);
    assert.equal(seen.get('idle_in_transaction_session_timeout'), 60_000);
    assert.equal(seen.get('idle_session_timeout'), 7_200_000);
    if (seen.has('transaction_timeout')) assert.equal(seen.get('transaction_timeout'), 7_200_000);
  });

  it('fails for now on a server that was turned read-only, and delivers once it is writable', async () => {
    const interval = testInterval(limited());
    await interval.deliver([buildRows(1)]);
    const name = new URL(database.url).pathname.slice(1);
    await owner(`alter database ${name} set default_transaction_read_only = on`);
    const error = await failureOf(interval.deliver([buildRows(3)]));
    assert.ok(error instanceof DestinationUnavailable, error.message);
    assert.match(error.message, /read-only.*25006/);
    await owner(
      `begin; set transaction read write; alter database ${name} reset default_transaction_read_only; commit`,
    );
    assert.equal((await interval.deliver([buildRows(3)])).receipt.rows, 3);
  });

  it('fails for now while passwords are rotated', async () => {
    const interval = testInterval(limited());
    await owner(`alter role ${role} password 'second'`);
    const error = await failureOf(interval.deliver([buildRows(3)]));
    assert.ok(error instanceof DestinationUnavailable, error.message);
    assert.match(error.message, /password is wrong/);
    await owner(`alter role ${role} nologin`);
    assert.ok((await failureOf(interval.deliver([buildRows(3)]))) instanceof DestinationUnavailable);
    await owner(`alter role ${role} login password 'first'`);
    assert.equal((await interval.deliver([buildRows(3)])).receipt.rows, 3);
  });

  it('fails for now while the schema, and then its grants, are restored', async () => {
    const interval = testInterval(placeAt(database.url, { user: role, password: 'first', schema: 'restored' }));
    const missing = await failureOf(interval.deliver([buildRows(3)]));
    assert.ok(missing instanceof DestinationUnavailable, missing.message);
    assert.match(missing.message, /schema "restored" does not exist/);
    await owner('create schema restored');
    const denied = await failureOf(interval.deliver([buildRows(3)]));
    assert.ok(denied instanceof DestinationUnavailable, denied.message);
    assert.match(denied.message, /lacks a privilege/);
    await owner(`grant all on schema restored to ${role}`);
    assert.equal((await interval.deliver([buildRows(3)])).receipt.rows, 3);
  });

  it('reports a test step at once', async () => {
    const context = {
      projectId: 7,
      model: 'events',
      columns: [],
      merge: null,
      environment: LOOPBACK_ENVIRONMENT,
      signal: new AbortController().signal,
    };
    await owner(`alter role ${role} password 'second'`);
    const began = performance.now();
    const error = await failureOf(destination.steps[0]!.run(limited().config, context));
    assert.match(error.message, /user or the password is wrong/);
    assert.ok(performance.now() - began < 9_000);
  });
});

describe('a standby', () => {
  it('fails for now, and is delivered to once it is promoted', async () => {
    const directories = await Promise.all(
      ['primary', 'standby'].map((name) => mkdtemp(path.join(tmpdir(), `sluice-test-${name}-`))),
    );
    const [primaryDirectory, standbyDirectory] = directories as [string, string];
    try {
      const primary = await startEmbeddedPostgres({ directory: primaryDirectory, port: 0, durable: false });
      await on(primary.url, (client) => client.query('create schema warehouse'));
      await primary.stop();
      // With its owner, which need not be the one of this process.
      await promisify(execFile)('cp', ['-a', `${primaryDirectory}/.`, standbyDirectory]);
      await writeFile(path.join(standbyDirectory, 'data', 'standby.signal'), '');
      const standby = await startEmbeddedPostgres({ directory: standbyDirectory, port: 0, durable: false });
      try {
        const interval = testInterval(placeAt(standby.url, { schema: 'warehouse' }));
        const error = await failureOf(interval.deliver([buildRows(3)]));
        assert.ok(error instanceof DestinationUnavailable, error.message);
        assert.match(error.message, /standby.*25006/);
        await on(standby.url, (client) => client.query('select pg_promote()'));
        assert.equal((await interval.deliver([buildRows(3)])).receipt.rows, 3);
      } finally {
        await standby.stop('immediate');
      }
    } finally {
      await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })));
    }
  });
});
