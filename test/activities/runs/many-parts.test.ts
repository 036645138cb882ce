/** Intervals of so many parts that a history with each of them would be too long for Temporal. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Step } from '../../../activities/engine.ts';
import { DestinationUnavailable } from '../../../src/platform/errors.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { storeParts } from '../../support/exports/many-parts.ts';
import { startLimitedTemporal } from '../../support/servers/temporal.ts';

/** Temporal's own limit is 51,200 events. */
const MAX_EVENTS = 300;
const PARTS = 1_100;
const SECONDS = 240;

describe('an interval of many parts', function () {
  this.timeout((SECONDS + 10) * 1000);
  let world: ExportWorld;
  let temporal: Awaited<ReturnType<typeof startLimitedTemporal>>;
  let hour: Awaited<ReturnType<typeof storeParts>>;
  before(async () => {
    temporal = await startLimitedTemporal([`limit.historyCount.error=${MAX_EVENTS}`]);
    world = await buildExportWorld('silent', { temporal: temporal.address });
    await world.startWorker();
    hour = await storeParts(world, PARTS);
  });
  after(async () => {
    await world.close();
    await temporal.stop();
  });

  /** Delivers the hour to files; every step of its runs calls the function. */
  async function deliver(onStep: (step: Step) => Promise<void>): Promise<{ runs: Run[]; files: string[] }> {
    const directory = randomUUID();
    const destination = { type: 'LocalFile', config: { directory, max_file_size_mb: 1 } };
    const { id } = await world.batchExports.create(world.projectId, buildExport({ destination, paused: true }));
    world.onStep = async (step) => {
      if (step.exportId === id) await onStep(step);
    };
    const backfill = await world.backfills.request(world.projectId, id, hour);
    const runs = await runsAfterBackfill(world, id, backfill.id, SECONDS);
    return { runs, files: await readdir(path.join(world.folder, directory)) };
  }

  async function historyLength({ workflowId, workflowRunId }: Run): Promise<number> {
    const handle = world.engine.temporal.client.workflow.getHandle(workflowId, workflowRunId);
    await handle.result().catch(() => {});
    return (await handle.describe()).historyLength;
  }

  it('is delivered by its first execution, whose history is short; what is staged is not staged again', async () => {
    const startsByStep = new Map<string, number>();
    const { runs, files } = await deliver(async ({ name }) => {
      if (!name.endsWith('-begin')) return;
      const times = (startsByStep.get(name) ?? 0) + 1;
      startsByStep.set(name, times);
      if (name === 'part-30-begin' && times === 1) throw new DestinationUnavailable('Away.');
    });
    assert.deepEqual(
      runs.map(({ status, latestError, recordsCompleted }) => ({ status, latestError, recordsCompleted })),
      [{ status: 'Completed', latestError: null, recordsCompleted: PARTS }],
    );
    assert.equal(files.length, PARTS + 1);
    assert.equal(startsByStep.size, PARTS);
    assert.deepEqual(
      [...startsByStep].filter(([, times]) => times > 1),
      [['part-30-begin', 2]],
    );
    const events = await historyLength(runs[0]!);
    assert.ok(events < MAX_EVENTS, `${events} events`);
  });

  it('is cancelled between its parts, and leaves nothing', async () => {
    let parts = 0;
    const { runs, files } = await deliver(async ({ name, runId }) => {
      if (!name.endsWith('-begin') || ++parts !== 70) return;
      const { workflowId, workflowRunId } = await world.engine.stores.runs.getById(runId);
      await world.engine.executions.cancel(workflowId, workflowRunId);
    });
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['Cancelled'],
    );
    assert.ok(parts < PARTS / 2, `${parts} parts`);
    assert.deepEqual(files, []);
    const { rows } = await world.engine.pool.query('select from batch_export_artifacts where batch_export_id = $1', [
      runs[0]!.batchExportId,
    ]);
    assert.equal(rows.length, 0);
  });
});
