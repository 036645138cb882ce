import assert from 'node:assert/strict';
import path from 'node:path';
import { NO_SETTINGS } from '../../../src/conditions/rows/content.ts';
import type { NewEvent } from '../../../src/events/ingest/event-rows.ts';
import { deliveredRows } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

describe('a run of a custom query', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  async function deliverQuery(query: string): Promise<Record<string, unknown>[]> {
    const directory = `query-${Math.random().toString(36).slice(2)}`;
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({
        destination: { type: 'LocalFile', config: { directory } },
        content: { ...NO_SETTINGS, query },
      }),
    );
    const backfill = await world.backfills.request(world.projectId, id, {
      startAt: '2015-05-17T10:00:00Z',
      endAt: '2015-05-17T11:00:00Z',
    });
    const [run] = await runsAfterBackfill(world, id, backfill.id);
    assert.equal(run!.latestError, null);
    assert.equal(run!.status, 'Completed');
    const folder = path.join(world.folder, directory);
    const rows = await deliveredRows<Record<string, unknown>>(folder);
    assert.equal(run!.recordsCompleted, rows.length);
    return rows;
  }

  it('delivers its columns of the rows that it wants', async () => {
    const first = at('10:00:00', 'paid', { price: '12.5', tags: ['a'] });
    await world.store([
      first,
      at('10:20:00', 'paid', { price: 'free', tags: null }),
      at('10:40:00', 'seen', { price: 3 }),
      at('11:00:00', 'paid', { price: 99 }),
    ]);
    const rows = await deliverQuery(`
      SELECT toString(uuid) AS key, uuid, toUUID(null) AS none, toFloat(properties.price) * 2 AS twice,
             JSONExtractRaw(properties, 'tags') AS tags, toDate(timestamp) AS day, {data_interval_end} AS until
      FROM events
      WHERE event = 'paid' AND timestamp >= {data_interval_start}`);
    assert.equal(rows.length, 2);
    assert.deepEqual(rows[0], {
      key: first.uuid,
      uuid: first.uuid,
      none: null,
      twice: 25,
      tags: ['a'],
      day: '2015-05-17',
      until: '2015-05-17T11:00:00.000000Z',
    });
    assert.equal(rows[1]!['twice'], null);
  });
});

function at(time: string, event: string, properties: object): NewEvent {
  return buildEvent({ timestamp: microseconds(`2015-05-17T${time}Z`), event, properties: JSON.stringify(properties) });
}
