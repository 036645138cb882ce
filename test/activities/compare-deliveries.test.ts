import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { compareDeliveries, intervalsToCompare } from '../../activities/compare-deliveries.ts';
import { isoMicros } from '../../src/exports/domain/instants.ts';
import { backfilled, buildExport, buildExportWorld, type ExportWorld } from '../support/export-world.ts';

const HOUR = 3_600_000;
const THIS_HOUR = Math.floor(Date.now() / HOUR) * HOUR;
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);

describe('what recover lists', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  it('is what this database did not deliver, and what is missing', async () => {
    const { projectId, engine } = world;
    const destination = { type: 'LocalFile', config: { directory: 'compared' } };
    const { id } = await world.batchExports.create(
      projectId,
      buildExport({ destination, paused: true, endAt: at(-1) }),
    );
    await engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, at(-3.5)]);
    const { id: backfill } = await world.backfills.request(projectId, id, { startAt: at(-3), endAt: at(-1) });
    await backfilled(world, id, backfill);
    const compare = async () => {
      const one = (await engine.stores.batchExports.find(id))!;
      const { signal } = new AbortController();
      const differences = [];
      const intervals = (await intervalsToCompare(engine, one, null)).filter(({ end }) => end <= THIS_HOUR - HOUR);
      for await (const compared of compareDeliveries(engine, one, intervals, signal)) {
        assert.ok('difference' in compared);
        differences.push(compared.difference);
      }
      return differences;
    };
    assert.deepEqual(await compare(), [undefined, undefined, undefined]);
    // As if the run of the last one were of another database.
    await engine.pool.query(
      `update batch_export_runs set data_interval_start = '2001-01-01', data_interval_end = '2001-01-01T01:00Z'
       where batch_export_id = $1 and data_interval_end = $2`,
      [id, at(-1)],
    );
    assert.deepEqual(await compare(), [undefined, undefined, 'foreign']);
    await rm(path.join(world.folder, 'compared'), { recursive: true });
    assert.deepEqual(await compare(), [undefined, 'missing', 'missing']);
  });
});
