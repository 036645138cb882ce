/** Runs that Temporal ends, as an operator or a timeout does, beside the real reconciler on its own schedule. */
import assert from 'node:assert/strict';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { Step } from '../../../activities/engine.ts';
import { millisOf } from '../../../src/exports/domain/instants.ts';
import { runWorkflowId } from '../../../src/exports/domain/ids.ts';
import type { RunStatus } from '../../../src/exports/domain/statuses.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';

const NOMINAL_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
const END = millisOf('2015-05-17T11:00:00Z');
const TIMEOUT_SECONDS = 8;
const MINUTE_SECONDS = 60;

type Handle = ReturnType<ExportWorld['engine']['temporal']['client']['workflow']['getHandle']>;
type How = 'terminated' | 'cancelled' | 'timed out';

describe('within a minute, the row of a run that Temporal', () => {
  let world: ExportWorld;
  const held = new Map<
    string,
    { step: string; reached: PromiseWithResolvers<Step>; gate: PromiseWithResolvers<void> }
  >();
  before(async () => {
    world = await buildExportWorld();
    world.onStep = async (step) => {
      const hold = held.get(step.exportId);
      if (hold?.step !== step.name) return;
      hold.reached.resolve(step);
      await hold.gate.promise;
    };
    await world.engine.schedules.ensureReconciler();
    await world.startWorker();
  });
  after(async () => {
    for (const { gate } of held.values()) gate.reject(new Error('the worker was killed'));
    await world.close();
  });

  /** A run whose workflow is held at the step. */
  async function holdAt(step: string, how: How): Promise<{ run: Run; handle: Handle }> {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    const hold = { step, reached: Promise.withResolvers<Step>(), gate: Promise.withResolvers<void>() };
    hold.gate.promise.catch(() => {});
    held.set(id, hold);
    const { workflow } = world.engine.temporal.client;
    await workflow.start('exportRun', {
      workflowId: runWorkflowId(id, END),
      taskQueue: TASK_QUEUES.control,
      args: [{ exportId: id }],
      typedSearchAttributes: new TypedSearchAttributes([{ key: NOMINAL_TIME, value: new Date(END) }]),
      ...(how === 'timed out' && { workflowRunTimeout: `${TIMEOUT_SECONDS} seconds` }),
    });
    const run = await world.engine.stores.runs.getById((await hold.reached.promise).runId);
    return { run, handle: workflow.getHandle(run.workflowId, run.workflowRunId) };
  }

  const END_IT: Record<How, (handle: Handle) => Promise<unknown>> = {
    terminated: (handle) => handle.terminate(),
    cancelled: (handle) => handle.cancel(),
    'timed out': async (handle) => handle.result().catch(() => {}),
  };
  const cases: { how: How; step: string; was: RunStatus; becomes: RunStatus; error: RegExp }[] = [];
  const STEPS = [
    { step: 'before-plan', was: 'Starting' },
    { step: 'part-0-begin', was: 'Running' },
  ] as const;
  for (const { step, was } of STEPS) {
    cases.push(
      { how: 'terminated', step, was, becomes: 'Terminated', error: /terminated in Temporal/ },
      { how: 'cancelled', step, was, becomes: 'Cancelled', error: /cancelled/ },
      { how: 'timed out', step, was, becomes: 'TimedOut', error: /timed out in Temporal/ },
    );
  }

  it('ended says how, whether it was Starting or Running', async function () {
    this.timeout((TIMEOUT_SECONDS + 2 * MINUTE_SECONDS) * 1000);
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T10:30:00Z') })]);
    const seconds = await Promise.all(cases.map(end));
    console.log(`      ${cases.map(({ how, was }, index) => `${was} ${how}: ${seconds[index]} s`).join(', ')}`);
  });

  /** @returns seconds until the row said it */
  async function end({ how, step, was, becomes, error }: (typeof cases)[number]): Promise<string> {
    const { run, handle } = await holdAt(step, how);
    assert.equal((await world.engine.stores.runs.getById(run.id)).status, was);
    await END_IT[how](handle);
    const startedMs = performance.now();
    const ended = await eventually(
      `${was} to be ${becomes}`,
      async () => {
        const now = await world.engine.stores.runs.getById(run.id);
        return now.finishedAt !== null && now;
      },
      MINUTE_SECONDS,
    );
    assert.equal(ended.status, becomes, `${was}, ${how}`);
    assert.match(ended.latestError!, error);
    const lost = how === 'timed out' ? 'workflow_lost' : 'workflow_ended';
    assert.equal(ended.errorCode, how === 'cancelled' && was === 'Running' ? 'cancelled' : lost, `${was}, ${how}`);
    return ((performance.now() - startedMs) / 1000).toFixed(1);
  }
});
