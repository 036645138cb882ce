/** An export into the database that Sluice itself stores its events in: deliveries and ingest must not wait for each other. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows, testInterval } from '../../support/exports/deliveries.ts';
import { eventually } from '../../support/exports/export-world.ts';
import { LOOPBACK_ENVIRONMENT } from '../../support/exports/test-place.ts';

const INGEST = 'select ingest_now()';

describe('an export into Sluice’s own database', () => {
  let database: TestDatabase;
  let pool: Pool;
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test' });
    await pool.query('create schema delivered');
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  function interval() {
    const url = new URL(database.url);
    const config = {
      host: url.hostname,
      port: Number(url.port),
      user: url.username,
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      schema: 'delivered',
      table_name: 'events',
      has_self_signed_cert: false,
    };
    return testInterval({
      destination: destinationOf('Postgres', LOOPBACK_ENVIRONMENT),
      config,
      environment: LOOPBACK_ENVIRONMENT,
    });
  }

  it('delivers while a transaction that stores events is open', async () => {
    const writer = await pool.connect();
    try {
      await writer.query('begin');
      await writer.query(INGEST);
      const delivery = interval().deliver([buildRows(3)]);
      const first = await Promise.race([delivery, sleep(60_000, 'it waits for the writer', { ref: false })]);
      assert.notEqual(first, 'it waits for the writer');
      assert.equal((await delivery).receipt.rows, 3);
    } finally {
      await writer.query('rollback');
      writer.release();
    }
  });

  it('keeps neither ingest nor a seal waiting while its tables are made, and no seal ends its session', async () => {
    await pool.query(`
      create function hold_tables() returns event_trigger language plpgsql as
        $$ begin if current_setting('application_name') = 'sluice' then perform pg_sleep(6); end if; end $$`);
    await pool.query(
      `create event trigger hold_tables on ddl_command_start when tag in ('CREATE TABLE') execute function hold_tables()`,
    );
    const delivery = interval().deliver([buildRows(3)]);
    await eventually('its tables being made', async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where application_name = 'sluice' and wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });
    const began = performance.now();
    await pool.query(INGEST);
    // A seal that waited would end the session after 100 ms, and fail after as long again.
    await createSealer(pool, { patienceMs: 100 }).seal();
    assert.ok(performance.now() - began < 5_000);
    assert.equal((await delivery).receipt.rows, 3);
  });
});
