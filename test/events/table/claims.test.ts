import assert from 'node:assert/strict';
import { createPool } from '../../../src/platform/db/connection.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, buildRows } from '../../support/events/events.ts';
import { until } from '../../support/until.ts';

const uuidOf = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;

describe('claims of uuids', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('of two groups that hold the same ones in another order wait for each other in one direction only', async () => {
    const watching = createPool({ url: database.url, applicationName: 'test' });
    const pools = [1, 2].map(() => createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS }));
    // Holds what both need, until both wait.
    const holder = await watching.connect();
    await holder.query('begin');
    await holder.query('insert into event_ids (project_id, uuid) values (1, $1)', [uuidOf(3)]);
    const orders = [
      [1, 3, 2],
      [2, 3, 1],
    ];
    const storing = pools.map(async (pool, index) => {
      const events = orders[index]!.map((digit) => buildEvent({ uuid: uuidOf(digit), distinctId: `of-${index}` }));
      return createIngest(pool).store(1, [buildRows(events)]);
    });
    await until('both to wait', async () => {
      const { rows } = await watching.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]!.count === 2;
    });
    await holder.query('rollback');
    holder.release();
    assert.deepEqual(await Promise.all(storing), [[[]], [[]]]);
    // A session's counters show at the latest when it ends.
    await Promise.all(pools.map((pool) => pool.end()));
    const { rows } = await watching.query(
      'select (select count(*)::int from events) as events, deadlocks::int from pg_stat_database where datname = current_database()',
    );
    await watching.end();
    assert.deepEqual(rows, [{ events: 3, deadlocks: 0 }]);
  });
});
