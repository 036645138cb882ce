/** Parts that hold one event each, and the reading that several of them share. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { unfilteredContent } from '../../../src/conditions/rows/content.ts';
import type { PlacedPart } from '../../../src/events/reading/events-apart.ts';
import type { SliceMeasure } from '../../../src/events/reading/parts.ts';
import { eventReader, type EventReader } from '../../../src/events/reading/read.ts';
import { columnsOf, type Slice } from '../../../src/events/reading/selection.ts';
import { createSealer } from '../../../src/events/table/seal.ts';
import { HEADER } from '../../../src/exports/formats/copy-binary.ts';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import { markedParts } from '../../../src/exports/formats/marked-parts.ts';
import { createPool, type Pool } from '../../../src/platform/db/connection.ts';
import { readAll } from '../../support/database/copy-stream.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { seeded } from '../../support/random.ts';

const START = '2015-05-17T10:00:00.000000Z';
const END = '2015-05-17T11:00:00.000000Z';
const CONTENT = unfilteredContent('events');
const COLUMNS = columnsOf(CONTENT, 'files');
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6));

type Row = { uuid: string; event: string };

const namesOf = ({ events }: SliceMeasure) => events!.map(({ event }) => event);

function placedParts({ parts, events }: SliceMeasure): PlacedPart[] {
  const places = events!.flatMap(({ parts: count }, place) => Array.from({ length: count }, () => place));
  return parts.map(({ from, to }, part) => ({
    part,
    place: places[part]!,
    ...(from && { from }),
    ...(to && { to }),
  }));
}

const sorted = (rows: readonly Row[]) => rows.map(({ uuid }) => uuid).sort();

describe(`parts by event (SEED=${SEED})`, () => {
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

  /** Stores one row for each name, 100 bytes long. */
  async function store(names: readonly string[]): Promise<Row[]> {
    const random = seeded(SEED);
    const rows = names.map((event) => ({
      uuid: randomUUID(),
      event,
      // Few instants, so that many rows share one.
      interval_time: `2015-05-17T10:${10 + random.below(5)}:00.000001Z`,
    }));
    await pool.query(
      `insert into events
       select $1, uuid, event, 'someone', uuid, '{}', '{}', '', interval_time, now, now, interval_time, 100
       from (select ingest_now() as now) as clock, json_to_recordset($2) as (interval_time timestamptz, uuid uuid, event text)`,
      [projectId, JSON.stringify(rows)],
    );
    return rows;
  }

  async function sealedSlice(overrides: Partial<Slice> = {}): Promise<Slice> {
    return {
      projectId,
      start: START,
      end: END,
      cutoff: await createSealer(pool).seal(),
      content: CONTENT,
      ...overrides,
    };
  }

  /** The rows of the wanted parts, from one reading of the given ones. */
  async function read(
    slice: Slice,
    measure: SliceMeasure,
    given: readonly PlacedPart[],
    wanted = given.map(({ part }) => part),
  ): Promise<Row[][]> {
    const copied = reader.copyParts(slice, COLUMNS, { events: namesOf(measure), parts: given });
    const { rowsOf, stop } = markedParts(copied, COLUMNS.length, wanted);
    const texts = await Promise.all(
      wanted.map(async (part) => {
        const file = encodeFile(rowsOf(part), { columns: COLUMNS, format: 'JSONLines', compression: null });
        return (await readAll(file.bytes)).toString();
      }),
    );
    await stop(new Error('read'));
    return texts.map((text) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Row),
    );
  }

  it('name the most frequent events, the earlier name first where two are equally frequent, and put the rest together', async () => {
    const stored = await store(['b', 'a', 'c', 'c', 'd', 'e', 'e', 'e']);
    const slice = await sealedSlice();
    const measure = await reader.measure(slice, { rows: 100, bytes: 1e6, events: 3 });
    assert.deepEqual(
      { ...measure, parts: measure.parts.length },
      {
        rows: 8,
        bytes: 800,
        parts: 4,
        events: [
          { event: 'e', parts: 1, bytes: 300 },
          { event: 'c', parts: 1, bytes: 200 },
          { event: 'a', parts: 1, bytes: 100 },
          { event: null, parts: 1, bytes: 200 },
        ],
      },
    );
    const read4 = await read(slice, measure, placedParts(measure));
    assert.deepEqual(
      read4.map(sorted),
      ['e', 'c', 'a', null].map((event) =>
        sorted(stored.filter((row) => (event === null ? 'bd'.includes(row.event) : row.event === event))),
      ),
    );
  });

  it('are none where there are no rows, and count only the rows that the content selects', async () => {
    const slice = await sealedSlice();
    const none = await reader.measure(slice, { rows: 100, bytes: 1e6, events: 3 });
    assert.deepEqual(none, { rows: 0, bytes: 0, parts: [], events: [] });
    await store(['a', 'b', 'b']);
    const content = { ...CONTENT, excludeEvents: ['b'], query: 'SELECT uuid, distinct_id AS event FROM events' };
    const some = await reader.measure(await sealedSlice({ content }), { rows: 100, bytes: 1e6, events: 3 });
    assert.deepEqual(some.events, [{ event: 'a', parts: 1, bytes: 100 }]);
  });

  it('hold each row once, in the order of an interval, however the events, limits and readings are', async () => {
    const random = seeded(SEED);
    const hostile = [
      '__proto__',
      '12',
      "it's",
      '"',
      '\\',
      'a\nb',
      '🛒',
      '日本',
      '{}',
      'é',
      'e\u0301',
      'A',
      'a',
      '__other__',
      '%',
      ' ',
    ];
    for (let round = 0; round < 12; round++) {
      projectId++;
      const names = random.shuffled(hostile).slice(0, 1 + random.below(hostile.length));
      const stored = await store(
        Array.from(
          { length: random.below(200) },
          () => names[Math.min(random.below(names.length), random.below(names.length))]!,
        ),
      );
      const slice = await sealedSlice();
      const limits = { rows: 1 + random.below(30), bytes: 200 + random.below(5_000), events: 1 + random.below(12) };
      const measure = await reader.measure(slice, limits);
      const parts = placedParts(measure);
      assert.equal(measure.rows, stored.length);
      assert.equal(
        measure.parts.reduce((sum, { rows }) => sum + rows, 0),
        stored.length,
      );

      const cuts = [...new Set([0, ...parts.map(() => random.below(parts.length)).slice(0, 3), parts.length])].sort(
        (a, b) => a - b,
      );
      const whole: Row[][] = [];
      for (const [n, to] of cuts.slice(1).entries())
        whole.push(...(await read(slice, measure, parts.slice(cuts[n], to))));
      for (const [part, rows] of whole.entries()) {
        const event = namesOf(measure)[parts[part]!.place]!;
        assert.equal(rows.length, measure.parts[part]!.rows);
        assert.ok(rows.length <= limits.rows && (rows.length - 1) * 100 < limits.bytes);
        for (const row of rows) assert.equal(event ?? row.event, row.event);
        if (event === null) assert.ok(rows.every((row) => !namesOf(measure).includes(row.event)));
      }
      assert.deepEqual(sorted(whole.flat()), sorted(stored));

      // Parts in between are passed over.
      const wanted = parts.map(({ part }) => part).filter(() => random.below(2) === 0);
      if (wanted.length === 0) continue;
      const given = parts.slice(wanted[0], wanted.at(-1)! + 1);
      assert.deepEqual(
        await read(slice, measure, given, wanted),
        wanted.map((part) => whole[part]),
      );
    }
  });

  it('keep the boundaries of large events in one order across readings', async () => {
    const stored = await store(Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? 'a' : 'b')));
    const slice = await sealedSlice();
    const measure = await reader.measure(slice, { rows: 7, bytes: 1e6, events: 10 });
    assert.deepEqual(measure.events, [
      { event: 'b', parts: 10, bytes: 6600 },
      { event: 'a', parts: 5, bytes: 3400 },
    ]);
    const one = await read(slice, measure, placedParts(measure));
    const each: Row[][] = [];
    for (const part of placedParts(measure)) each.push(...(await read(slice, measure, [part])));
    assert.deepEqual(each, one);
    assert.deepEqual(sorted(one.flat()), sorted(stored));
  });
});

async function* brokenRows(): AsyncGenerator<Uint8Array> {
  yield HEADER;
  throw new Error('no rows');
}

describe('streams of marked parts', () => {
  it('pass on the error of their source, and wait for no part that failed', async () => {
    const { rowsOf, stop } = markedParts(brokenRows(), 1, [0, 1, 2]);
    const read = [0, 1, 2].map(async (part) =>
      readAll(rowsOf(part)).catch(async (error: unknown) => {
        await stop(error);
        throw error;
      }),
    );
    for (const { status, ...rest } of await Promise.allSettled(read)) {
      assert.equal(status, 'rejected');
      assert.match(String((rest as { reason: unknown }).reason), /no rows/);
    }
  });
});
