import assert from 'node:assert/strict';
import path from 'node:path';
import { deliveredManifests, deliveredRows } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

describe('a run', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld(process.argv.includes('--debug-engine') ? 'debug' : 'silent');
    await world.startWorker();
  });
  after(async () => world.close());

  it('delivers the rows of its data interval to a file, and records so', async () => {
    const events = Array.from({ length: 50 }, (_, index) =>
      buildEvent({ timestamp: microseconds(`2015-05-17T10:${String(index).padStart(2, '0')}:30Z`) }),
    );
    await world.store(events);
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T11:00:00Z') })]);
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ destination: { type: 'LocalFile', config: { directory: 'hourly' } } }),
    );
    const backfill = await world.backfills.request(world.projectId, id, {
      startAt: '2015-05-17T09:00:00Z',
      endAt: '2015-05-17T12:00:00Z',
    });
    const runs = await runsAfterBackfill(world, id, backfill.id);

    assert.deepEqual(
      runs.map(({ status, kind, recordsCompleted, recordsTotalCount, latestError }) => ({
        status,
        kind,
        recordsCompleted,
        recordsTotalCount,
        latestError,
      })),
      [0, 50, 1].map((rows) => ({
        status: 'Completed',
        kind: 'backfill',
        recordsCompleted: rows,
        recordsTotalCount: rows,
        latestError: null,
      })),
    );
    const folder = path.join(world.folder, 'hourly');
    assert.equal((await deliveredManifests(folder)).length, 3);
    const uuids = (await deliveredRows<{ uuid: string }>(folder)).map(({ uuid }) => uuid);
    assert.equal(uuids.length, 51);
    assert.equal(new Set([...uuids, ...events.map(({ uuid }) => uuid)]).size, 51);

    const figures = await world.engine.metrics.text();
    const of = 'destination="LocalFile",interval="hour"';
    assert.match(figures, new RegExp(`^sluice_runs_total{${of},status="Completed"} 3$`, 'm'));
    assert.match(figures, new RegExp(`^sluice_run_rows_total{${of}} 51$`, 'm'));
    assert.match(figures, /^sluice_seal_duration_seconds_count 3$/m);
  });
});
