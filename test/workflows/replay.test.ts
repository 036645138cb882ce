import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { installRuntime } from '../../src/exports/temporal/worker.ts';
import { TRACED_MODULES, workflowBundle, type WorkflowBundle } from '../../src/platform/temporal/workflow-bundle.ts';

const HISTORIES = path.join(import.meta.dirname, '../replay');
const { History } = proto.temporal.api.history.v1;

const recorded = async (name: string) =>
  History.fromObject(JSON.parse(await readFile(path.join(HISTORIES, name), 'utf8')) as object);

describe('a workflow that began before this version', () => {
  let bundle: WorkflowBundle;
  let tracedBundle: WorkflowBundle;
  before(async () => {
    const logger = installRuntime(pino({ level: 'silent' }));
    bundle = await workflowBundle(logger);
    tracedBundle = await workflowBundle(logger, TRACED_MODULES);
  });
  const replay = async (history: Awaited<ReturnType<typeof recorded>>, workflowBundle = bundle) =>
    Worker.runReplayHistory({ workflowBundle }, history);

  for (const name of [
    'export-run-0-parts',
    'export-run-1-part',
    'export-run-3-parts',
    'export-run-by-event',
    'export-run-cancelled',
    'export-run-failed',
    'export-run-failed-without-fault',
    'export-run-1100-parts',
    'export-run-1100-parts-one-by-one-cancelled',
    'export-requests',
    'reconcile',
    'reconcile-and-notify',
    'timeline-witness',
  ]) {
    it(`continues in it: ${name}`, async () => replay(await recorded(`${name}.json`)));
    it(`continues in it with traces on: ${name}`, async () => replay(await recorded(`${name}.json`), tracedBundle));
  }

  it('is recorded here, every one', async () => {
    const names = (await readdir(HISTORIES)).filter((name) => name.endsWith('.json'));
    const types = await Promise.all(
      names.map(async (name) => {
        const [started] = (await recorded(name)).events;
        return started?.workflowExecutionStartedEventAttributes?.workflowType?.name;
      }),
    );
    assert.deepEqual(new Set(types), new Set(Object.keys(await import('../../workflows/index.ts'))));
  });

  it('would not continue in one that does something else', async () => {
    const history = await recorded('export-run-1-part.json');
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType = { name: 'somethingElse' };
    await assert.rejects(replay(history), DeterminismViolationError);
    await assert.rejects(replay(history, tracedBundle), DeterminismViolationError);
  });

  it('has a short history: a run of one part at most 25 events', async () => {
    const { events } = await recorded('export-run-1-part.json');
    assert.ok(events.length <= 25, `${events.length} events`);
  });

  it('has a short history: a run of 1,100 parts at most 200 events', async () => {
    const { events } = await recorded('export-run-1100-parts.json');
    assert.ok(events.length <= 200, `${events.length} events`);
  });
});
