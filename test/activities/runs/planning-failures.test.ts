import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ScheduleNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { TypedSearchAttributes, defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Step } from '../../../activities/engine.ts';
import { createActivities } from '../../../activities/index.ts';
import { DestinationRejected, InvalidInput, Unavailable } from '../../../src/platform/errors.ts';
import { isoSeconds, millisOf } from '../../../src/exports/domain/instants.ts';
import { runWorkflowId } from '../../../src/exports/domain/ids.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';

const NOMINAL_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
const END = millisOf('2015-05-17T11:00:00Z');

describe('a run that cannot be planned', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  const create = async () => (await world.batchExports.create(world.projectId, buildExport({ paused: true }))).id;
  const sql = async (text: string, values: unknown[]) => world.engine.pool.query(text, values);

  /** Starts a run as the schedule would; at the step, for each attempt, the function. */
  async function start(id: string, atPlanning: (attempt: number, step: Step) => Promise<void>, end = END) {
    let attempts = 0;
    world.onStep = async (step) => {
      if (step.exportId === id && step.name === 'before-plan') await atPlanning(++attempts, step);
    };
    return world.engine.temporal.client.workflow.start('exportRun', {
      workflowId: runWorkflowId(id, end),
      taskQueue: TASK_QUEUES.control,
      args: [{ exportId: id }],
      typedSearchAttributes: new TypedSearchAttributes([{ key: NOMINAL_TIME, value: new Date(end) }]),
    });
  }

  /** How the run of the execution stands. */
  async function stateOf(workflowRunId: string) {
    const run = await world.engine.stores.runs.findByExecution(workflowRunId);
    return run && [run.status, run.latestError];
  }
  const linesOf = async (batchExportId: string) =>
    (await world.engine.stores.logs.list({ batchExportId, limit: 100, offset: 0 })).results.map(
      ({ level, message }) => `${level} ${message}`,
    );

  for (const error of [new InvalidInput('It cannot be computed.'), new DestinationRejected('It refuses.')]) {
    it(`because of ${error.name} is Failed at once, with the message`, async () => {
      const id = await create();
      const handle = await start(id, async () => Promise.reject(error));
      await assert.rejects(handle.result());
      assert.deepEqual(await stateOf(handle.firstExecutionRunId), ['Failed', error.message]);
      assert.equal((await linesOf(id))[0], `ERROR Failed: ${error.message}`);
      const { health } = world.engine.stores;
      assert.equal(await health.begin(id, 'failing'), false, 'it is reported');
    });
  }

  it('because its export was deleted meanwhile is Failed, with that reason', async () => {
    const id = await create();
    const handle = await start(id, async () => {
      await sql('update batch_exports set deleted_at = now() where id = $1', [id]);
      throw new Unavailable('Away.');
    });
    await assert.rejects(handle.result());
    assert.deepEqual(await stateOf(handle.firstExecutionRunId), ['Failed', 'The batch export was deleted.']);
  });

  it('because a restore has lost its export ends, as does the schedule that no export has', async () => {
    const id = await create();
    await sql('delete from batch_exports where id = $1', [id]);
    const handle = await start(id, async () => {});
    await assert.rejects(handle.result());
    const schedule = world.engine.temporal.client.schedule.getHandle(id);
    await assert.rejects(schedule.describe(), ScheduleNotFoundError);
  });

  it('for now is planned later', async () => {
    const id = await create();
    const handle = await start(id, async (attempt) => {
      if (attempt < 3) throw new Unavailable('Away.');
    });
    await handle.result();
    assert.deepEqual(await stateOf(handle.firstExecutionRunId), ['Completed', null]);
  });

  it('because another run has the interval by now is Cancelled as superseded, without a notice', async () => {
    const id = await create();
    const handle = await start(id, async (_, { runId }) => {
      const run = await world.engine.stores.runs.getById(runId);
      await sql(`update batch_export_runs set created_at = created_at - interval '1 minute' where id = $1`, [runId]);
      const { batchExportId, projectId, start: begin, end, workflowId } = run;
      const other = { batchExportId, projectId, start: begin, end, workflowId, workflowRunId: randomUUID() };
      await world.engine.stores.runs.open({ ...other, kind: 'gap', createdAt: run.createdAt });
    });
    await assert.rejects(handle.result());
    const why = 'Another run has this data interval now.';
    assert.deepEqual(await stateOf(handle.firstExecutionRunId), ['Cancelled', why]);
    assert.equal(await world.engine.stores.health.begin(id, 'failing'), true, 'it is not reported');
  });

  it('by a frozen attempt continues as another attempt planned it', async () => {
    const id = await create();
    const gate = Promise.withResolvers<void>();
    const frozen = Promise.withResolvers<void>();
    const handle = await start(id, async (attempt) => {
      if (attempt > 1) return;
      frozen.resolve();
      await gate.promise;
    });
    await frozen.promise;
    const workflowExecution = { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
    const { prepareRun } = createActivities(world.engine);
    const end = isoSeconds(END);
    await new MockActivityEnvironment({ workflowExecution }).run(prepareRun, { exportId: id, end });
    gate.reject(new InvalidInput('It cannot be computed.'));
    await assert.rejects(handle.result());
    assert.deepEqual(await stateOf(handle.firstExecutionRunId), ['Running', null]);
  });

  it('because it is of no data interval has no row; the log of the export says why', async () => {
    const id = await create();
    const handle = await start(id, async () => {}, END + 1000);
    await assert.rejects(handle.result());
    assert.equal(await stateOf(handle.firstExecutionRunId), undefined);
    assert.deepEqual(await linesOf(id), [
      'WARNING A run could not begin: No data interval of this batch export ends at 2015-05-17T11:00:01Z.',
    ]);
  });

  it('until Temporal gives it up reports what kept it', async () => {
    const id = await create();
    const handle = await start(id, async () => Promise.reject(new Unavailable('The database restarts.')));
    const run = await eventually('the first failure to be noted', async () => {
      const found = await world.engine.stores.runs.findByExecution(handle.firstExecutionRunId);
      return found?.latestError != null && found;
    });
    await handle.terminate();
    await sql(`update batch_export_runs set last_updated_at = now() - interval '1 minute' where id = $1`, [run.id]);
    const workflowId = `reconcile-${randomUUID()}`;
    const { workflow } = world.engine.temporal.client;
    await workflow.execute('reconcile', { workflowId, taskQueue: TASK_QUEUES.control, args: [] });
    assert.deepEqual(await stateOf(handle.firstExecutionRunId), [
      'Terminated',
      'The workflow was terminated in Temporal. Before that: The database restarts.',
    ]);
  });
});
