/** A store that accepts connections and never answers holds up its own export and no other. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Step } from '../../../activities/engine.ts';
import type { Repairs } from '../../../activities/rounds/reconcile.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';
import { createTestBucket, needsObjectStore, OBJECT_STORE_KEYS } from '../../support/servers/object-store.ts';
import { startStallingProxy, type StallingProxy } from '../../support/servers/stalling-proxy.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
/** A call to a store may take a minute; a round may not. */
const ROUND_SECONDS = 50;
/** Of a gap that nothing delays: the round begins with it. */
const GAP_SECONDS = 40;

describe('the reconciler beside a store that hangs', () => {
  let world: ExportWorld;
  let proxy: StallingProxy;
  before(async function () {
    await needsObjectStore(this);
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => {
    proxy?.close();
    await world?.close();
  });

  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    (await world.engine.pool.query<Row>(text, values)).rows;

  async function reconcile(): Promise<{ repairs: Repairs; seconds: number }> {
    const startedMs = performance.now();
    await sql(
      `update batch_export_runs set last_updated_at = last_updated_at - interval '1 minute' where finished_at is null`,
      [],
    );
    const repairs = (await world.engine.temporal.client.workflow.execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: TASK_QUEUES.control,
      args: [],
    })) as Repairs;
    return { repairs, seconds: (performance.now() - startedMs) / 1000 };
  }

  /** An S3 export behind the proxy: its run was terminated while it staged, and left an upload. Then the store hangs. */
  async function buildInterrupted(): Promise<string> {
    const { endpoint, bucket, region } = await createTestBucket();
    proxy = await startStallingProxy(endpoint);
    const config = {
      bucket_name: bucket,
      region,
      endpoint_url: proxy.origin,
      aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
      aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
    };
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ destination: { type: 'S3', config }, paused: true }),
    );
    const dead: Promise<void>[] = [];
    world.onStep = async ({ exportId, name, runId }: Step) => {
      if (exportId !== id || name !== 'part-0-begin') return;
      const { workflowId, workflowRunId } = await world.engine.stores.runs.getById(runId);
      await world.engine.temporal.client.workflow.getHandle(workflowId, workflowRunId).terminate();
      const death = Promise.withResolvers<void>();
      dead.push(death.promise);
      proxy.stall();
      setTimeout(death.resolve, 500);
      throw new Error('the worker was killed');
    };
    await world.store([buildEvent({ timestamp: microseconds(new Date(THIS_HOUR - 2.5 * HOUR).toISOString()) })]);
    await world.backfills.request(world.projectId, id, { startAt: at(-3), endAt: at(-2) });
    await eventually('the run to be terminated', async () => dead.length > 0);
    await Promise.all(dead);
    world.onStep = async () => {};
    return id;
  }

  /** A LocalFile export that missed an hour. */
  async function buildHealthy(): Promise<string> {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true, endAt: at(-1) }));
    await sql('update batch_exports set created_at = $2 where id = $1', [id, at(-1.5)]);
    return id;
  }

  const isDelivered = async (exportId: string) =>
    (await world.engine.stores.runs.findNewestOfInterval(exportId, at(-1)))?.status === 'Completed';

  it('fills the gap of another export at once, and ends its round', async function () {
    this.timeout(300_000);
    const hung = await buildInterrupted();
    await eventually('the execution to be known as ended', async () => {
      const { rows } = await world.engine.pool.query(`select from batch_export_artifacts where batch_export_id = $1`, [
        hung,
      ]);
      return rows.length === 1;
    });
    const healthy = await buildHealthy();
    const startedMs = performance.now();
    const round = reconcile();
    await eventually('the gap to be filled', () => isDelivered(healthy), 280);
    const filledAfterSeconds = (performance.now() - startedMs) / 1000;
    const { seconds } = await round;
    console.log(`      gap filled after ${filledAfterSeconds.toFixed(1)} s, round took ${seconds.toFixed(1)} s`);
    assert.ok(filledAfterSeconds < GAP_SECONDS, `the gap was filled after ${filledAfterSeconds} s`);
    assert.ok(seconds < ROUND_SECONDS, `the round took ${seconds} s`);
  });

  it('tries the store again at growing intervals, and gives up after seven days', async function () {
    this.timeout(300_000);
    const trouble = async () =>
      (
        await sql<{ batch_export_id: string; kind: string; attempts: number; minutes: number }>(
          `select batch_export_id, kind, attempts, round(extract(epoch from retry_at - clock_timestamp()) / 60)::int as minutes
           from batch_export_troubles`,
          [],
        )
      )[0];
    const due = `update batch_export_troubles set retry_at = clock_timestamp()`;
    const first = await trouble();
    assert.deepEqual([first?.kind, first?.attempts, first?.minutes], ['unsettled', 1, 1]);
    const { seconds } = await reconcile();
    assert.equal((await trouble())?.attempts, 1, 'nobody is asked');
    assert.ok(seconds < 30, `a round that asks nobody took ${seconds} s`);
    await sql(due, []);
    await reconcile();
    const second = await trouble();
    assert.deepEqual([second?.attempts, second?.minutes], [2, 2]);

    await sql(`${due}, since = since - interval '7 days'`, []);
    await reconcile();
    assert.equal((await trouble())?.kind, 'gave_up');
    assert.deepEqual(await world.engine.stores.ledger.listIntervalsToSettle(), []);
    const { results } = await world.engine.stores.logs.list({
      batchExportId: first!.batch_export_id,
      limit: 9,
      offset: 0,
    });
    assert.match(
      results.map(({ message }) => message).join(),
      /could not settle .* for 7 days, and has given up.*Retry the data interval/,
    );
  });
});
