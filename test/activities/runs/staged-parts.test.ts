/** Staged parts, and a plan's counts of them, are never taken for the whole where some are missing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Step } from '../../../activities/engine.ts';
import { createActivities } from '../../../activities/index.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';

const HOUR = { startAt: '2015-05-17T10:00:00.000000Z', endAt: '2015-05-17T11:00:00.000000Z' };

describe('a run of which parts are missing', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T10:30:00Z') })]);
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  /** Delivers the hour; `act` is done once, when its run reaches the step. @returns the run and the names of its files */
  async function deliver(step: string, act: (step: Step) => Promise<unknown>) {
    const directory = randomUUID();
    const destination = { type: 'LocalFile', config: { directory } };
    const { id } = await world.batchExports.create(world.projectId, buildExport({ destination, paused: true }));
    let done = false;
    world.onStep = async (reached) => {
      if (done || reached.exportId !== id || reached.name !== step) return;
      done = true;
      await act(reached);
    };
    const backfill = await world.backfills.request(world.projectId, id, HOUR);
    const [run] = await runsAfterBackfill(world, id, backfill.id);
    const names = await readdir(path.join(world.folder, directory)).catch(() => []);
    return { run: run!, names };
  }

  it('when it commits delivers nothing, and is tried again', async () => {
    const { run, names } = await deliver('before-committing', async ({ runId }) =>
      world.engine.pool.query('delete from batch_export_parts where run_id = $1', [runId]),
    );
    assert.deepEqual(
      [run.status, run.latestError],
      ['FailedRetryable', 'Not every part of this run is staged. Sluice will deliver the interval again.'],
    );
    assert.deepEqual(
      names.filter((name) => !name.endsWith('.tmp')),
      [],
    );
  });

  it('in its plan stages no part of a range that the plan does not know whole', async () => {
    const staged: number[] = [];
    await deliver('part-0-begin', async ({ runId }) => {
      const { exportPart, exportParts } = createActivities(world.engine);
      const environment = new MockActivityEnvironment();
      await assert.rejects(environment.run(exportPart, { runId, part: 1 }));
      await assert.rejects(environment.run(exportParts, { runId, from: 0, to: 2 }));
      staged.push((await world.engine.stores.runs.listStagedParts(runId)).length);
    });
    assert.deepEqual(staged, [0]);
  });
});
