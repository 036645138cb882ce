/**
 * Records the histories that `test/workflows/replay.test.ts` replays: `node test/replay/record.ts`. A released workflow
 * changes only with `patched()`, and then what it does now is recorded beside what it did before.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dispatcherWorkflowId } from '../../src/exports/domain/ids.ts';
import { TASK_QUEUES } from '../../src/exports/domain/task-queues.ts';
import { WITNESS_WORKFLOW_ID } from '../../src/exports/domain/witness.ts';
import type { NewEvent } from '../../src/events/ingest/event-rows.ts';
import { stopTestDatabases } from '../support/database/database.ts';
import { buildEvent, microseconds } from '../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../support/exports/export-world.ts';
import { storeParts } from '../support/exports/many-parts.ts';
import { stopTestTemporal } from '../support/servers/temporal.ts';

const HOUR = { startAt: '2015-05-17T10:00:00Z', endAt: '2015-05-17T11:00:00Z' };
const timestamp = microseconds('2015-05-17T10:30:00Z');
/** With `max_file_size_mb` of 1, one part each. */
const LARGE = JSON.stringify({ text: 'x'.repeat(900_000) });

/**
 * Writes a history as protobufjs spells it: the SDK's `historyToJSON` fails where npm installs protobufjs more than once. Which
 * worker and machine it was says nothing about the workflow.
 */
async function record(world: ExportWorld, name: string, workflowId: string, runId?: string): Promise<void> {
  const history = await world.engine.temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const text = JSON.stringify(history, (key, value: unknown) => (key === 'identity' ? 'worker' : value), 2);
  await writeFile(path.join(import.meta.dirname, `${name}.json`), `${text}\n`);
  console.log(`${name}: ${history.events?.length} events`);
}

type Recorded = { cancelAt?: string; failAt?: string; prefix?: string };

/** @param events or how many parts */
async function recordRun(
  name: string,
  events: NewEvent[] | number,
  { cancelAt, failAt, prefix = '' }: Recorded = {},
): Promise<void> {
  const world = await buildExportWorld('silent', { encryptsPayloads: false });
  try {
    await world.startWorker();
    if (typeof events === 'number') await storeParts(world, events);
    else await world.store(events);
    const destination = { type: 'LocalFile', config: { directory: 'recorded', prefix, max_file_size_mb: 1 } };
    const { id } = await world.batchExports.create(world.projectId, buildExport({ destination }));
    world.onStep = async ({ name: step, runId }) => {
      // A file where the folder of the export should be is refused for good.
      if (step === failAt) await mkdir(world.folder, { recursive: true });
      if (step === failAt) await writeFile(path.join(world.folder, 'recorded'), 'no folder');
      if (step !== cancelAt) return;
      const run = await world.engine.stores.runs.getById(runId);
      await world.engine.executions.cancel(run.workflowId, run.workflowRunId);
    };
    const backfill = await world.backfills.request(world.projectId, id, HOUR);
    const [run] = await runsAfterBackfill(world, id, backfill.id, 300);
    await world.engine.temporal.client.workflow
      .getHandle(run!.workflowId)
      .result()
      .catch(() => {});
    await record(world, name, run!.workflowId);
    if (name !== 'export-run-1-part') return;
    await eventually('the dispatcher to end', async () => {
      return (await world.engine.executions.find(dispatcherWorkflowId(id)))?.status !== 'RUNNING';
    });
    await record(world, 'export-requests', dispatcherWorkflowId(id));
    const workflowId = `reconcile-${randomUUID()}`;
    const { workflow } = world.engine.temporal.client;
    await workflow.execute('reconcile', { workflowId, taskQueue: TASK_QUEUES.control, args: [] });
    await record(world, 'reconcile-and-notify', workflowId);
  } finally {
    await world.close();
  }
}

async function recordWitness(): Promise<void> {
  const world = await buildExportWorld('silent', { encryptsPayloads: false });
  try {
    await world.startWorker();
    for (let swaps = 0; swaps < 3; swaps++) await world.engine.timeline.check();
    await record(world, 'timeline-witness', WITNESS_WORKFLOW_ID);
  } finally {
    await world.close();
  }
}

const large = (count: number) => Array.from({ length: count }, () => buildEvent({ timestamp, properties: LARGE }));

try {
  await recordWitness();
  await recordRun('export-run-0-parts', []);
  await recordRun('export-run-1-part', [buildEvent({ timestamp })]);
  await recordRun('export-run-3-parts', large(3));
  await recordRun('export-run-by-event', large(3), { prefix: '{event}' });
  await recordRun('export-run-cancelled', large(3), { cancelAt: 'part-1-begin' });
  // `export-run-failed-without-fault` was recorded before failures had details.
  await recordRun('export-run-failed', [buildEvent({ timestamp })], { failAt: 'after-plan' });
  // `export-run-1100-parts-one-by-one-cancelled` was recorded before there were ranges.
  await recordRun('export-run-1100-parts', 1_100);
  console.log((await readdir(import.meta.dirname)).join(' '));
} finally {
  await Promise.all([stopTestDatabases(), stopTestTemporal()]);
}
