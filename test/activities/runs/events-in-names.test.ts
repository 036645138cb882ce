/** Exports whose prefix contains `{event}`: each file holds one event. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Step } from '../../../activities/engine.ts';
import { DestinationUnavailable, InvalidInput } from '../../../src/platform/errors.ts';
import type { DeliveredFile } from '../../../src/exports/destinations/receipt.ts';
import type { NewExport } from '../../../src/exports/batch-exports/batch-exports.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  buildExport,
  buildExportWorld,
  runsAfterBackfill,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const HOUR = 3_600_000;
const FIRST = Date.parse('2015-05-17T00:00:00Z');
const SECONDS = 240;
const HOSTILE = [
  '../../escape',
  '/etc/passwd',
  '..',
  '__other__',
  'Paid',
  'paid',
  'a\nb',
  'x'.repeat(200),
  '語'.repeat(200),
  '🛒',
  '$pageview',
  'Order Completed',
];

describe('an export with the event in its prefix', function () {
  this.timeout((SECONDS + 10) * 1000);
  let world: ExportWorld;
  let hours = 0;
  before(async () => {
    world = await buildExportWorld('silent');
    await world.startWorker();
  });
  after(() => world.close());

  type Hour = { startAt: string; endAt: string };

  function nextHour(): Hour {
    const start = FIRST + hours++ * HOUR;
    return { startAt: new Date(start).toISOString(), endAt: new Date(start + HOUR).toISOString() };
  }

  async function store({ startAt }: Hour, names: readonly string[]): Promise<void> {
    const events = names.map((event, n) =>
      buildEvent({ event, timestamp: microseconds(new Date(Date.parse(startAt) + n).toISOString()) }),
    );
    for (let from = 0; from < events.length; from += 1_000) await world.store(events.slice(from, from + 1_000));
  }

  async function create(config: Record<string, unknown>, overrides: Partial<NewExport> = {}) {
    const destination = { type: 'LocalFile', config: { directory: randomUUID(), ...config } };
    const created = await world.batchExports.create(
      world.projectId,
      buildExport({ destination, paused: true, ...overrides }),
    );
    return { id: created.id, folder: path.join(world.folder, destination.config.directory) };
  }

  async function deliver(id: string, hour: Hour, onStep: (step: Step) => Promise<void> = async () => {}): Promise<Run> {
    world.onStep = async (step) => (step.exportId === id ? onStep(step) : undefined);
    const backfill = await world.backfills.request(world.projectId, id, hour);
    return (await runsAfterBackfill(world, id, backfill.id, SECONDS)).at(-1)!;
  }

  async function rowsIn(file: string): Promise<string[]> {
    const text = await readFile(path.join(world.folder, '..', file), 'utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { event: string }).event);
  }

  it('delivers each event to a folder of its own, and reads the interval again only for what is not staged', async () => {
    const hour = nextHour();
    const names = HOSTILE.flatMap((name, n) => Array.from({ length: n + 1 }, () => name));
    await store(hour, names);
    const { id, folder } = await create({ prefix: 'event={event}' });
    const begun = new Map<string, number>();
    const run = await deliver(id, hour, async ({ name }) => {
      if (!name.endsWith('-begin')) return;
      begun.set(name, (begun.get(name) ?? 0) + 1);
      if (name === 'part-10-begin' && begun.get(name) === 1) throw new DestinationUnavailable('Away.');
    });
    assert.deepEqual([run.status, run.latestError, run.recordsCompleted], ['Completed', null, names.length]);
    assert.equal(begun.get('part-0-begin'), 1);
    assert.equal(begun.get('part-10-begin'), 2);
    const files = run.receipt!.files!;
    assert.deepEqual(files.map(({ event }) => String(event)).sort(), [...HOSTILE].sort());
    for (const { key, event, rows } of files)
      assert.deepEqual(
        await rowsIn(key),
        Array.from({ length: rows }, () => event),
      );
    const folders = await readdir(folder);
    assert.equal(new Set(folders.map((name) => name.toLowerCase())).size, HOSTILE.length + 1);
    assert.deepEqual(await readdir(path.join(folder, 'event=__manifests__')), [path.basename(run.receipt!.manifest!)]);
    assert.equal(run.receipt!.location, path.relative(path.join(world.folder, '..'), folder) + '/');

    const before = await readdir(folder, { recursive: true });
    const again = await deliver(id, hour);
    assert.deepEqual(again.receipt!.files, files);
    assert.deepEqual(await readdir(folder, { recursive: true }), before);
  });

  it('is read by DuckDB with partitions, and puts events after the thousand most frequent ones together', async () => {
    const hour = nextHour();
    const names = Array.from({ length: 1_100 }, (_, n) => `event ${String(n).padStart(4, '0')}`);
    await store(hour, [...names, ...names.slice(0, 1_000), ...HOSTILE, ...HOSTILE, ...HOSTILE]);
    const { id, folder } = await create({
      prefix: 'event={event}',
      path_style: 'hive',
      file_format: 'Parquet',
      layout: 'versioned',
    });
    const run = await deliver(id, hour);
    assert.deepEqual([run.status, run.latestError], ['Completed', null]);
    assert.equal(run.receipt!.files!.length, 1_001);
    const duckdb = await (await DuckDBInstance.create()).connect();
    const files = `read_parquet('${folder}/*/*/*/*.parquet', hive_partitioning = true, hive_types = {'event': varchar})`;
    const read = async (sql: string) => (await duckdb.runAndReadAll(sql)).getRowsJson();
    const found = await read(
      `select event, date::text, hour::text, count(*) from ${files} group by all having count(*) = 3`,
    );
    // Long names are cut, and a name that stands for the rest has a hash.
    const whole = HOSTILE.filter((name) => name !== '__other__' && name !== '語'.repeat(200));
    assert.equal(found.length, HOSTILE.length);
    for (const [, ...rest] of found) assert.deepEqual(rest, ['2015-05-17', hour.startAt.slice(11, 13), '3']);
    for (const name of whole)
      assert.ok(
        found.some(([event]) => event === name),
        name,
      );
    assert.deepEqual(
      await read(`select count(*), count(distinct event), count(*) filter (event = '__other__') from ${files}`),
      [['2136', '1001', '124']],
    );
    duckdb.closeSync();
    const marks = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('_SUCCESS'));
    assert.deepEqual(marks, [`event=__manifests__/date=2015-05-17/hour=${hour.startAt.slice(11, 13)}/_SUCCESS`]);
  });

  for (const layout of ['versioned', 'stable'] as const) {
    it(`delivers again without the event that is gone, under ${layout} names`, async () => {
      const hour = nextHour();
      await store(hour, ['kept', 'kept', 'gone']);
      const { id } = await create({ prefix: '{event}', layout });
      const first = await deliver(id, hour);
      assert.equal(first.status, 'Completed', String(first.latestError));
      await world.engine.pool.query(`delete from events where event = 'gone' and project_id = $1`, [world.projectId]);
      await store(hour, ['new', 'new', 'new']);
      const run = await deliver(id, hour);
      assert.equal(run.status, 'Completed', String(run.latestError));
      const found = run.receipt!.files!.map(({ event, rows }: DeliveredFile) => [event, rows]);
      assert.deepEqual(found, [['new', 3], ['kept', 2], ...(layout === 'stable' ? [['gone', 0]] : [])]);
      for (const { key, event, rows } of run.receipt!.files!)
        assert.deepEqual(
          await rowsIn(key),
          Array.from({ length: rows }, () => event),
        );
      const { rows } = await world.engine.pool.query<{ key: string }>(
        'select key from superseded_files where batch_export_id = $1',
        [id],
      );
      const gone = first.receipt!.files!.find(({ event }) => event === 'gone')!.key;
      assert.equal(
        rows.some(({ key }) => key === gone),
        layout === 'versioned',
      );
    });
  }

  it('fails when a row of an event is gone after the plan, instead of filling its file from the next event', async () => {
    const hour = nextHour();
    await store(hour, ['a', 'a', 'a', 'b', 'b', 'c']);
    const { id, folder } = await create({ prefix: '{event}' });
    const run = await deliver(id, hour, async ({ name }) => {
      if (name !== 'after-plan') return;
      const sql = `delete from events where ctid = (select ctid from events where event = 'a' and project_id = $1 limit 1)`;
      await world.engine.pool.query(sql, [world.projectId]);
    });
    assert.equal(run.status, 'Failed');
    assert.match(run.latestError!, /^The interval shrank by 1 row/);
    assert.deepEqual(await readdir(folder), []);
  });

  it('delivers an empty interval without files', async () => {
    const { id, folder } = await create({ prefix: '{event}' });
    const run = await deliver(id, nextHour());
    assert.deepEqual([run.status, run.receipt!.files], ['Completed', []]);
    assert.deepEqual(await readdir(folder), ['__manifests__']);
  });

  it('names files by the stored event, whatever a query or columns make of it', async () => {
    const hour = nextHour();
    await store(hour, ['a', 'b', 'b']);
    for (const content of [
      { query: 'SELECT uuid, distinct_id AS event FROM events' },
      { excludeColumns: ['event'] },
      { query: null, filters: [] },
    ]) {
      const { id } = await create({ prefix: '{event}', exclude_events: ['c'] }, { content });
      const run = await deliver(id, hour);
      assert.deepEqual(
        run.receipt!.files!.map(({ event, rows }) => [event, rows]),
        [
          ['b', 2],
          ['a', 1],
        ],
      );
    }
  });

  for (const [what, overrides, message] of [
    ['persons', { model: 'persons' }, /for exports of events, not of persons/],
    ['sessions', { model: 'sessions' }, /for exports of events, not of sessions/],
    ['a query over persons', { content: { query: 'SELECT distinct_id FROM persons' } }, /not of persons/],
    [
      'a hidden event',
      { content: { transformations: [{ path: 'event', action: 'hash' }] } },
      /which a transformation of 'event' hides/,
    ],
    [
      'an event hidden under another name',
      {
        content: {
          query: 'SELECT uuid, event AS name FROM events',
          transformations: [{ path: 'name', action: 'hash' }],
        },
      },
      /'name' hides/,
    ],
  ] as const) {
    it(`is refused for ${what}, with the field`, async () => {
      await assert.rejects(create({ prefix: '{event}' }, overrides as Partial<NewExport>), (error) => {
        assert.ok(error instanceof InvalidInput);
        assert.match(error.message, message);
        assert.equal(error.attr, 'destination__config__prefix');
        return true;
      });
    });
  }
});
