import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { estimateRows } from '../../../src/events/table/estimate.ts';
import { createIngest, INGEST_TIMEOUTS } from '../../../src/events/ingest/ingest.ts';
import { findLateImports } from '../../../src/events/table/late-imports.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, buildRows, microseconds } from '../../support/events/events.ts';

const hour = (at: number) => `2015-05-17T${String(at).padStart(2, '0')}:00:00.000000Z`;
const interval = (at: number) => ({ start: hour(at), end: hour(at + 1) });
const PROJECT = 7;

describe('an import', () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', ...INGEST_TIMEOUTS });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  /** One transaction with an event at each of these times. @returns an instant after it */
  async function store(times: string[], projectId = PROJECT): Promise<string> {
    const events = times.map((timestamp) => buildEvent({ timestamp: microseconds(timestamp) }));
    await createIngest(pool).store(projectId, [buildRows(events, { projectId, historical: true })]);
    const { rows } = await pool.query<{ now: string }>('select clock_timestamp() as now');
    return rows[0]!.now;
  }

  it('that comes after a delivery is found for its intervals, and for no other', async () => {
    const cutoff = await store(['2015-05-17T01:30:00Z', '2015-05-17T06:00:00Z']);
    await store(['2015-05-17T02:00:00Z', '2015-05-17T04:59:59.999999Z']);
    await store(['2015-05-17T03:30:00Z'], PROJECT + 1);
    const delivered = [0, 1, 2, 3, 4, 5, 6].map((at) => ({ ...interval(at), cutoff }));
    assert.deepEqual((await findLateImports(pool, PROJECT, delivered)).sort(), [hour(3), hour(5)]);
    const { rows } = await pool.query<{ now: string }>('select clock_timestamp() as now');
    const again = delivered.map((one) => ({ ...one, cutoff: rows[0]!.now }));
    assert.deepEqual(await findLateImports(pool, PROJECT, again), []);
    assert.deepEqual(await findLateImports(pool, PROJECT, []), []);
  });

  it('is counted, or estimated when it is much', async () => {
    await store(['2015-05-18T00:30:00Z', '2015-05-18T01:30:00Z', '2015-05-18T02:00:00Z']);
    await pool.query('analyze events');
    const day = { start: '2015-05-18T00:00:00.000000Z', end: '2015-05-19T00:00:00.000000Z' };
    const first = { start: day.start, end: '2015-05-18T01:00:00.000000Z' };
    const last = { start: '2015-05-18T02:00:00.000000Z', end: day.end };
    assert.deepEqual(await estimateRows(pool, 'events', PROJECT, [day]), { rows: 3, exact: true });
    assert.deepEqual(await estimateRows(pool, 'events', PROJECT, [first, last]), { rows: 2, exact: true });
    assert.deepEqual(await estimateRows(pool, 'events', PROJECT, []), { rows: 0, exact: true });
    assert.deepEqual(await estimateRows(pool, 'persons', PROJECT, [day]), { rows: 0, exact: true });
    const estimated = await estimateRows(pool, 'events', PROJECT, [day], 2);
    assert.equal(estimated.exact, false);
    assert.ok(estimated.rows >= 2);
  });
});
