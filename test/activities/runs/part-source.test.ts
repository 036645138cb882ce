import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { PlannedRun } from '../../../activities/runs/open-session.ts';
import { partSource } from '../../../activities/runs/part-source.ts';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { eventReader } from '../../../src/events/reading/read.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { columnsOf } from '../../../src/events/reading/selection.ts';
import { unfilteredContent } from '../../../src/conditions/rows/content.ts';
import { readAll } from '../../support/database/copy-stream.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const START = '2015-05-17T10:00:00.000000Z';
const END = '2015-05-17T11:00:00.000000Z';

describe('the source of a part', () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 3 });
    await pool.query(
      `insert into events select 1, uuid, 'pageview', 'someone', uuid, '{}', '{}', '', $1, now, now, $1, 100
       from (select ingest_now() as now) as clock, unnest($2::uuid[]) as uuid`,
      [START, [randomUUID(), randomUUID(), randomUUID()]],
    );
  });
  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  /** Reads the three rows as a part that was planned with so many. */
  async function read(planned: number, as: 'file' | 'rows') {
    const content = unfilteredContent('events');
    const cutoff = await createSealer(pool).seal();
    const columns = columnsOf(content, 'files');
    const run = {
      plan: { columns, file: { format: 'JSONLines', compression: null, numbered: false } },
      slice: { projectId: 1, start: START, end: END, cutoff, content },
    } as unknown as PlannedRun;
    const source = partSource(eventReader(pool), run, { rows: planned }, null, new AbortController().signal);
    await readAll(source[as]());
    return source.summary();
  }

  for (const as of ['file', 'rows'] as const) {
    it(`holds as many rows as were planned, as ${as}`, async () => {
      assert.equal((await read(3, as)).rows, 3);
    });

    it(`is refused with fewer rows than were planned, as ${as}`, async () => {
      await assert.rejects(read(4, as), { name: 'IntervalShrank', message: /shrank by 1 row/ });
    });

    it(`is refused with more rows than were planned, as ${as}`, async () => {
      await assert.rejects(read(2, as), /planned with 2 rows has 3: rows were added to the interval/);
    });
  }

  it('is no part before it was read', () => {
    const run = { plan: {}, slice: {} } as unknown as PlannedRun;
    const source = partSource(eventReader(pool), run, { rows: 0 }, null, new AbortController().signal);
    assert.throws(() => source.summary(), /without reading it/);
  });
});
