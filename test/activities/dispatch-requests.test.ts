/** One round over an export's requests, of which one cannot be looked at. */
import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import { runWorkflowId } from '../../src/exports/domain/ids.ts';
import { isoMicros, millisOf } from '../../src/exports/domain/instants.ts';
import { buildExport, buildExportWorld, type ExportWorld } from '../support/export-world.ts';

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

  /** A request that a terminated execution answers, whose run cannot be closed. */
  async function buildUnclosable(exportId: string): Promise<void> {
    const { stores, executions, temporal } = world.engine;
    const { start, end } = hour(0);
    const [requestId] = await stores.requests.open(exportId, [{ start, end }], 'backfill');
    const workflowId = runWorkflowId(exportId, end);
    await stores.requests.markAsked(requestId!, '');
    await executions.start(exportId, end);
    await temporal.client.workflow.getHandle(workflowId).terminate();
    const run = await stores.runs.open({
      projectId: world.projectId,
      batchExportId: exportId,
      start: isoMicros(start),
      end: isoMicros(end),
      kind: 'backfill',
      workflowId,
      workflowRunId: (await executions.find(workflowId))!.runId,
      createdAt: await stores.batchExports.now(),
    });
    await sql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
    );
    await sql(
      `create trigger refused before update on batch_export_runs for each row when (new.id = '${run.id}') execute function refuse()`,
    );
  }

  it('asks for the others', async () => {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    await buildUnclosable(id);
    await world.engine.stores.requests.open(id, [hour(1), hour(2)], 'backfill');
    const round = new MockActivityEnvironment().run(createActivities(world.engine).dispatchRequests, { exportId: id });
    const { open } = (await round) as { open: number };
    assert.equal(open, 3);
    const asked = await sql(
      `select extract(hour from data_interval_start at time zone 'UTC')::int as hour from batch_export_requests
       where batch_export_id = $1 and asked_at is not null order by 1`,
      [id],
    );
    assert.deepEqual(asked, [{ hour: 0 }, { hour: 1 }, { hour: 2 }]);
  });
});
