import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { wakeDispatchers } from '../../../activities/rounds/wake-dispatchers.ts';
import { closeLostRuns } from '../../../activities/runs/close-lost-runs.ts';
import { backfills } from '../../../src/exports/backfills/backfills.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import type { ExportWorker } from '../../../src/exports/temporal/worker.ts';
import { LimitReached, Unavailable } from '../../../src/platform/errors.ts';
import { exportRuns } from '../../../src/exports/runs/runs.ts';
import { exportIntervals } from '../../../src/exports/intervals/intervals.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { deliveredRows } from '../../support/exports/delivered-files.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const HOUR = 3_600_000;
const BEGINNING = millisOf('2015-05-17T00:00:00Z');
/** `[from, to)` in hours since the beginning. */
const hours = (from: number, to: number) => ({
  startAt: isoMicros(BEGINNING + from * HOUR),
  endAt: isoMicros(BEGINNING + to * HOUR),
});

const FIVE_MINUTES = 5 * 60_000;

describe('a backfill', () => {
  let world: ExportWorld;
  let worker: ExportWorker;
  before(async () => {
    world = await buildExportWorld();
    worker = await world.startWorker();
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  /** Paused: at the full hour the schedule would add a run of its own. */
  const build = (overrides = {}) =>
    world.batchExports.create(world.projectId, buildExport({ paused: true, ...overrides }));
  const get = (exportId: string, id: string) => world.backfills.get(world.projectId, exportId, id);

  /** Holds every run of the export at its plan until `release`; `held` says how many are held, `most` how many were at once. */
  function hold(exportId: string) {
    const releases: (() => void)[] = [];
    const gate = {
      held: 0,
      most: 0,
      order: [] as string[],
      release: () => releases.splice(0).forEach((release) => release()),
    };
    world.onStep = async (step) => {
      if (step.exportId !== exportId || step.name !== 'before-plan') return;
      gate.held += 1;
      gate.order.push(step.end);
      gate.most = Math.max(gate.most, gate.held);
      await new Promise<void>((resolve) => releases.push(resolve));
      gate.held -= 1;
    };
    return gate;
  }

  it('runs as many at once as the export allows, and then the next ones', async () => {
    const { id } = await build({ maxConcurrentRuns: 3 });
    const gate = hold(id);
    const backfill = await world.backfills.request(world.projectId, id, hours(0, 8));
    await eventually('three runs to be held', async () => gate.held === 3);
    await sleep(2_500);
    assert.equal(gate.most, 3);
    const releasing = setInterval(gate.release, 50);
    try {
      const runs = await runsAfterBackfill(world, id, backfill.id);
      assert.equal(runs.length, 8);
      assert.deepEqual(
        new Set(runs.map(({ status, backfillId }) => `${status} ${backfillId}`)),
        new Set([`Completed ${backfill.id}`]),
      );
    } finally {
      clearInterval(releasing);
    }
    assert.equal(gate.most, 3);
    const { totalRuns, finishedRuns, failedRuns, status } = await get(id, backfill.id);
    assert.deepEqual([totalRuns, finishedRuns, failedRuns, status], [8, 8, 0, 'Completed']);
  });

  it('lets a retry pass', async () => {
    const { id } = await build({ maxConcurrentRuns: 1 });
    const first = await world.backfills.request(world.projectId, id, hours(0, 1));
    const [run] = await runsAfterBackfill(world, id, first.id);
    const gate = hold(id);
    await world.backfills.request(world.projectId, id, hours(1, 6));
    await eventually('the first run to be held', async () => gate.held === 1);
    const retry = await world.backfills.retry(world.projectId, id, run!.id);
    gate.release();
    await eventually('the second run to be held', async () => gate.order.length === 2);
    assert.equal(gate.order[1], hours(0, 1).endAt);
    const releasing = setInterval(gate.release, 50);
    await eventually('the retry to end', async () => (await get(id, retry.id)).status === 'Completed');
    clearInterval(releasing);
  });

  /** Unpauses an export whose pause missed four intervals. */
  async function unpause(): Promise<{ id: string; backfillId: string }> {
    const left = FIVE_MINUTES - (Date.now() % FIVE_MINUTES);
    // An interval that ends between the two would be a fifth.
    if (left < 20_000) await sleep(left);
    const { id } = await build({ interval: 'every 5 minutes' });
    await world.engine.pool.query(
      `update batch_export_pauses set paused_at = clock_timestamp() - interval '20 minutes' where batch_export_id = $1`,
      [id],
    );
    const author = { actor: null } as never;
    let backfillId = '';
    await world.batchExports.unpause(world.projectId, id, author, async (inside, changed) => {
      backfillId = (await world.backfills.openForPause(inside, changed, author))!.id;
    });
    await world.backfills.wake(id);
    return { id, backfillId };
  }

  describe('of a pause, in a project that has as many backfills as it may have,', () => {
    let limit: number;
    beforeEach(() => (limit = world.options.limits.backfillsPerProject));
    afterEach(() => (world.options.limits.backfillsPerProject = limit));

    it('waits, reports so, and begins when one of them has ended', async () => {
      await eventually('the backfills of other tests to end', async () => {
        return (await world.engine.stores.backfills.countLive(world.projectId)) === 0;
      });
      world.options.limits.backfillsPerProject = 1;
      const first = await build();
      const gate = hold(first.id);
      const firstBackfill = await world.backfills.request(world.projectId, first.id, hours(60, 61));
      await eventually('the run to be held', async () => gate.held === 1);
      const { id, backfillId } = await unpause();
      await sleep(2_500);
      const waiting = await get(id, backfillId);
      assert.deepEqual([waiting.status, waiting.totalRuns, waiting.finishedRuns], ['Starting', 4, 0]);
      assert.equal(await world.engine.stores.runRequests.countOpen(id), 0);
      const runs = exportRuns({ ...world.engine, ensureTemporal: async () => {} });
      const old = { ...waiting, lastUpdatedAt: isoMicros(Date.now() - 60_000) };
      assert.match((await runs.backfillWaitingReason(old)) ?? '', /^Waits for its turn/);
      await assert.rejects(world.backfills.request(world.projectId, first.id, hours(62, 63)), LimitReached);
      gate.release();
      await runsAfterBackfill(world, first.id, firstBackfill.id);
      await runsAfterBackfill(world, id, backfillId);
      const { status, finishedRuns, failedRuns } = await get(id, backfillId);
      assert.deepEqual([status, finishedRuns, failedRuns], ['Completed', 4, 0]);
    });

    it('is cancelled while it waits, and with its export', async () => {
      world.options.limits.backfillsPerProject = 0;
      const { projectId, engine } = world;
      const [cancelled, deleted] = [await unpause(), await unpause()];
      await world.backfills.cancel(projectId, cancelled.id, cancelled.backfillId);
      assert.equal((await get(cancelled.id, cancelled.backfillId)).status, 'Cancelled');
      await world.batchExports.delete(projectId, deleted.id);
      await world.backfills.wake(deleted.id);
      await eventually('the backfill to end', async () => {
        return (await engine.stores.backfills.get(projectId, deleted.id, deleted.backfillId)).status === 'Cancelled';
      });
      const waking = await engine.stores.runRequests.listExportsWithOpenRequests();
      assert.deepEqual(
        [cancelled.id, deleted.id].filter((id) => waking.includes(id)),
        [],
      );
    });
  });

  it('that is cancelled ends its runs, and starts no other', async () => {
    const timestamps = [20, 21].map((hour) => microseconds(isoMicros(BEGINNING + (hour + 0.5) * HOUR)));
    await world.store(timestamps.map((timestamp) => buildEvent({ timestamp })));
    const { id } = await build({ maxConcurrentRuns: 2 });
    const gate = hold(id);
    const backfill = await world.backfills.request(world.projectId, id, hours(20, 26));
    await eventually('two runs to be held', async () => gate.held === 2);
    await world.backfills.cancel(world.projectId, id, backfill.id);
    gate.release();
    const runs = await eventually('the runs to end', async () => {
      // As the reconciler does: one that was cancelled before its plan has nobody else to close it.
      await closeLostRuns(world.engine, 0, new AbortController().signal);
      const found = await world.engine.stores.runs.list(world.projectId, id, { limit: 10 });
      return found.every(({ finishedAt }) => finishedAt) && found;
    });
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['Cancelled', 'Cancelled'],
    );
    const { status, finishedRuns, totalRuns } = await get(id, backfill.id);
    assert.deepEqual([status, finishedRuns, totalRuns], ['Cancelled', 0, 6]);
  });

  /** Waits until the run of the one hour that is asked for gives such a reason for its waiting. */
  async function waitForReason(exportId: string, wanted: RegExp): Promise<void> {
    const { stores } = world.engine;
    const runs = exportRuns({ ...world.engine, ensureTemporal: async () => {} });
    // A run that has begun waits for its seal until its first attempt has failed.
    await eventually(`a reason like ${wanted.source}`, async () => {
      const open = await stores.runs.listOpen(exportId);
      const old = open.map((run) => ({ ...run, createdAt: isoMicros(Date.now() - 60_000) }));
      return [...(await runs.waitingReasons(old)).values()].find((reason) => wanted.test(reason));
    });
  }

  describe('with a run that is Starting for long says', () => {
    it('that its interval is being sealed', async () => {
      const { id } = await build();
      const gate = hold(id);
      const backfill = await world.backfills.request(world.projectId, id, hours(0, 1));
      await eventually('the run to be held', async () => gate.held === 1);
      await waitForReason(id, /^Waits until its data interval is sealed/);
      gate.release();
      await runsAfterBackfill(world, id, backfill.id);
    });

    it('that it is tried again, and why', async () => {
      const { id } = await build();
      let away = true;
      world.onStep = async (step) => {
        if (step.exportId === id && away) throw new Unavailable('The database is away.');
      };
      const backfill = await world.backfills.request(world.projectId, id, hours(0, 1));
      await waitForReason(id, /^Sluice will retry it: The database is away\.$/);
      away = false;
      await runsAfterBackfill(world, id, backfill.id);
    });
  });

  const retry = (id: string, { retryFailed } = world.backfills) =>
    retryFailed(world.projectId, id, undefined, { includeRetrying: true });
  const statusesAfter = async (id: string, backfill: { id: string } | undefined) =>
    (await runsAfterBackfill(world, id, backfill!.id)).map(({ status }) => status);

  describe('of runs that are being retried', () => {
    let nextHour = 70;

    /** An export, and the run of an hour with a row whose first attempts fail at the step; later runs of the hour do not. */
    async function buildRetrying(step: string, { hasRecovered = async () => false } = {}) {
      const range = hours(nextHour, ++nextHour);
      await world.store([buildEvent({ timestamp: microseconds(range.startAt) })]);
      const directory = `retrying-${nextHour}`;
      const { id } = await build({ destination: { type: 'LocalFile', config: { directory } } });
      let failing: string | undefined;
      world.onStep = async ({ exportId, name, runId }) => {
        if (exportId !== id || name !== step || (failing ??= runId) !== runId) return;
        if (!(await hasRecovered())) throw new Unavailable('The store is away.');
      };
      const first = await world.backfills.request(world.projectId, id, range);
      const run = await eventually('a run that is being retried', async () => {
        const newest = await world.engine.stores.runs.findNewestOfInterval(id, range.endAt);
        return newest?.latestError === 'The store is away.' && newest;
      });
      return { id, run, first, folder: path.join(world.folder, directory) };
    }
    for (const [step, was] of [
      ['before-plan', 'Starting'],
      ['part-0-begin', 'Running'],
    ] as const)
      it(`ends one that is ${was}, and delivers once with the present settings, though two people ask for it`, async () => {
        const { id, run, first } = await buildRetrying(step);
        assert.equal(run.status, was);
        const directory = `retried-${was}`;
        await world.batchExports.patch(world.projectId, id, {
          destination: { type: 'LocalFile', config: { directory } },
        });
        const opened = (await Promise.all([retry(id), retry(id)])).filter((one) => one !== undefined);
        assert.deepEqual(
          opened.map(({ totalRuns }) => totalRuns),
          [1],
        );
        assert.deepEqual(await statusesAfter(id, opened[0]), ['Terminated', 'Completed']);
        const ended = await world.engine.stores.runs.getById(run.id);
        assert.deepEqual([ended.latestError, ended.errorCode], [run.latestError, run.errorCode]);
        assert.equal((await deliveredRows(path.join(world.folder, directory))).length, 1);
        const ofBoth = [await get(id, first.id), await get(id, opened[0]!.id)];
        assert.deepEqual(
          ofBoth.map(({ status, finishedRuns }) => [status, finishedRuns]),
          [
            ['Completed', 1],
            ['Completed', 1],
          ],
        );
      });

    it('ends one whose worker is frozen, after the server that was asked has died; what thaws changes nothing', async () => {
      const thaw = Promise.withResolvers<boolean>();
      const frozen = Promise.withResolvers<void>();
      let isAway = true;
      const hasRecovered = async () => {
        if (isAway) return false;
        frozen.resolve();
        return thaw.promise;
      };
      const { id, folder } = await buildRetrying('part-0-begin', { hasRecovered });
      isAway = false;
      await frozen.promise;
      const { engine } = world;
      const executions = {
        ...engine.executions,
        wakeDispatcher: () => Promise.reject(new Error('The server is dead.')),
      };
      const dying = backfills({ ...engine, executions, ensureTemporal: async () => {} });
      const backfill = await retry(id, dying);
      await wakeDispatchers(engine, new AbortController().signal);
      assert.deepEqual(await statusesAfter(id, backfill), ['Terminated', 'Completed']);
      thaw.resolve(true);
      // A worker stops once its last attempt has ended.
      worker.shutdown();
      await worker.stopped;
      worker = await world.startWorker();
      assert.equal((await deliveredRows(folder)).length, 1);
    });

    it('is answered by one that still delivers', async () => {
      const { executions, temporal } = world.engine;
      const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
      let failures = 0;
      const { id, run } = await buildRetrying('before-committing', {
        hasRecovered: async () => {
          if (failures++ === 0) return false;
          reached.resolve();
          return gate.promise;
        },
      });
      await reached.promise;
      const backfill = await retry(id);
      const handle = temporal.client.workflow.getHandle(run.workflowId, run.workflowRunId);
      const countCancels = async () =>
        ((await handle.fetchHistory()).events ?? []).filter(
          (one) => one.workflowExecutionCancelRequestedEventAttributes,
        ).length;
      await eventually('the run to be asked to end', async () => (await countCancels()) === 1);
      // Another round asks again.
      await executions.wakeDispatcher(id);
      gate.resolve(true);
      assert.deepEqual(await statusesAfter(id, backfill), ['Completed']);
      assert.deepEqual([(await get(id, backfill!.id)).status, await countCancels()], ['Completed', 1]);
    });
  });

  it('is continued by another worker', async () => {
    const { id } = await build({ maxConcurrentRuns: 2 });
    const gate = hold(id);
    const backfill = await world.backfills.request(world.projectId, id, hours(0, 5));
    await eventually('two runs to be held', async () => gate.held === 2);
    worker.shutdown();
    gate.release();
    world.onStep = async () => {};
    await worker.stopped;
    worker = await world.startWorker();
    const runs = await runsAfterBackfill(world, id, backfill.id);
    const delivered = runs.filter(({ status }) => status === 'Completed');
    assert.equal(new Set(delivered.map(({ end }) => end)).size, 5);
  });

  it('of what is stale delivers what came late, and leaves nothing stale', async () => {
    const { id } = await build();
    const batchExport = await world.batchExports.get(world.projectId, id);
    await runsAfterBackfill(world, id, (await world.backfills.request(world.projectId, id, hours(40, 44))).id);
    await world.store([buildEvent({ timestamp: microseconds(isoMicros(BEGINNING + 41.5 * HOUR)) })]);
    const range = { start: hours(40, 44).startAt, end: hours(40, 44).endAt };
    const stale = async () =>
      (await exportIntervals(world.engine).list(batchExport, range, ['stale'], { limit: 10 })).map(({ end }) => end);
    assert.deepEqual(await stale(), [BEGINNING + 42 * HOUR]);
    const backfill = await world.backfills.request(world.projectId, id, { ...hours(40, 44), only: ['stale'] });
    await runsAfterBackfill(world, id, backfill.id);
    const { totalRuns, totalRecords } = await get(id, backfill.id);
    assert.deepEqual([totalRuns, totalRecords, await stale()], [1, 1, []]);
  });
});
