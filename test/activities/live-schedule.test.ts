import assert from 'node:assert/strict';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { isoMicros, isoSeconds, millisOf } from '../../src/exports/domain/instants.ts';
import { buildEvent, microseconds } from '../support/events.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../support/export-world.ts';

const NOMINAL_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', SearchAttributeType.KEYWORD);
const MINUTE = 60_000;

describe('a schedule', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  it('starts the run of an interval when the interval ends, unless it is paused or not its time yet', async function () {
    this.timeout(90_000);
    const interval = 'every 1 minutes';
    const create = (overrides: Parameters<typeof buildExport>[0] = {}) =>
      world.batchExports.create(world.projectId, buildExport({ interval, ...overrides }));
    const { id } = await create();
    const silent = [
      await create({ paused: true }),
      await create({ startAt: isoMicros(Date.now() + 60 * MINUTE) }),
      await create({ endAt: isoMicros(Date.now() - 60 * MINUTE) }),
    ];
    const begun = Date.now();
    await world.store([buildEvent({ timestamp: microseconds(new Date().toISOString()) })], { historical: false });

    const run = await eventually(
      'the next minute’s run',
      async () => {
        const runs = await world.engine.stores.runs.list(world.projectId, id, { limit: 10 });
        return runs.find(({ recordsCompleted }) => recordsCompleted === 1);
      },
      80,
    );
    const end = millisOf(run.end);
    assert.equal(end % MINUTE, 0);
    assert.ok(end >= begun && end <= begun + 2 * MINUTE);
    assert.equal(run.start, isoMicros(end - MINUTE));
    assert.deepEqual([run.kind, run.status, run.workflowId], ['scheduled', 'Completed', `${id}-${isoSeconds(end)}`]);
    const handle = world.engine.temporal.client.workflow.getHandle(run.workflowId, run.workflowRunId);
    const { typedSearchAttributes } = await handle.describe();
    assert.equal(typedSearchAttributes.get(NOMINAL_TIME)?.getTime(), end);
    assert.equal(typedSearchAttributes.get(SCHEDULED_BY), id);
    for (const other of silent) {
      assert.deepEqual(await world.engine.stores.runs.list(world.projectId, other.id, { limit: 10 }), []);
    }
  });
});
