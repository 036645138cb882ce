import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { TypedSearchAttributes, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { createActivities } from '../../../activities/index.ts';
import type { FinishRunInput } from '../../../activities/runs/finish-run.ts';
import type { Repairs } from '../../../activities/rounds/reconcile.ts';
import { DestinationRejected, StagedLost } from '../../../src/platform/errors.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import { boundaryAfter, cadenceWith } from '../../../src/exports/domain/cadence.ts';
import { runWorkflowId } from '../../../src/exports/domain/ids.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import type { Run, RunEnd } from '../../../src/exports/runs/runs.store.ts';
import { deliveredManifests } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';
import { holdAt } from '../../support/servers/hold-at.ts';
import { thisHour } from '../../support/hours.ts';

const NOMINAL_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
const HOUR = 3_600_000;
const MINUTE = 60_000;
/** The hour running now; an instant is said in hours from its beginning. */
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);

type LastRun = { what: string; end?: RunEnd; finishedMinutesAgo?: number; times?: number; requested: boolean };

/** A failure that may pass is tried again after 1, 5, 15 and 60 minutes, then hourly for a day. */
function retried(what: string, end: RunEnd): LastRun[] {
  return [
    { what, end, requested: false },
    { what: `${what}, a minute ago`, end, finishedMinutesAgo: 1.1, requested: true },
    {
      what: `${what} twice, the last time four minutes ago`,
      end,
      finishedMinutesAgo: 4,
      times: 2,
      requested: false,
    },
    { what: `${what} twice, the last time six minutes ago`, end, finishedMinutesAgo: 6, times: 2, requested: true },
    { what: `${what} for more than a day`, end, finishedMinutesAgo: 600, times: 28, requested: false },
  ];
}

describe('the reconciler', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    (await world.engine.pool.query<Row>(text, values)).rows;

  /** A paused export, so that nothing starts by itself; as if it had been made hours ago. */
  async function buildOldExport(overrides: Parameters<typeof buildExport>[0] = {}, createdAt = at(-5.5)) {
    const directory = randomUUID();
    const destination = { type: 'LocalFile', config: { directory } };
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ destination, paused: true, endAt: at(-1), ...overrides }),
    );
    await sql('update batch_exports set created_at = $2 where id = $1', [id, createdAt]);
    return { id, folder: path.join(world.folder, directory) };
  }

  /** One round; runs that nothing touched for a while are all that are open now. */
  async function reconcile(): Promise<Repairs> {
    await sql(
      `update batch_export_runs set last_updated_at = last_updated_at - interval '1 minute' where finished_at is null`,
      [],
    );
    const { workflow } = world.engine.temporal.client;
    return (await workflow.execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: TASK_QUEUES.control,
      args: [],
    })) as Repairs;
  }

  /** Rounds until it is so: an attempt that does not know yet that its workflow has ended still touches its run, or stages. */
  async function reconcileUntil<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    return eventually(what, async () => {
      await reconcile();
      return look();
    });
  }

  const reconcileUntilClosed = (runId: string) =>
    reconcileUntil('the run to be closed', async () => {
      const run = await world.engine.stores.runs.getById(runId);
      return run.finishedAt !== null && run;
    });

  /** As if the export's runs had ended earlier, and been settled for the last time. */
  const pass = async (exportId: string, minutes: number) => {
    const earlier = `- make_interval(secs => $2::float8)`;
    const values = [exportId, minutes * 60 + 1];
    await sql(`update batch_export_runs set finished_at = finished_at ${earlier} where batch_export_id = $1`, values);
    await sql(`update batch_export_troubles set retry_at = retry_at ${earlier} where batch_export_id = $1`, values);
  };
  const passMinute = async (exportId: string) => pass(exportId, 1);

  /** Ends of the intervals that were ever requested as gaps, in hours from now. */
  async function gapsOf(exportId: string): Promise<number[]> {
    const rows = await sql<{ end: string }>(
      `select data_interval_end as "end" from batch_export_requests
       where batch_export_id = $1 and kind = 'gap' order by data_interval_end`,
      [exportId],
    );
    return rows.map(({ end }) => (millisOf(end) - THIS_HOUR) / HOUR);
  }

  const runOf = async (exportId: string, hours: number): Promise<Run> => {
    const run = await world.engine.stores.runs.findNewestOfInterval(exportId, at(hours));
    assert.ok(run);
    return run;
  };
  const idle = async (exportId: string) =>
    eventually('the requests to be answered', async () => {
      return (await world.engine.stores.runRequests.countOpen(exportId)) === 0;
    });
  const deliver = async (exportId: string, startAt: string, endAt: string) =>
    world.backfills.request(world.projectId, exportId, { startAt, endAt });

  /** The run of an interval whose workflow is terminated in Temporal when it reaches the step; its worker dies there. */
  async function terminateAt(exportId: string, name: string): Promise<Run> {
    const { reached, die } = holdAt(world, exportId, name);
    await deliver(exportId, at(-3), at(-2));
    const { runId } = await reached;
    const run = await world.engine.stores.runs.getById(runId);
    await world.engine.temporal.client.workflow.getHandle(run.workflowId, run.workflowRunId).terminate();
    die();
    return run;
  }

  /** Cancels in Temporal the run of an interval that has reached the step, then lets it go on. */
  async function cancelAt(exportId: string, name: string): Promise<Run> {
    const { reached, goOn } = holdAt(world, exportId, name);
    await deliver(exportId, at(-3), at(-2));
    const { runId } = await reached;
    const run = await world.engine.stores.runs.getById(runId);
    const handle = world.engine.temporal.client.workflow.getHandle(run.workflowId, run.workflowRunId);
    await handle.cancel();
    await eventually('the cancellation to be known', async () => {
      const { events } = await handle.fetchHistory();
      return events?.some(({ workflowExecutionCancelRequestedEventAttributes: asked }) => asked);
    });
    goOn();
    await handle.result().catch(() => {});
    return run;
  }

  const storeRow = () =>
    world.store([buildEvent({ timestamp: microseconds(new Date(THIS_HOUR - 2.5 * HOUR).toISOString()) })]);
  const artifactsOf = async (exportId: string) =>
    sql('select artifact from batch_export_artifacts where batch_export_id = $1', [exportId]);

  describe('requests intervals that should exist and do not', () => {
    const cases: {
      what: string;
      overrides?: Parameters<typeof buildExport>[0];
      pause?: [number, number];
      gaps: number[];
    }[] = [
      { what: 'since the export was made', gaps: [-5, -4, -3, -2, -1] },
      { what: 'but not before its beginning', overrides: { startAt: at(-3.5) }, gaps: [-3, -2, -1] },
      { what: 'from the one that ends at its beginning', overrides: { startAt: at(-3) }, gaps: [-3, -2, -1] },
      { what: 'but not after its end', overrides: { endAt: at(-3) }, gaps: [-5, -4, -3] },
      { what: 'but not one that its end cuts', overrides: { endAt: at(-2.5) }, gaps: [-5, -4, -3] },
      { what: 'but not in a pause', pause: [-4.2, -2.9], gaps: [-5, -2, -1] },
      { what: 'but not what ended just when a pause began', pause: [-4, -3], gaps: [-5, -3, -2, -1] },
    ];
    for (const { what, overrides = {}, pause, gaps } of cases) {
      it(what, async () => {
        const { id } = await buildOldExport(overrides);
        if (pause) {
          await sql('insert into batch_export_pauses values ($1, $2, $3)', [id, at(pause[0]), at(pause[1])]);
        }
        await reconcileUntil('the gaps to be requested', async () => (await gapsOf(id)).length > 0);
        assert.deepEqual(await gapsOf(id), gaps);
        await idle(id);
        for (const gap of gaps) {
          const { status, kind } = await runOf(id, gap);
          assert.deepEqual([status, kind], ['Completed', 'gap']);
        }
        await reconcile();
        assert.deepEqual(await gapsOf(id), gaps, 'a delivered gap is none any more');
      });
    }

    it('of each spec, and the shorter one at the handover', async () => {
      const { id } = await buildOldExport();
      await world.batchExports.patch(world.projectId, id, { interval: 'every 25 minutes' });
      await sql(
        `update batch_export_specs set valid_from = $2 where batch_export_id = $1 and valid_from > '-infinity'`,
        [id, at(-3)],
      );
      await reconcile();
      const ends = [-5, -4, -3].map((hours) => THIS_HOUR + hours * HOUR);
      const [handover, end] = [THIS_HOUR - 3 * HOUR, THIS_HOUR - HOUR];
      for (let next = handover; (next = boundaryAfter(cadenceWith({ interval: 'every 25 minutes' }), next)) <= end;)
        ends.push(next);
      assert.deepEqual(
        (await gapsOf(id)).map((hours) => Math.round(THIS_HOUR + hours * HOUR)),
        ends,
      );
    });

    it('but gives the schedule two minutes to start the last one', async () => {
      const { id } = await buildOldExport(
        { endAt: null, interval: 'every 1 minutes' },
        isoMicros(Date.now() - 5 * MINUTE),
      );
      // The pause that the export was made with began now.
      await reconcile();
      const now = Date.now();
      const ends = (await gapsOf(id)).map((hours) => Math.round(THIS_HOUR + hours * HOUR));
      assert.ok(ends.length >= 2);
      assert.ok(ends.every((end) => end <= now - 2 * MINUTE));
    });
  });

  describe('judges an interval by its last run', () => {
    const ends: LastRun[] = [
      { what: 'delivered', end: { status: 'Completed', closedBy: 'run' }, requested: false },
      { what: 'failed: waits for a person', end: { status: 'Failed', closedBy: 'run' }, requested: false },
      { what: 'cancelled: waits for a person', end: { status: 'Cancelled', closedBy: 'api' }, requested: false },
      {
        what: 'terminated through the API',
        end: { status: 'Terminated', closedBy: 'api' },
        finishedMinutesAgo: 600,
        requested: false,
      },
      { what: 'under way', requested: false },
      ...retried('failed for now', { status: 'FailedRetryable', closedBy: 'run' }),
      ...retried('terminated in Temporal', { status: 'Terminated', closedBy: 'reconciler' }),
      ...retried('timed out', { status: 'TimedOut', closedBy: 'reconciler' }),
    ];

    for (const { what, end, finishedMinutesAgo = 0, times = 1, requested } of ends) {
      it(what, async () => {
        const { id } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
        const { runs } = world.engine.stores;
        for (let time = 0; time < times; time++) {
          const { id: runId } = await runs.open({
            createdAt: isoMicros(Date.now() + time),
            projectId: world.projectId,
            batchExportId: id,
            start: at(-3),
            end: at(-2),
            kind: 'scheduled',
            workflowId: runWorkflowId(id, THIS_HOUR - 2 * HOUR),
            workflowRunId: randomUUID(),
          });
          if (end) await runs.close(runId, end);
        }
        await sql(
          `update batch_export_runs set finished_at = finished_at - make_interval(secs => $2) where batch_export_id = $1`,
          [id, finishedMinutesAgo * 60],
        );
        // A run under way is looked up in Temporal, which does not know this one: it was touched just now.
        await sql(
          `update batch_export_runs set last_updated_at = now() + interval '2 minutes' where batch_export_id = $1`,
          [id],
        );
        // A round that Temporal does not answer in time leaves an export to the next one.
        if (requested) await reconcileUntil('the gap to be requested', async () => (await gapsOf(id)).length > 0);
        else await reconcile();
        assert.deepEqual(await gapsOf(id), requested ? [-2] : []);
        if (requested) await idle(id);
        if (requested) assert.equal((await runOf(id, -2)).status, 'Completed');
      });
    }
  });

  it('leaves an interval alone that is requested already', async () => {
    const { id } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
    const { reached, goOn } = holdAt(world, id, 'after-plan');
    await deliver(id, at(-3), at(-2));
    await reached;
    await reconcile();
    goOn();
    await idle(id);
    const runs = await world.engine.stores.runs.list(world.projectId, id, { limit: 10 });
    assert.deepEqual(
      runs.map(({ kind, status }) => [kind, status]),
      [['backfill', 'Completed']],
    );
  });

  it('wakes the dispatcher of requests that nothing else dispatches', async () => {
    const { id } = await buildOldExport();
    const interval = { start: THIS_HOUR - 30 * HOUR, end: THIS_HOUR - 29 * HOUR };
    await world.engine.stores.backfills.open({
      projectId: world.projectId,
      batchExportId: id,
      kind: 'backfill',
      ...interval,
      wanted: [interval],
      totalRuns: 1,
    });
    await reconcile();
    await idle(id);
    assert.equal((await runOf(id, -29)).status, 'Completed');
  });

  describe('when a workflow was terminated in Temporal', () => {
    it('before the plan, ends the run and has the interval delivered by another', async () => {
      await storeRow();
      const { id } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
      const terminated = await terminateAt(id, 'before-plan');
      const { status, latestError } = await reconcileUntilClosed(terminated.id);
      assert.equal(status, 'Terminated');
      assert.match(latestError!, /^The workflow was terminated in Temporal/);
      await idle(id);
      await reconcile();
      assert.deepEqual(await gapsOf(id), [], 'tried again at once, it could be terminated for ever');
      await passMinute(id);
      await reconcile();
      assert.deepEqual(await gapsOf(id), [-2]);
      await idle(id);
      assert.equal((await runOf(id, -2)).status, 'Completed');
    });

    for (const step of ['upload-begun', 'part-0-begin']) {
      it(`in a part, at "${step}", takes back what was staged`, async () => {
        await storeRow();
        const { id, folder } = await buildOldExport({}, at(0));
        const { id: runId } = await terminateAt(id, step);
        await eventually('the part to end', async () => (await readdir(folder)).length > 0);
        assert.equal((await reconcileUntilClosed(runId)).status, 'Terminated');
        await reconcileUntil('the rest to go', async () => (await artifactsOf(id)).length === 0);
        assert.deepEqual(await readdir(folder), []);
        assert.deepEqual(await gapsOf(id), [], 'nobody needs an interval before the export was made');
      });
    }

    for (const step of ['before-commit', 'file-0', 'manifest']) {
      it(`in its commit, at "${step}", has the interval delivered again`, async () => {
        await storeRow();
        const { id, folder } = await buildOldExport({}, at(0));
        const terminated = await terminateAt(id, step);
        await reconcileUntilClosed(terminated.id);
        await idle(id);
        await reconcile();
        assert.deepEqual(await gapsOf(id), [], 'tried again at once, it could be terminated for ever');
        await passMinute(id);
        await reconcileUntil('the interval to be requested', async () => (await gapsOf(id)).length > 0);
        assert.deepEqual(await gapsOf(id), [-2]);
        await idle(id);
        const run = await runOf(id, -2);
        assert.notEqual(run.id, terminated.id);
        assert.deepEqual([run.status, run.epoch], ['Completed', 2]);
        assert.equal((await world.engine.stores.runs.getById(terminated.id)).status, 'Terminated');
        const [manifest, ...others] = await deliveredManifests(folder);
        assert.deepEqual(others, []);
        // Files that the terminated run had made visible are no delivery: they are on record, to be deleted.
        const left = await sql('select from superseded_files where batch_export_id = $1', [id]);
        assert.deepEqual([manifest?.files.length, left.length], [1, step === 'manifest' ? 1 : 0]);
        assert.equal((await readdir(folder)).length, 2 + left.length);
        assert.deepEqual(await artifactsOf(id), []);
      });
    }

    for (const step of ['after-commit', 'before-read-back', 'before-delivered']) {
      it(`in its commit, at "${step}", finds it delivered`, async () => {
        await storeRow();
        const { id, folder } = await buildOldExport({}, at(0));
        const terminated = await terminateAt(id, step);
        const run = await reconcileUntil('the interval to be settled', async () => {
          const entry = await world.engine.stores.ledger.find({ exportId: id, start: at(-3), end: at(-2) });
          return entry?.state !== 'committing' && world.engine.stores.runs.getById(terminated.id);
        });
        assert.equal(run.status, 'Completed');
        assert.equal(run.latestError, null);
        assert.equal(run.recordsCompleted, run.recordsTotalCount);
        assert.equal(run.receipt?.rows, run.recordsTotalCount);
        assert.ok(run.cursor);
        assert.deepEqual(await gapsOf(id), []);
        assert.equal((await readdir(folder)).length, 2);
        const [backfill] = await world.backfills.list(world.projectId, id, { limit: 10 });
        await idle(id);
        assert.equal((await world.backfills.get(world.projectId, id, backfill!.id)).status, 'Completed');
      });
    }

    it('records a run as completed when a worker that did not notice delivers it anyway', async () => {
      const { id } = await buildOldExport({}, at(0));
      const planner = holdAt(world, id, 'after-plan');
      await deliver(id, at(-81), at(-80));
      const { runId } = await planner.reached;
      const { workflowId, workflowRunId } = await world.engine.stores.runs.getById(runId);

      const { finishRun } = createActivities(world.engine);
      const { reached, goOn } = holdAt(world, id, 'before-committing');
      const environment = new MockActivityEnvironment({ workflowExecution: { workflowId, runId: workflowRunId } });
      const frozen = environment.run(finishRun, { runId, ending: { how: 'commit' } } satisfies FinishRunInput);
      await reached;
      await world.engine.temporal.client.workflow.getHandle(workflowId, workflowRunId).terminate();
      planner.die();
      assert.equal((await reconcileUntilClosed(runId)).status, 'Terminated');
      goOn();
      await frozen;
      const { status, receipt, latestError } = await world.engine.stores.runs.getById(runId);
      assert.deepEqual([status, receipt?.rows, latestError], ['Completed', 0, null]);
    });
  });

  describe('when a workflow was cancelled in Temporal', () => {
    it('leaves nothing visible, and waits for a person', async () => {
      await storeRow();
      const { id, folder } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
      const cancelled = await cancelAt(id, 'part-0-begin');
      const { status, latestError } = await world.engine.stores.runs.getById(cancelled.id);
      assert.deepEqual([status, latestError], ['Cancelled', 'The run was cancelled']);
      await reconcileUntil('the rest to go', async () => (await artifactsOf(id)).length === 0);
      assert.deepEqual(await readdir(folder), []);
      assert.deepEqual(await gapsOf(id), []);
      const handle = world.engine.temporal.client.workflow.getHandle(cancelled.workflowId, cancelled.workflowRunId);
      assert.equal((await handle.describe()).status.name, 'CANCELLED');
    });

    it('before it could plan, records the run as Cancelled', async () => {
      const { id } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
      const cancelled = await cancelAt(id, 'before-plan');
      const { status } = await reconcileUntilClosed(cancelled.id);
      assert.equal(status, 'Cancelled');
      await idle(id);
      assert.deepEqual(await gapsOf(id), []);
    });

    it('finishes a commit that has begun', async () => {
      await storeRow();
      const { id, folder } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
      const cancelled = await cancelAt(id, 'manifest');
      assert.equal((await world.engine.stores.runs.getById(cancelled.id)).status, 'Completed');
      assert.equal((await readdir(folder)).length, 2);
      const [manifest] = await deliveredManifests(folder);
      assert.deepEqual([manifest?.state, manifest?.files.length], ['complete', 1]);
    });
  });

  it('calls a run timed out whose workflow timed out, and delivers the interval', async () => {
    const { id } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
    const { reached, die } = holdAt(world, id, 'after-plan');
    const end = THIS_HOUR - 2 * HOUR;
    const handle = await world.engine.temporal.client.workflow.start('exportRun', {
      workflowId: runWorkflowId(id, end),
      taskQueue: TASK_QUEUES.control,
      args: [{ exportId: id }],
      workflowRunTimeout: '2 seconds',
      typedSearchAttributes: new TypedSearchAttributes([{ key: NOMINAL_TIME, value: new Date(end) }]),
    });
    const { runId } = await reached;
    await assert.rejects(handle.result());
    die();
    assert.equal((await reconcileUntilClosed(runId)).status, 'TimedOut');
    await passMinute(id);
    await reconcile();
    await idle(id);
    assert.equal((await runOf(id, -2)).status, 'Completed');
  });

  it('leaves an interval alone whose destination refused the commit', async () => {
    await storeRow();
    const { id } = await buildOldExport({ startAt: at(-2.5), endAt: at(-2) });
    world.onStep = async ({ exportId, name }) => {
      if (exportId === id && name === 'manifest') throw new DestinationRejected('No.');
    };
    await deliver(id, at(-3), at(-2));
    await idle(id);
    world.onStep = async () => {};
    const { status, latestError } = await runOf(id, -2);
    assert.deepEqual([status, latestError], ['Failed', 'No.']);
    await reconcile();
    assert.deepEqual(await gapsOf(id), []);
    const entry = await world.engine.stores.ledger.find({ exportId: id, start: at(-3), end: at(-2) });
    assert.equal(entry?.state, 'open', 'it is settled: the next round has nothing to do here');
  });

  it('delivers an interval whose runs end in their commits again after pauses, and not for ever', async () => {
    await storeRow();
    const { id } = await buildOldExport({}, at(0));
    const { stores } = world.engine;
    world.onStep = async ({ exportId, name }) => {
      if (exportId === id && name === 'before-commit') throw new StagedLost('It is gone.');
    };
    await deliver(id, at(-3), at(-2));
    await idle(id);
    const failed = await runOf(id, -2);
    assert.deepEqual([failed.status, failed.latestError], ['FailedRetryable', 'It is gone.']);
    await reconcile();
    assert.deepEqual(await gapsOf(id), [], 'too early');
    await passMinute(id);
    await reconcile();
    assert.deepEqual(await gapsOf(id), [-2]);
    await idle(id);
    const { batchExportId, projectId, start, end, workflowId } = failed;
    for (let times = 2; times < 28; times++) {
      const execution = { kind: 'gap' as const, workflowId, workflowRunId: randomUUID(), createdAt: failed.createdAt };
      const earlier = await stores.runs.open({ batchExportId, projectId, start, end, ...execution });
      await stores.runs.close(earlier.id, { status: 'FailedRetryable', closedBy: 'run' });
    }
    await pass(id, 600);
    await reconcile();
    assert.deepEqual(await gapsOf(id), [-2], 'given up');
    const entry = await stores.ledger.find({ exportId: id, start: at(-3), end: at(-2) });
    assert.equal(entry?.state, 'open', 'it is settled: the next round has nothing to do here');
  });

  it('takes back what a deleted export’s run had staged', async () => {
    await storeRow();
    const { id, folder } = await buildOldExport({}, at(0));
    const { reached, goOn } = holdAt(world, id, 'part-0-end');
    await deliver(id, at(-3), at(-2));
    const { runId } = await reached;
    await world.batchExports.delete(world.projectId, id);
    goOn();
    await eventually('the run to end', async () => (await world.engine.stores.runs.getById(runId)).finishedAt !== null);
    assert.equal((await world.engine.stores.runs.getById(runId)).status, 'Cancelled');
    await reconcileUntil('the rest to go', async () => (await artifactsOf(id)).length === 0);
    assert.deepEqual(await readdir(folder), []);
  });

  it('deletes old rows, and still knows which deliveries are its own', async () => {
    const { stores } = world.engine;
    const { id } = await buildOldExport({}, at(0));
    const deliverAgain = async () => {
      await deliver(id, at(-3), at(-2));
      await idle(id);
      const run = await runOf(id, -2);
      assert.deepEqual([run.status, run.latestError], ['Completed', null]);
      return run;
    };
    await storeRow();
    const first = await deliverAgain();
    await storeRow();
    const second = await deliverAgain();
    const unchanged = await deliverAgain();
    assert.equal(unchanged.receipt?.run_id, second.id, 'the destination still names the second run');
    const age = `- interval '500 days'`;
    for (const statement of [
      `batch_export_runs set created_at = created_at ${age}, finished_at = finished_at ${age} where batch_export_id = $1`,
      `batch_export_logs set "timestamp" = "timestamp" ${age} where batch_export_id = $1`,
      `batch_export_requests set closed_at = closed_at ${age} where batch_export_id = $1`,
      `batch_export_backfills set finished_at = finished_at ${age} where batch_export_id = $1`,
      `batch_export_parts set staged_at = staged_at ${age} where run_id in (select id from batch_export_runs where batch_export_id = $1)`,
      `batch_export_attempts set started_at = started_at ${age} where run_id in (select id from batch_export_runs where batch_export_id = $1)`,
    ])
      await sql(`update ${statement}`, [id]);
    world.engine.retention = { RETENTION_EXPORT_LOG_DAYS: 90, RETENTION_RUN_DETAIL_DAYS: 90, RETENTION_RUN_DAYS: 400 };
    try {
      await reconcileUntil(
        'the replaced run to go',
        async () => (await stores.runs.findByExecution(first.workflowRunId)) === undefined,
      );
    } finally {
      world.engine.retention = {};
    }
    const listed = await stores.runs.list(world.projectId, id, { limit: 10 });
    assert.deepEqual(listed.map((run) => run.id).sort(), [second.id, unchanged.id].sort());
    assert.equal((await stores.attempts.listOfRun(second.id)).length, 0);
    assert.equal((await stores.logs.list({ batchExportId: id, limit: 10, offset: 0 })).count, 0);
    const [interval] = await stores.intervalStates.listKnownIntervals(id, at(-3), at(-2));
    assert.deepEqual([interval?.delivered, interval?.status], [true, 'Completed']);
    await storeRow();
    const later = await deliverAgain();
    assert.equal(later.receipt?.run_id, later.id);
    assert.equal(later.recordsCompleted, second.recordsCompleted! + 1);
  });
});
