import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { isDatabaseAway } from '../../../src/platform/db/away.ts';
import { createClient, createKnex, createPool } from '../../../src/platform/db/connection.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { createEmptyDatabase } from '../../support/database/database.ts';

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it passed'),
    (error: unknown) => error,
  );

describe('a database that is away', () => {
  it('is distinguished from one that refuses a statement, and from our own mistakes', async () => {
    const { url, drop } = await createEmptyDatabase();
    const db = createKnex({ url, applicationName: 'test', maxConnections: 2 });
    assert.equal(isDatabaseAway(await failureOf(db.raw('select no_such_column'))), false);
    const ended = failureOf(db.raw('select pg_terminate_backend(pg_backend_pid())'));
    assert.equal(isDatabaseAway(await ended), true);
    await db.destroy();
    await drop();
    for (const error of [new InvalidInput('no'), new TypeError('no'), 'no']) assert.equal(isDatabaseAway(error), false);
  });

  it('is like one in which a lock is held for too long, or in which no transaction can continue', async () => {
    const { url, drop } = await createEmptyDatabase();
    const db = createKnex({ url, applicationName: 'test', maxConnections: 2, lockTimeoutMs: 50 });
    await db.transaction(async (holder) => {
      await holder.raw('select pg_advisory_xact_lock(1)');
      const late = (await failureOf(db.raw('select pg_advisory_lock(1)'))) as Error & { code?: string };
      assert.deepEqual([late.code, isDatabaseAway(late)], ['55P03', true]);
    });
    for (const state of ['40P01', '40001']) {
      const failure = await failureOf(db.raw(`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`));
      assert.equal(isDatabaseAway(failure), true, state);
    }
    await db.destroy();
    await drop();
  });

  it('is one that does not answer in time', async () => {
    const { url, drop } = await createEmptyDatabase();
    const pool = createPool({ url, applicationName: 'test', answerTimeoutMs: 2_000 });
    assert.equal(isDatabaseAway(await failureOf(pool.query('select pg_sleep(60)'))), true);
    // The connection that is still busy is given up.
    assert.equal((await pool.query('select 1')).rowCount, 1);
    await pool.end();
    await drop();
  });

  it('is one where nothing listens', async () => {
    const db = createKnex({ url: 'postgres://nobody:x@127.0.0.1:1/none', applicationName: 'test' });
    assert.equal(isDatabaseAway(await failureOf(db.raw('select 1'))), true);
    await db.destroy();
  });

  it('is one that takes a connection and says nothing', async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://nobody@127.0.0.1:${port}/none`;
    const client = createClient({ url, applicationName: 'test', connectTimeoutMs: 50 });
    assert.equal(isDatabaseAway(await failureOf(client.connect())), true);
    silent.close();
  });
});
