import assert from 'node:assert/strict';
import pino from 'pino';
import { ScheduleNotFoundError, type ScheduleDescription } from '@temporalio/client';
import { batchExports } from '../../../src/exports/batch-exports/batch-exports.ts';
import { isoSeconds } from '../../../src/exports/domain/instants.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import { scheduleSync } from '../../../src/exports/schedules/schedule-sync.ts';
import { connectTemporal } from '../../../src/platform/temporal/connection.ts';
import { exportSchedules } from '../../../src/exports/temporal/schedules.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';

const MINUTE = 60_000;

describe('the schedule of a batch export', () => {
  let world: ExportWorld;
  before(async () => {
    await thisHour();
    world = await buildExportWorld();
  });
  after(async () => world.close());

  const handle = (id: string) => world.engine.temporal.client.schedule.getHandle(id);
  const described = (id: string): Promise<ScheduleDescription> => handle(id).describe();
  const create = (overrides: Parameters<typeof buildExport>[0] = {}) =>
    world.batchExports.create(world.projectId, buildExport(overrides));
  /** One round of the reconciler's look at schedules, as it is when every schedule's turn has come. */
  async function verify(id: string): Promise<void> {
    const due = await world.engine.stores.schedules.listExportsToVerify(1);
    assert.ok(due.includes(id));
    // On a busy machine Temporal may answer too late; the reconciler's next round looks again.
    await eventually('Temporal to answer in time', () =>
      world.engine.scheduleSync.verify(id).then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Unavailable)) throw error;
          return false;
        },
      ),
    );
  }
  const versionOf = async (id: string) => (await world.engine.stores.schedules.find(id))!.version;

  it('has the export’s id, starts late runs beside others, and says in a sentence what it does', async () => {
    const { id, version } = await create();
    const { scheduleId, action, policies, state } = await described(id);
    assert.equal(scheduleId, id);
    assert.equal(policies.overlap, 'ALLOW_ALL');
    assert.equal(policies.catchupWindow, MINUTE);
    assert.equal(state.paused, false);
    assert.equal(action.workflowType, 'exportRun');
    assert.equal(action.workflowId, id);
    assert.equal(action.taskQueue, 'sluice-control');
    assert.deepEqual(action.args, [{ exportId: id }]);
    assert.deepEqual(action.memo, { version });
    assert.equal(action.staticSummary, 'Hourly events to LocalFile');
  });

  const specs: { interval: string; next: (now: Date) => number; summary: string }[] = [
    { interval: 'hour', next: (now) => now.setUTCMinutes(60, 0, 0), summary: 'Hourly events to LocalFile' },
    { interval: 'day', next: (now) => now.setUTCHours(24, 0, 0, 0), summary: 'Daily events to LocalFile' },
    {
      interval: 'week',
      next: (now) => {
        now.setUTCHours(0, 0, 0, 0);
        return now.setUTCDate(now.getUTCDate() + 7 - now.getUTCDay());
      },
      summary: 'Weekly events to LocalFile',
    },
    {
      interval: 'every 7 minutes',
      next: (now) => (Math.floor(now.getTime() / (7 * MINUTE)) + 1) * 7 * MINUTE,
      summary: 'Every 7 minutes: events to LocalFile',
    },
  ];
  for (const { interval, next, summary } of specs) {
    it(`of interval "${interval}" starts a run at the end of each`, async () => {
      const { id } = await create({ interval });
      const before = new Date();
      const { action, info } = await described(id);
      // One of the two, when an interval ends in between.
      assert.ok([before, new Date()].map(next).includes(info.nextActionTimes[0]!.getTime()));
      assert.equal(action.staticSummary, summary);
    });
  }

  it('starts nothing before the export’s beginning and after its end', async () => {
    const [startAt, endAt] = ['2035-05-17T10:30:00.000000Z', '2035-05-17T13:00:00.000000Z'];
    const { id } = await create({ startAt, endAt });
    const { info } = await described(id);
    assert.deepEqual(
      info.nextActionTimes.map((at) => isoSeconds(at.getTime())),
      ['2035-05-17T11:00:00Z', '2035-05-17T12:00:00Z', '2035-05-17T13:00:00Z'],
    );
  });

  it('is paused with a note, and unpaused again', async () => {
    const { id } = await create();
    await world.batchExports.pause(world.projectId, id);
    const paused = (await described(id)).state;
    assert.deepEqual([paused.paused, paused.note], [true, 'Paused through the API']);
    await world.batchExports.unpause(world.projectId, id);
    const { state } = await described(id);
    assert.equal(state.paused, false);
    assert.notEqual(state.note, 'Paused through the API');
  });

  it('follows a change of interval from the end of the interval running now', async () => {
    const { id } = await create({ interval: 'hour' });
    const { version } = await world.batchExports.patch(world.projectId, id, { interval: 'every 10 minutes' });
    const { spec, action, info } = await described(id);
    const handover = new Date().setUTCMinutes(60, 0, 0);
    assert.deepEqual(
      spec.intervals?.map(({ every }) => every),
      [10 * MINUTE],
    );
    assert.equal(spec.startAt?.getTime(), handover);
    assert.equal(info.nextActionTimes[0]?.getTime(), handover);
    assert.deepEqual(action.memo, { version });
    assert.equal(action.staticSummary, 'Every 10 minutes: events to LocalFile');
  });

  it('is gone when the export is deleted', async () => {
    const { id } = await create();
    await world.batchExports.delete(world.projectId, id);
    await assert.rejects(described(id), ScheduleNotFoundError);
    assert.equal((await world.engine.stores.schedules.listExportsToVerify(1)).includes(id), false);
  });

  it('equals the row after fifty pairs of changes at once', async () => {
    const { id } = await create();
    const changes = Array.from({ length: 50 }, (_, index) => [
      { interval: `every ${index + 1} minutes` },
      { paused: index % 2 === 0 },
    ]).flat();
    await Promise.all(changes.map(async (change) => world.batchExports.patch(world.projectId, id, change)));
    const row = await world.batchExports.get(world.projectId, id);
    const { state, spec, action } = await described(id);
    assert.equal(state.paused, row.paused);
    assert.equal(spec.intervals?.[0]?.every, Number(/\d+/.exec(row.interval)) * MINUTE);
    assert.deepEqual(action.memo, { version: row.version });
    assert.equal((await world.engine.stores.schedules.find(id))!.scheduleVersion, row.version);
  });

  describe('that was changed in Temporal is set again', () => {
    const drifts: { what: string; drift: (id: string) => Promise<unknown> }[] = [
      { what: 'deleted', drift: (id) => handle(id).delete() },
      {
        what: 'given another spec',
        drift: (id) => handle(id).update((is) => ({ ...is, spec: { intervals: [{ every: '3 hours' }] } }) as never),
      },
      {
        what: 'given bounds',
        drift: (id) =>
          handle(id).update((is) => ({ ...is, spec: { ...is.spec, endAt: new Date('2034-01-01') } }) as never),
      },
      {
        what: 'told to skip overlapping runs',
        drift: (id) => handle(id).update((is) => ({ ...is, policies: { ...is.policies, overlap: 'SKIP' } }) as never),
      },
      {
        what: 'pointed at another queue',
        drift: (id) =>
          handle(id).update((is) => ({ ...is, action: { ...is.action, taskQueue: 'elsewhere' } }) as never),
      },
    ];
    for (const { what, drift } of drifts) {
      it(`when ${what}`, async () => {
        const { id } = await create({ startAt: '2015-05-17T10:00:00.000000Z' });
        const before = await described(id);
        await drift(id);
        await verify(id);
        const { spec, policies, state, action } = await described(id);
        assert.deepEqual(spec, before.spec);
        assert.deepEqual(policies, before.policies);
        assert.deepEqual([state.paused, state.note], [before.state.paused, before.state.note]);
        assert.deepEqual(action, before.action);
      });
    }

    for (const interval of ['hour', 'day', 'week', 'every 90 minutes']) {
      it(`and left alone when it equals the row (${interval})`, async () => {
        const { id } = await create({ interval, paused: true, endAt: '2035-05-17T10:00:00.000000Z' });
        const { lastUpdatedAt } = (await described(id)).info;
        await verify(id);
        assert.deepEqual((await described(id)).info.lastUpdatedAt, lastUpdatedAt);
      });
    }
  });

  it('is made later when Temporal went away between the row and the schedule', async () => {
    const log = pino({ level: 'silent' });
    const { stores, executions, configs, notifications, environment } = world.engine;
    const away = connectTemporal({ address: '127.0.0.1:1', namespace: world.options.temporal.namespace });
    const withoutTemporal = batchExports({
      stores,
      executions,
      configs,
      notifications,
      environment,
      scheduleSync: scheduleSync({ stores, schedules: exportSchedules(away.client), log }),
      ensureTemporal: async () => {},
    });
    const { id } = await withoutTemporal.create(world.projectId, buildExport());
    await away.close();
    await assert.rejects(described(id), ScheduleNotFoundError);
    assert.ok((await stores.schedules.listExportsToVerify(0)).includes(id), 'a schedule behind its row is due at once');
    await world.engine.scheduleSync.verify(id);
    assert.deepEqual((await described(id)).action.memo, { version: await versionOf(id) });
  });
});
