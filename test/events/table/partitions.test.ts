import assert from 'node:assert/strict';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { ensurePartitions, countPartitionedDaysAhead } from '../../../src/events/table/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

describe('partitions of events', () => {
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

  it('are there for three months ahead after migration', async () => {
    assert.ok((await countPartitionedDaysAhead(pool)) >= 89);
    assert.deepEqual(await ensurePartitions(pool), []);
  });

  it('take any instant from year 1 to the present, each in one place', async () => {
    const { rows } = await pool.query<{ partition: string; rows: number }>(`
      with stored as (
        insert into events
        select 1, gen_random_uuid(), 'e', 'd', gen_random_uuid(), '{}', '{}', '', t, now, now, t, 1
        from (select ingest_now() as now) as x,
             unnest(array['0001-01-01Z', '1970-01-01Z', '2015-05-17Z']::timestamptz[] || now) as t
        returning tableoid::regclass::text as partition
      ) select partition, count(*)::int as rows from stored group by partition order by partition`);
    assert.deepEqual(
      rows.map((row) => row.rows),
      [1, 3],
    );
    assert.equal(rows[1]?.partition, 'events_history');
  });

  it('are made without a gap after a long sleep, by many callers at once', async () => {
    await pool.query(
      `create or replace function wall_clock() returns timestamptz language sql as $$ select clock_timestamp() + interval '30 months' $$`,
    );
    const made = await Promise.all([ensurePartitions(pool), ensurePartitions(pool), ensurePartitions(pool)]);
    assert.equal(made.flat().length, 30);
    const { rows } = await pool.query<{ months: number; span: number }>(`
      select count(*)::int as months,
             (extract(year from age(max(m), min(m))) * 12 + extract(month from age(max(m), min(m))) + 1)::int as span
      from pg_inherits join pg_class on pg_class.oid = inhrelid,
           to_date(substring(relname from '^events_(\\d{4}_\\d{2})$'), 'YYYY_MM') as m
      where inhparent = 'events'::regclass and m is not null`);
    assert.deepEqual(rows[0], { months: 58, span: 58 });
  });

  it('all keep events of up to 4 kB as they are, those of before and those that are made later', async () => {
    const { rows } = await pool.query<{ partition: string; options: string[] }>(`
      select relname as partition, reloptions as options
      from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass`);
    assert.equal(rows.length, 59);
    for (const { partition, options } of rows) assert.deepEqual(options, ['toast_tuple_target=4080'], partition);
  });
});
