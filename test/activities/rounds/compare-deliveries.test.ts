import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compareDeliveries, intervalsToCompare } from '../../../activities/rounds/compare-deliveries.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';
import { startStallingProxy } from '../../support/servers/stalling-proxy.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);

describe('the list of recover', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  it('has nothing of a destination that only counts', async () => {
    const { projectId, engine } = world;
    const destination = { type: 'NoOp', config: {} };
    const { id } = await world.batchExports.create(
      projectId,
      buildExport({ destination, paused: true, endAt: at(-1) }),
    );
    const { id: backfill } = await world.backfills.request(projectId, id, { startAt: at(-3), endAt: at(-1) });
    const runs = await runsAfterBackfill(world, id, backfill);
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['Completed', 'Completed'],
    );
    const one = (await engine.stores.batchExports.find(id))!;
    assert.deepEqual(await intervalsToCompare(engine, one, null, new AbortController().signal), []);
  });

  it('is what this database did not deliver, and what is missing', async () => {
    const { projectId, engine } = world;
    const destination = { type: 'LocalFile', config: { directory: 'compared' } };
    const { id } = await world.batchExports.create(
      projectId,
      buildExport({ destination, paused: true, endAt: at(-1) }),
    );
    await engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, at(-3.5)]);
    const { id: backfill } = await world.backfills.request(projectId, id, { startAt: at(-3), endAt: at(-1) });
    await runsAfterBackfill(world, id, backfill);
    const compare = async () => {
      const one = (await engine.stores.batchExports.find(id))!;
      const { signal } = new AbortController();
      const differences = [];
      const intervals = await intervalsToCompare(engine, one, null, signal);
      assert.ok(Array.isArray(intervals));
      for await (const compared of compareDeliveries(engine, one, intervals, signal)) {
        assert.ok('difference' in compared);
        differences.push(compared.difference);
      }
      return differences;
    };
    assert.deepEqual(await compare(), [undefined, undefined]);
    // As if the run of the last one were of another database.
    await engine.pool.query(
      `update batch_export_runs set data_interval_start = '2001-01-01', data_interval_end = '2001-01-01T01:00Z'
       where batch_export_id = $1 and data_interval_end = $2`,
      [id, at(-1)],
    );
    assert.deepEqual(await compare(), [undefined, 'foreign']);
    await rm(path.join(world.folder, 'compared'), { recursive: true });
    assert.deepEqual(await compare(), ['missing', 'missing']);
  });

  it('takes as long as what was delivered, whatever the age of the export', async () => {
    const { projectId, engine } = world;
    const destination = { type: 'LocalFile', config: { directory: 'old/{year}' } };
    const { id } = await world.batchExports.create(projectId, buildExport({ destination, paused: true }));
    const [startAt, endAt] = ['1995-05-17T10:00:00.000000Z', '1995-05-17T11:00:00.000000Z'];
    const { id: backfill } = await world.backfills.request(projectId, id, { startAt, endAt });
    await runsAfterBackfill(world, id, backfill);
    // A manifest of an export that delivered here before.
    const manifestOf = (year: string) =>
      path.join(world.folder, 'old', year, `${year}0517T100000Z-${year}0517T110000Z_manifest.json`);
    const ours = JSON.parse(await readFile(manifestOf('1995'), 'utf8')) as object;
    await mkdir(path.dirname(manifestOf('1996')));
    await writeFile(manifestOf('1996'), JSON.stringify({ ...ours, batch_export: randomUUID() }));
    await engine.pool.query('delete from batch_export_intervals where batch_export_id = $1', [id]);
    const one = (await engine.stores.batchExports.find(id))!;
    const { signal } = new AbortController();
    const intervals = await intervalsToCompare(engine, one, null, signal);
    assert.ok(Array.isArray(intervals));
    assert.deepEqual(
      intervals.map(({ start }) => start),
      [startAt, '1996-05-17T10:00:00.000000Z'],
    );
    const later = await intervalsToCompare(engine, one, '1995-05-17T11:00:00.000000Z', signal);
    assert.deepEqual(later, intervals.slice(1));
    const compared = await Array.fromAsync(compareDeliveries(engine, one, intervals, signal));
    assert.deepEqual(
      compared.map((found) => 'present' in found && found.present?.isKnown),
      [true, undefined],
    );
  });

  /** Delivers hours of a paused export. @returns its id */
  async function buildDelivered(directory: string, hours: number): Promise<string> {
    const { projectId, engine } = world;
    const destination = { type: 'LocalFile', config: { directory } };
    const { id } = await world.batchExports.create(
      projectId,
      buildExport({ destination, paused: true, endAt: at(-1) }),
    );
    await engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, at(-1.5 - hours)]);
    const { id: backfill } = await world.backfills.request(projectId, id, { startAt: at(-1 - hours), endAt: at(-1) });
    await runsAfterBackfill(world, id, backfill);
    return id;
  }

  it('is not what was delivered before the destination was changed', async () => {
    const { projectId, engine } = world;
    const id = await buildDelivered('left', 2);
    await world.batchExports.patch(projectId, id, {
      destination: { type: 'LocalFile', config: { directory: 'moved-to' } },
    });
    const one = (await engine.stores.batchExports.find(id))!;
    const { signal } = new AbortController();
    const intervals = await intervalsToCompare(engine, one, null, signal);
    assert.ok(Array.isArray(intervals));
    const compared = await Array.fromAsync(compareDeliveries(engine, one, intervals, signal));
    assert.deepEqual(
      compared.map((found) => 'difference' in found && found.difference),
      [undefined, undefined],
    );
  });

  it('ends although a destination hangs, and says what was not compared', async () => {
    const { projectId, engine } = world;
    const store = await startStallingProxy('http://127.0.0.1:1');
    store.stall();
    try {
      const destination = {
        type: 'S3Compatible',
        config: {
          bucket_name: 'hangs',
          region: 'us-east-1',
          prefix: '',
          aws_access_key_id: 'id',
          aws_secret_access_key: 'secret',
          endpoint_url: store.origin,
        },
      };
      const { id } = await world.batchExports.create(projectId, buildExport({ destination, paused: true }));
      const one = (await engine.stores.batchExports.find(id))!;
      const { signal } = new AbortController();
      const intervals = [{ start: at(-2), end: at(-1) }];
      const compared = await Array.fromAsync(compareDeliveries(engine, one, intervals, signal, 500));
      assert.deepEqual(compared, [{ exportId: id, reason: 'It did not end within 0.5 s.' }]);
    } finally {
      store.close();
    }
  });
});
