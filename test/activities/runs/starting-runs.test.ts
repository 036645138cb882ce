import assert from 'node:assert/strict';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Step } from '../../../activities/engine.ts';
import { Conflict } from '../../../src/platform/errors.ts';
import { isoMicros, isoSeconds, millisOf } from '../../../src/exports/domain/instants.ts';
import { boundaryAfter, cadenceWith } from '../../../src/exports/domain/cadence.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const NOMINAL_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
const SCHEDULED_BY = defineSearchAttributeKey('TemporalScheduledById', SearchAttributeType.KEYWORD);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TEN = { startAt: '2015-05-17T10:00:00.000000Z', endAt: '2015-05-17T11:00:00.000000Z' };

describe('a run is started', () => {
  let world: ExportWorld;
  let minutely: Awaited<ReturnType<typeof buildMinutelyExports>>;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
    minutely = await buildMinutelyExports();
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  const create = (overrides: Parameters<typeof buildExport>[0] = {}) =>
    world.batchExports.create(world.projectId, buildExport(overrides));
  /** Made first, so that their minute passes while the other tests run. */
  async function buildMinutelyExports() {
    const interval = 'every 1 minutes';
    const { id } = await create({ interval });
    const silent = [
      await create({ interval, paused: true }),
      await create({ interval, startAt: isoMicros(Date.now() + HOUR) }),
      await create({ interval, endAt: isoMicros(Date.now() - HOUR) }),
    ];
    const createdMs = Date.now();
    await world.store([buildEvent()], { historical: false });
    return { id, silent, begun: createdMs };
  }
  const store = (...instants: string[]) =>
    world.store(instants.map((at) => buildEvent({ timestamp: microseconds(at) })));
  const request = (id: string, range: { startAt: string; endAt: string }) =>
    world.backfills.request(world.projectId, id, range);
  /** Asks for a range and waits; the runs, oldest interval first. */
  const deliver = async (id: string, range = TEN) => runsAfterBackfill(world, id, (await request(id, range)).id);
  const execution = (workflowId: string, runId: string): Promise<WorkflowExecutionDescription> =>
    world.engine.temporal.client.workflow.getHandle(workflowId, runId).describe();

  /** Holds every run of the export at a step until it is let go. */
  function holdAt(exportId: string, name: string) {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<Step>();
    world.onStep = async (step) => {
      if (step.exportId !== exportId || step.name !== name) return;
      reached.resolve(step);
      await gate.promise;
    };
    return { reached: reached.promise, letGo: () => gate.resolve() };
  }

  it('by a request for one again, as another execution of the same workflow, with the same nominal time', async () => {
    await store('2015-05-17T10:10:00Z');
    const { id } = await create();
    const [first] = await deliver(id);
    await store('2015-05-17T10:20:00Z');
    const retry = await world.backfills.retry(world.projectId, id, first!.id);
    const runs = await runsAfterBackfill(world, id, retry.id);

    assert.deepEqual(
      runs.map(({ kind, status, recordsCompleted, epoch }) => [kind, status, recordsCompleted, epoch]),
      [
        ['backfill', 'Completed', 1, 1],
        ['retry', 'Completed', 2, 2],
      ],
    );
    assert.deepEqual(
      runs.map(({ workflowId }) => workflowId),
      [`${id}-2015-05-17T11:00:00Z`, `${id}-2015-05-17T11:00:00Z`],
    );
    assert.notEqual(runs[0]!.workflowRunId, runs[1]!.workflowRunId);
    for (const { workflowId, workflowRunId } of runs) {
      // A row is closed by the last activity of its workflow: a moment before the workflow itself.
      const { typedSearchAttributes, status, type } = await eventually('the workflow to end', async () => {
        const found = await execution(workflowId, workflowRunId);
        return found.status.name !== 'RUNNING' && found;
      });
      assert.equal(type, 'exportRun');
      assert.equal(status.name, 'COMPLETED');
      assert.deepEqual(typedSearchAttributes.get(NOMINAL_TIME), new Date('2015-05-17T11:00:00Z'));
      assert.equal(typedSearchAttributes.get(SCHEDULED_BY), id);
    }
    assert.deepEqual([retry.kind, retry.totalRuns, retry.startAt, retry.endAt], ['retry', 1, TEN.startAt, TEN.endAt]);
    const schedule = world.engine.temporal.client.schedule.getHandle(id);
    const { numActionsTaken } = await eventually('the schedule to see both end', async () => {
      const { info } = await schedule.describe();
      return info.runningActions.length === 0 && info;
    });
    assert.equal(numActionsTaken, 2, 'the schedule itself started both');
  });

  it('by no request while it is under way', async () => {
    const { id } = await create();
    const { reached, letGo } = holdAt(id, 'after-plan');
    const backfill = await request(id, TEN);
    const { runId } = await reached;
    await assert.rejects(world.backfills.retry(world.projectId, id, runId), Conflict);
    letGo();
    await runsAfterBackfill(world, id, backfill.id);
  });

  it('by a request for intervals outside of the export’s bounds', async () => {
    await store('2015-06-01T10:30:00Z', '2015-06-01T11:30:00Z', '2015-06-01T12:30:00Z');
    const { id } = await create({ startAt: '2015-06-01T11:30:00.000000Z', endAt: '2015-06-01T12:30:00.000000Z' });
    const runs = await deliver(id, { startAt: '2015-06-01T10:00:00Z', endAt: '2015-06-01T13:00:00Z' });
    assert.deepEqual(
      runs.map(({ status, recordsCompleted, kind }) => [status, recordsCompleted, kind]),
      Array.from({ length: 3 }, () => ['Completed', 1, 'backfill']),
    );
    for (const { workflowId, workflowRunId, end } of runs) {
      const { typedSearchAttributes } = await execution(workflowId, workflowRunId);
      assert.equal(typedSearchAttributes.get(NOMINAL_TIME)?.getTime(), millisOf(end));
      assert.equal(typedSearchAttributes.get(SCHEDULED_BY), id);
    }
  });

  it('by a request for intervals of an earlier spec, and the shorter one at the handover', async () => {
    const { id } = await create({ interval: 'hour' });
    await world.batchExports.patch(world.projectId, id, { interval: 'every 25 minutes' });
    // As if it had been changed then, between ten and eleven o'clock.
    const handover = millisOf('2015-06-02T11:00:00Z');
    await world.engine.pool.query(
      `update batch_export_specs set valid_from = $2 where batch_export_id = $1 and valid_from > '-infinity'`,
      [id, isoMicros(handover)],
    );
    await world.engine.scheduleSync.set(id);
    const boundary = boundaryAfter(cadenceWith({ interval: 'every 25 minutes' }), handover);
    const ends = [handover - HOUR, handover, boundary, boundary + 25 * 60_000];
    assert.ok(boundary - handover < 25 * 60_000, 'the case is one: no boundary in common');
    for (const end of ends) await store(new Date(end - 60_000).toISOString(), new Date(end - 1).toISOString());

    const runs = await deliver(id, { startAt: isoMicros(handover - 2 * HOUR), endAt: isoMicros(ends.at(-1)!) });
    assert.deepEqual(
      runs.map(({ start, end, status, recordsCompleted }) => [start, end, status, recordsCompleted]),
      ends.map((end, index) => [isoMicros(ends[index - 1] ?? end - HOUR), isoMicros(end), 'Completed', 2]),
    );
  });

  it('by a request made while another one of its interval is under way, after it', async () => {
    await store('2015-05-17T14:10:00Z');
    const range = { startAt: '2015-05-17T14:00:00Z', endAt: '2015-05-17T15:00:00Z' };
    const { id } = await create();
    const { reached, letGo } = holdAt(id, 'after-plan');
    const first = await request(id, range);
    await reached;
    await store('2015-05-17T14:20:00Z');
    const second = await request(id, range);
    letGo();
    const runs = await runsAfterBackfill(world, id, second.id);
    assert.deepEqual(
      runs.map(({ status, recordsCompleted }) => [status, recordsCompleted]),
      [
        ['Completed', 1],
        ['Completed', 2],
      ],
    );
    assert.equal((await world.backfills.get(world.projectId, id, first.id)).status, 'Completed');
  });

  it('by each of twenty requests made at once beside a pause, which is in force', async () => {
    const { id } = await create();
    const ranges = Array.from({ length: 20 }, (_, index) => {
      const start = millisOf('2015-07-01T00:00:00Z') + index * HOUR;
      return { startAt: isoMicros(start), endAt: isoMicros(start + HOUR) };
    });
    await store(...ranges.map(({ startAt }) => startAt));
    const requests = ranges.map(async (range) => request(id, range));
    const paused = world.batchExports.pause(world.projectId, id);
    const backfills = await Promise.all(requests);
    await paused;
    let runs: Run[] = [];
    for (const backfill of backfills) runs = await runsAfterBackfill(world, id, backfill.id);
    assert.deepEqual(
      runs.map(({ start, status, recordsCompleted }) => [start, status, recordsCompleted]),
      ranges.map(({ startAt }) => [startAt, 'Completed', 1]),
    );
    const row = await world.batchExports.get(world.projectId, id);
    const { state } = await world.engine.temporal.client.schedule.getHandle(id).describe();
    assert.deepEqual([row.paused, state.paused, state.note], [true, true, 'Paused through the API']);
  });

  it('by a request for a hundred and twenty intervals, ten of them at once at most', async function () {
    this.timeout(320_000);
    const { id } = await create({ interval: 'every 1 minutes', paused: true });
    let most = 0;
    world.onStep = async ({ name }) => {
      if (name !== 'before-plan') return;
      const { rows } = await world.engine.pool.query<{ open: number }>(
        `select count(*)::int as open from batch_export_runs where batch_export_id = $1 and finished_at is null`,
        [id],
      );
      most = Math.max(most, rows[0]!.open);
    };
    const { id: backfillId, totalRuns } = await request(id, {
      startAt: '2015-08-01T00:00:00Z',
      endAt: '2015-08-01T02:00:00Z',
    });
    assert.equal(totalRuns, 120);
    const runs = await runsAfterBackfill(world, id, backfillId, 300);
    assert.equal(runs.length, 120);
    assert.deepEqual([...new Set(runs.map(({ status }) => status))], ['Completed']);
    assert.ok(most > 1 && most <= 10, `${most} at once`);
    const { finishedRuns, status, finishedAt } = await world.backfills.get(world.projectId, id, backfillId);
    assert.deepEqual([finishedRuns, status], [120, 'Completed']);
    assert.ok(finishedAt);
    await eventually('the dispatcher to end', async () => {
      const handle = world.engine.temporal.client.workflow.getHandle(`${id}-requests`);
      return (await handle.describe()).status.name === 'COMPLETED';
    });
  });

  it('by the schedule when its interval ends, unless that is paused or not its time', async function () {
    this.timeout(200_000);
    const { id, silent, begun } = minutely;
    const run = await eventually(
      'the next minute’s run',
      async () => {
        const runs = await world.engine.stores.runs.list(world.projectId, id, { limit: 10 });
        return runs.find(({ recordsCompleted }) => recordsCompleted === 1);
      },
      180,
    );
    const end = millisOf(run.end);
    assert.equal(end % MINUTE, 0);
    assert.ok(end >= begun && end <= begun + 2 * MINUTE);
    assert.equal(run.start, isoMicros(end - MINUTE));
    assert.deepEqual([run.kind, run.status, run.workflowId], ['scheduled', 'Completed', `${id}-${isoSeconds(end)}`]);
    const { typedSearchAttributes } = await execution(run.workflowId, run.workflowRunId);
    assert.equal(typedSearchAttributes.get(NOMINAL_TIME)?.getTime(), end);
    assert.equal(typedSearchAttributes.get(SCHEDULED_BY), id);
    for (const other of silent) {
      assert.deepEqual(await world.engine.stores.runs.list(world.projectId, other.id, { limit: 10 }), []);
    }
  });
});
