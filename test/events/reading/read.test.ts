import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import { eventReader, type EventReader, type PartRange } from '../../../src/events/reading/read.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { columnsOf, type Slice } from '../../../src/events/reading/selection.ts';
import { unfilteredContent } from '../../../src/conditions/rows/content.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { scanRows } from '../../../src/exports/formats/scan.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { readAll } from '../../support/database/copy-stream.ts';
import { eventually } from '../../support/exports/export-world.ts';

const START = '2015-05-17T10:00:00.000000Z';
const END = '2015-05-17T11:00:00.000000Z';
const NO_LIMITS = { rows: 250_000, bytes: 2 ** 28 };
const EVENTS = unfilteredContent('events');
const [FILE_COLUMNS, TABLE_COLUMNS] = [columnsOf(EVENTS, 'files'), columnsOf(EVENTS, 'rows')];
const UUID = FILE_COLUMNS.slice(0, 1);

describe('reading events', () => {
  let database: TestDatabase;
  let pool: Pool;
  let reader: EventReader;
  let projectId = 0;

  before(async () => {
    database = await createTestDatabase();
    pool = createPool({ url: database.url, applicationName: 'test', maxConnections: 3 });
    reader = eventReader(pool);
  });
  beforeEach(() => projectId++);
  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  type Stored = { intervalTime?: string; uuid?: string; rowBytes?: number; properties?: object };

  async function store(events: Stored[], project = projectId): Promise<string[]> {
    const rows = events.map(({ intervalTime = START, uuid = randomUUID(), rowBytes = 100, properties = {} }) => ({
      interval_time: intervalTime,
      uuid,
      row_bytes: rowBytes,
      properties,
    }));
    await pool.query(
      `insert into events
       select $1, uuid, 'pageview', 'someone', uuid, properties, '{}', '', interval_time, now, now, interval_time, row_bytes
       from (select ingest_now() as now) as clock,
            json_to_recordset($2) as (interval_time timestamptz, uuid uuid, row_bytes int, properties jsonb)`,
      [project, JSON.stringify(rows)],
    );
    return rows.map(({ uuid }) => uuid);
  }

  async function storeRange(from: string, to: string): Promise<void> {
    const sql = 'insert into import_ranges select $1, $2, $3, inserted_at from events where project_id = $1';
    await pool.query(sql, [projectId, from, to]);
  }

  async function sealedSlice(overrides: Partial<Slice> = {}): Promise<Slice> {
    const cutoff = await createSealer(pool).seal();
    return { projectId, start: START, end: END, cutoff, content: EVENTS, ...overrides };
  }

  async function uuidsOf(range: Parameters<EventReader['copy']>[0]): Promise<string[]> {
    const file = encodeFile(reader.copy(range, UUID), { columns: UUID, format: 'JSONLines', compression: null });
    const lines = (await readAll(file.bytes)).toString().split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid);
  }

  it('takes the start of an interval and leaves its end to the next', async () => {
    const [first, last] = await store([
      { intervalTime: START },
      { intervalTime: '2015-05-17T10:59:59.999999Z' },
      { intervalTime: END },
      { intervalTime: '2015-05-17T09:59:59.999999Z' },
    ]);
    await store([{}], projectId + 1000);
    assert.deepEqual(await uuidsOf(await sealedSlice()), [first, last]);
  });

  it('neither loses nor doubles rows that differ in the last microsecond at the edge of a part', async () => {
    const uuids = await store(
      ['00', '01', '01', '01', '02', '02', '03'].map((us) => ({ intervalTime: `2015-05-17T10:05:03.9999${us}Z` })),
    );
    const slice = await sealedSlice();
    for (const rows of [1, 2, 3, 4, 6]) {
      const { parts } = await reader.measure(slice, { rows, bytes: 1e9 });
      const found = await Promise.all(parts.map((part) => uuidsOf({ ...slice, ...part })));
      assert.deepEqual(
        found.map((part) => part.length),
        parts.map((part) => part.rows),
      );
      assert.deepEqual(found.flat(), await uuidsOf(slice));
      assert.deepEqual(found.flat().sort(), uuids.toSorted());
    }
  });

  it('copies rows in the order of their instants, then of their ids, however they were stored', async () => {
    const at = ['00', '01', '02', '03'].map((us) => `2015-05-17T10:05:03.9999${us}Z`);
    const ids = Array.from({ length: 4 }, () => randomUUID()).sort();
    const places = at.flatMap((intervalTime) => ids.map((id, n) => ({ intervalTime, uuid: id.slice(0, -1) + n })));
    const inOrder = places.map(({ intervalTime, uuid }, n) => ({
      intervalTime,
      uuid: uuid.slice(0, -2) + String(n).padStart(2, '0'),
    }));
    await store(inOrder.toReversed());
    const expected = inOrder.map(({ uuid }) => uuid);
    const slice = await sealedSlice();
    // Whether or not Postgres finds them in that order by itself.
    await pool.query(
      `do $$ begin
         execute format('alter database %I set enable_indexscan = off', current_database());
         execute format('alter database %I set enable_bitmapscan = off', current_database());
       end $$`,
    );
    const unordered = createPool({ url: database.url, applicationName: 'test' });
    try {
      const file = { columns: UUID, format: 'JSONLines', compression: null } as const;
      const lines = (await readAll(encodeFile(eventReader(unordered).copy(slice, UUID), file).bytes)).toString();
      assert.deepEqual(
        lines
          .split('\n')
          .slice(0, -1)
          .map((line) => (JSON.parse(line) as { uuid: string }).uuid),
        expected,
      );
    } finally {
      await unordered.end();
      await pool.query(`do $$ begin execute format('alter database %I reset all', current_database()); end $$`);
    }
    assert.deepEqual(await uuidsOf(slice), expected);
  });

  it('hashes nothing without a key', async () => {
    const content = { ...EVENTS, transformations: [{ path: 'distinct_id', action: 'hash' as const }] };
    const slice = await sealedSlice({ content });
    await assert.rejects(readAll(reader.copy(slice, FILE_COLUMNS, { hashKey: null })), /is read with a key/);
    await readAll(reader.copy(slice, FILE_COLUMNS, { hashKey: 'a'.repeat(64) }));
  });

  it('divides any slice into parts within the limits, always the same', async () => {
    const event = fc.record({
      intervalTime: fc.integer({ min: 0, max: 3 }).map((us) => `2015-05-17T10:00:00.00000${us}Z`),
      rowBytes: fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 5000 })),
      uuid: fc.uuid(),
    });
    const limits = fc.record({ rows: fc.integer({ min: 1, max: 12 }), bytes: fc.integer({ min: 1, max: 8000 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(event, { maxLength: 40, selector: (e) => e.uuid }),
        limits,
        async (events, limit) => {
          projectId++;
          await store(events);
          const slice = await sealedSlice();
          const measured = await reader.measure(slice, limit);
          assert.equal(measured.rows, events.length);
          assert.equal(measured.bytes, sum(events.map((e) => e.rowBytes)));
          assert.deepEqual(await reader.measure(slice, limit), measured);

          const bytesOf = new Map(events.map((e) => [e.uuid, e.rowBytes]));
          const seen: string[] = [];
          for (const part of measured.parts) {
            const uuids = await uuidsOf({ ...slice, ...part });
            const sizes = uuids.map((uuid) => bytesOf.get(uuid)!);
            assert.equal(uuids.length, part.rows);
            assert.ok(part.rows > 0 && part.rows <= limit.rows);
            assert.ok(sum(sizes.slice(0, -1)) <= limit.bytes, `${sum(sizes)} bytes`);
            seen.push(...uuids);
          }
          assert.deepEqual(seen, await uuidsOf(slice));
        },
      ),
      { numRuns: 25 },
    );
  });

  it('makes even parts of even rows, and none of none', async () => {
    assert.deepEqual(await reader.measure(await sealedSlice(), NO_LIMITS), { rows: 0, bytes: 0, parts: [] });
    await store(Array.from({ length: 1000 }, () => ({})));
    const slice = await sealedSlice();
    const partsOf = async (rows: number, bytes: number) => (await reader.measure(slice, { rows, bytes })).parts;
    assert.deepEqual(await partsOf(1000, 1e9), [{ rows: 1000 }]);
    assert.deepEqual(rowsOf(await partsOf(400, 1e9)), [400, 400, 200]);
    assert.deepEqual(rowsOf(await partsOf(1e6, 50_000)), [500, 500]);
  });

  it('leaves out what was stored after the cutoff, and says that the interval changed', async () => {
    const [early] = await store([{}]);
    const slice = await sealedSlice();
    const changed = () => reader.changedSince(slice);
    await store([{}, {}]);
    assert.deepEqual(await uuidsOf(await sealedSlice({ cutoff: slice.cutoff })), [early]);
    assert.equal((await reader.measure(slice, NO_LIMITS)).rows, 1);

    assert.equal(await changed(), false, 'without an import range nobody looks');
    await storeRange('2015-05-17T09:00:00Z', START);
    await storeRange('2015-05-17T10:30:00Z', END);
    assert.equal(await changed(), false, 'ranges that hold none of the new rows');
    await storeRange(START, '2015-05-17T10:00:00.000001Z');
    assert.equal(await changed(), true);
    assert.equal(await reader.changedSince(await sealedSlice()), false);
  });

  it('refuses what is not sealed', async () => {
    const sealed = await sealedSlice();
    const later = '2999-01-01T00:00:00.000000Z';
    for (const slice of [
      { ...sealed, end: later },
      { ...sealed, cutoff: later },
    ]) {
      await assert.rejects(reader.measure(slice, NO_LIMITS), Unavailable);
      await assert.rejects(reader.digest(slice), Unavailable);
      await assert.rejects(readAll(reader.copy(slice, UUID)), Unavailable);
    }
    await noBackendIsBusy();
  });

  it('digests at the source what the encoder digests on the way', async () => {
    await store(Array.from({ length: 500 }, () => ({ uuid: randomUUID().replace(/-.{4}-.{4}-/, '-ffff-ffff-') })));
    const slice = await sealedSlice();
    const scanned = scanRows(reader.copy(slice, TABLE_COLUMNS), TABLE_COLUMNS);
    await readAll(scanned.rows);
    const { rows, digest } = scanned.summary();
    assert.deepEqual({ rows, digest }, await reader.digest(slice));
    assert.equal(rows, 500);
    assert.deepEqual(await reader.digest({ ...slice, end: START }), { rows: 0, digest: '0' });
  });

  it('writes every column of a file and of a table', async () => {
    const properties = { $ip: '10.0.0.1', $set: { a: [1, { b: 'ü"' }] }, $set_once: { c: null }, 'x\n': 0.5 };
    const [uuid] = await store([{ properties, intervalTime: '2015-05-17T10:05:03.000001Z' }]);
    const slice = await sealedSlice();
    const read = async (columns: typeof TABLE_COLUMNS) => {
      const file = encodeFile(reader.copy(slice, columns), { columns, format: 'JSONLines', compression: null });
      return JSON.parse((await readAll(file.bytes)).toString()) as Record<string, unknown>;
    };
    const { rows } = await pool.query<{ inserted_at: string }>('select inserted_at from events where uuid = $1', [
      uuid,
    ]);
    const inFile = {
      uuid,
      event: 'pageview',
      distinct_id: 'someone',
      person_id: uuid,
      properties,
      person_properties: {},
      elements_chain: '',
      timestamp: '2015-05-17T10:05:03.000001Z',
      created_at: rows[0]!.inserted_at,
      _inserted_at: rows[0]!.inserted_at,
    };
    assert.deepEqual(Object.entries(await read(FILE_COLUMNS)), Object.entries(inFile));
    const inTable = {
      team_id: projectId,
      ip: '10.0.0.1',
      site_url: '',
      set: properties.$set,
      set_once: properties.$set_once,
    };
    assert.deepEqual(Object.entries(await read(TABLE_COLUMNS)), Object.entries({ ...inFile, ...inTable }));
  });

  describe('when a copy does not run to its end', () => {
    let slice: Slice;
    beforeEach(async () => {
      const properties = { filler: 'x'.repeat(1000) };
      await store(Array.from({ length: 20_000 }, () => ({ properties })));
      slice = await sealedSlice();
    });

    it('lets the connection go when its reader leaves early', async () => {
      for (let i = 0; i < 5; i++) {
        for await (const chunk of reader.copy(slice, FILE_COLUMNS)) if (chunk.length > 0) break;
      }
      await noBackendIsBusy();
    });

    it('ends with the reason of the signal, even while nothing reads', async () => {
      const abort = new AbortController();
      const chunks = reader.copy(slice, FILE_COLUMNS, { signal: abort.signal });
      await chunks.next();
      abort.abort(new Error('the worker stops'));
      await assert.rejects(readAll(chunks), /the worker stops/);
      await assert.rejects(readAll(reader.copy(slice, UUID, { signal: abort.signal })), /the worker stops/);
      await noBackendIsBusy();
    });

    it('ends at once while Postgres has nothing to say, and ends its query there', async () => {
      const locker = await pool.connect();
      try {
        await locker.query('begin; lock table events in access exclusive mode');
        const abort = new AbortController();
        const copied = readAll(reader.copy(slice, UUID, { signal: abort.signal }));
        await sleep(100);
        abort.abort(new Error('the worker stops'));
        await assert.rejects(copied, /the worker stops/);
        await noBackendIsBusy(`and query like 'copy%'`);
      } finally {
        await locker.query('rollback');
        locker.release();
      }
    });

    it('reports when the connection is lost, and the pool keeps working', async () => {
      const chunks = reader.copy(slice, FILE_COLUMNS);
      await chunks.next();
      await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'copy%' and state = 'active'`);
      await assert.rejects(readAll(chunks));
      assert.equal((await reader.measure(slice, NO_LIMITS)).rows, 20_000);
      await noBackendIsBusy();
    });

    it('passes an error of Postgres on and keeps nothing', async () => {
      const chunks = reader.copy({ ...slice, from: { intervalTime: START, uuid: 'no uuid' } }, FILE_COLUMNS);
      await assert.rejects(readAll(chunks), { code: '22P02' });
      await noBackendIsBusy();
    });

    it('makes Postgres wait for a slow reader instead of keeping rows in memory', async () => {
      const chunks = reader.copy(slice, FILE_COLUMNS);
      const first = (await chunks.next()).value as Uint8Array;
      await eventually('the server to wait', async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event = 'ClientWrite'`,
        );
        return rows.length === 1;
      });
      const rest = await readAll(chunks);
      assert.ok(first.length + rest.length > 20_000_000);
    });
  });

  async function noBackendIsBusy(which = ''): Promise<void> {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const { rows } = await pool.query<{ query: string }>(
        `select query from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' ${which}`,
      );
      if (rows.length === 0) return;
      assert.ok(Date.now() < deadline, `still at work: ${rows[0]!.query}`);
      await sleep(20);
    }
  }
});

const rowsOf = (parts: PartRange[]) => parts.map((part) => part.rows);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
