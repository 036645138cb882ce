/** One round over an export's requests, of which one cannot be looked at. */
import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import { runWorkflowId } from '../../../src/exports/domain/ids.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import type { DataInterval } from '../../../src/exports/domain/intervals.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const HOUR = 3_600_000;
const BEGINNING = millisOf('2015-05-17T00:00:00Z');
const hour = (index: number) => ({ start: BEGINNING + index * HOUR, end: BEGINNING + (index + 1) * HOUR });

describe('a round over the requests of an export', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
  });
  after(async () => world.close());

  const sql = async (text: string, values: unknown[] = []) => (await world.engine.pool.query(text, values)).rows;

  /** An execution that has begun, and its row. */
  async function startRun(exportId: string, { start, end }: DataInterval): Promise<Run> {
    const { stores, executions } = world.engine;
    const workflowId = runWorkflowId(exportId, end);
    await executions.start(exportId, end);
    return stores.runs.open({
      projectId: world.projectId,
      batchExportId: exportId,
      start: isoMicros(start),
      end: isoMicros(end),
      kind: 'backfill',
      workflowId,
      workflowRunId: (await executions.find(workflowId))!.runId,
      createdAt: await stores.batchExports.now(),
    });
  }

  /** A request that a terminated execution answers, whose run cannot be closed. */
  async function buildUnclosable(exportId: string): Promise<void> {
    const { stores, temporal } = world.engine;
    const { start, end } = hour(0);
    const [requestId] = await stores.runRequests.open(exportId, [{ start, end }], 'backfill');
    await stores.runRequests.markAsked(requestId!, '');
    const run = await startRun(exportId, { start, end });
    await temporal.client.workflow.getHandle(run.workflowId).terminate();
    await sql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
    );
    await sql(
      `create trigger refused before update on batch_export_runs for each row when (new.id = '${run.id}') execute function refuse()`,
    );
  }

  it('starts the remaining requests', async () => {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    await buildUnclosable(id);
    await world.engine.stores.runRequests.open(id, [hour(1), hour(2)], 'backfill');
    const round = new MockActivityEnvironment().run(createActivities(world.engine).dispatchRequests, { exportId: id });
    const { open } = (await round) as { open: number };
    assert.equal(open, 3);
    const askedHours = await sql(
      `select extract(hour from data_interval_start at time zone 'UTC')::int as hour from batch_export_requests
       where batch_export_id = $1 and asked_at is not null order by 1`,
      [id],
    );
    assert.deepEqual(askedHours, [{ hour: 0 }, { hour: 1 }, { hour: 2 }]);
  });

  it('ends as many runs as it has slots for those that replace them', async () => {
    const { projectId, engine } = world;
    const { id } = await world.batchExports.create(projectId, buildExport({ paused: true, maxConcurrentRuns: 1 }));
    const runs = [await startRun(id, hour(0)), await startRun(id, hour(1))];
    const range = { start: hour(0).start, end: hour(1).end };
    const header = { projectId, batchExportId: id, kind: 'backfill', ...range, wanted: [range], totalRuns: 2 } as const;
    await engine.stores.backfills.open({ ...header, replaces: runs.map((run) => run.id) });
    await new MockActivityEnvironment().run(createActivities(engine).dispatchRequests, { exportId: id });
    const areAskedToEnd = runs.map(async ({ workflowId }) => {
      const { events } = await engine.temporal.client.workflow.getHandle(workflowId).fetchHistory();
      return (events ?? []).some((event) => event.workflowExecutionCancelRequestedEventAttributes);
    });
    assert.deepEqual(await Promise.all(areAskedToEnd), [true, false]);
  });

  /** A round over a request that was asked for so long ago that it is started directly. @returns how many are open after it */
  async function dispatch(exportId: string): Promise<number> {
    await sql(`update batch_export_requests set asked_at = asked_at - interval '1 minute' where batch_export_id = $1`, [
      exportId,
    ]);
    const round = new MockActivityEnvironment().run(createActivities(world.engine).dispatchRequests, { exportId });
    return ((await round) as { open: number }).open;
  }

  it('starts again what Temporal has lost after accepting it', async () => {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    const { stores, executions } = world.engine;
    const [requestId] = await stores.runRequests.open(id, [hour(0)], 'backfill');
    await stores.runRequests.markAsked(requestId!, 'the id of an execution that was lost');
    assert.equal(await dispatch(id), 1);
    assert.equal((await executions.find(runWorkflowId(id, hour(0).end)))?.status, 'RUNNING');
  });

  it('starts once more a run that was requested before the recovery and of which nothing is left', async () => {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    const { stores, executions, temporal } = world.engine;
    const [requestId] = await stores.runRequests.open(id, [hour(0)], 'backfill');
    await stores.runRequests.markAsked(requestId!, '');
    const workflowId = runWorkflowId(id, hour(0).end);
    const failing = async () => {
      await executions.start(id, hour(0).end);
      await temporal.client.workflow.getHandle(workflowId).terminate();
    };
    await failing();
    await sql(`update timeline set recovered_at = clock_timestamp()`);
    const { runId } = (await executions.find(workflowId))!;
    assert.equal(await dispatch(id), 1);
    // The schedule starts it a moment later: a round that came before would start it as well, and one of the two would be left.
    await eventually('the run to be there again', async () => (await executions.find(workflowId))?.runId !== runId);
    assert.equal(await dispatch(id), 1);
    await temporal.client.workflow.getHandle(workflowId).terminate();
    await sql(`update timeline set recovered_at = recovered_at - interval '10 minutes'`);
    assert.equal(await dispatch(id), 0);
  });

  /** A backfill that has delivered, and the request of which is open again, as it was asked for. */
  async function buildForgotten() {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    const range = { startAt: isoMicros(hour(5).start), endAt: isoMicros(hour(5).end) };
    const backfill = await world.backfills.request(world.projectId, id, range);
    const [run] = await runsAfterBackfill(world, id, backfill.id);
    assert.equal(run?.status, 'Completed');
    await sql('update batch_export_backfills set finished_at = null where id = $1', [backfill.id]);
    await sql('update batch_export_requests set closed_at = null, run_id = null where batch_export_id = $1', [id]);
    return { id, run, backfill };
  }

  describe('of a database that was restored to a state before the run ended', () => {
    let worker: Awaited<ReturnType<ExportWorld['startWorker']>>;
    before(async () => {
      worker = await world.startWorker();
    });
    after(async () => {
      worker.shutdown();
      await worker.stopped;
    });

    it('starts again a run that it does not know', async () => {
      const { id, run, backfill } = await buildForgotten();
      await sql('delete from batch_export_runs where id = $1', [run.id]);
      await world.engine.executions.wakeDispatcher(id);
      const runs = await runsAfterBackfill(world, id, backfill.id);
      // The run finds the other timeline's delivery.
      assert.deepEqual(
        runs.map(({ status, kind }) => [status, kind]),
        [['Failed', 'backfill']],
      );
      assert.match(runs[0]?.latestError ?? '', /another timeline/);
    });

    it('starts again a run that it knows as under way', async () => {
      const { id, run, backfill } = await buildForgotten();
      await sql(
        `update batch_export_runs set status = 'Running', receipt = null, finished_at = null, closed_by = null where id = $1`,
        [run.id],
      );
      await sql(`update batch_export_intervals set state = 'open', receipt = null where batch_export_id = $1`, [id]);
      await world.engine.executions.wakeDispatcher(id);
      const runs = await runsAfterBackfill(world, id, backfill.id);
      assert.deepEqual(
        runs.map(({ status }) => status),
        ['FailedRetryable', 'Completed'],
      );
      assert.equal((await world.engine.stores.backfills.get(world.projectId, id, backfill.id)).status, 'Completed');
    });
  });
});
