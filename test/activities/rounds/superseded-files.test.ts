/** Files that a re-delivery replaced: readable for the grace period, deleted after it, and kept where deletes stay denied. */
import assert from 'node:assert/strict';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { deleteSupersededFiles } from '../../../activities/rounds/delete-superseded-files.ts';
import { NOTICE_KINDS } from '../../../src/platform/notify/notice.ts';
import { settleIntervals } from '../../../activities/rounds/settle-intervals.ts';
import { deliveredFiles } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { startFaultyProxy, type FaultyProxy } from '../../support/servers/faulty-proxy.ts';
import { holdAt } from '../../support/servers/hold-at.ts';
import {
  createTestBucket,
  needsObjectStore,
  OBJECT_STORE_KEYS,
  type TestBucket,
} from '../../support/servers/object-store.ts';

const HOUR = { startAt: '2015-05-17T10:00:00Z', endAt: '2015-05-17T11:00:00Z' };

/** Of an object: uploads are aborted by the same method. */
const isDelete = ({ method, url }: { method: string; url: string }) =>
  method === 'DELETE' && !url.includes('uploadId=');

describe('superseded files at a destination', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    (await world.engine.pool.query<Row>(text, values)).rows;

  const sweep = async () => deleteSupersededFiles(world.engine, new AbortController().signal);

  let directory: string;
  let id: string;
  const filesAt = async (place: string) => {
    const names = await readdir(path.join(world.folder, place));
    return names.filter((name) => !name.includes('_manifest')).sort();
  };
  const files = async () => filesAt(directory);
  const named = async () =>
    (await deliveredFiles(path.join(world.folder, directory))).map((file) => path.basename(file)).sort();
  const configOf = (layout: string, place = directory) => ({
    destination: { type: 'LocalFile', config: { directory: place, layout } },
  });

  async function create(layout: string): Promise<void> {
    directory = randomUUID();
    ({ id } = await world.batchExports.create(world.projectId, buildExport({ ...configOf(layout), paused: true })));
  }

  /** Delivers the hour with one row more than before. */
  async function redeliver(): Promise<void> {
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T10:20:00Z') })]);
    const backfill = await world.backfills.request(world.projectId, id, HOUR);
    const run = (await runsAfterBackfill(world, id, backfill.id)).at(-1)!;
    assert.deepEqual([run.status, run.latestError], ['Completed', null]);
  }

  /** @returns the files that the manifest names then */
  async function deliver(): Promise<string[]> {
    await redeliver();
    return named();
  }

  const recorded = async () =>
    sql<{ key: string; left_at: string | null }>(
      'select key, left_at from superseded_files where batch_export_id = $1 order by key',
      [id],
    );

  const age = async (hours: number) =>
    sql(`update superseded_files set left_at = left_at - $2::int * interval '1 hour' where batch_export_id = $1`, [
      id,
      hours,
    ]);

  const notes = async () =>
    sql(`select from notifications where kind = 'keeping_files' and batch_export_id = $1`, [id]);
  const tellAll = async () => {
    const notifications = { webhook: { url: 'https://example.com/' }, emails: [], on: [...NOTICE_KINDS] };
    await sql('update batch_exports set notifications = $2 where id = $1', [id, notifications]);
  };

  /** As if deleting had failed for that much longer: what waits for its next attempt is tried now. */
  const failFor = async (hours: number) =>
    sql(
      `update superseded_files set retry_at = clock_timestamp(),
         failing_since = failing_since - $2::int * interval '1 hour' where batch_export_id = $1`,
      [id, hours],
    );

  it('stay for the grace period, and are deleted after it', async () => {
    await create('versioned');
    const first = await deliver();
    const second = await deliver();
    assert.notDeepEqual(first, second);
    assert.deepEqual(
      (await recorded()).map(({ key, left_at }) => [path.basename(key), left_at !== null]),
      first.map((name) => [name, true]),
    );
    await age(23);
    assert.equal(await sweep(), 0);
    assert.deepEqual(await files(), [...first, ...second].sort());
    await age(2);
    assert.equal(await sweep(), 1);
    assert.deepEqual(await files(), second);
    assert.deepEqual(await recorded(), []);
  });

  it('are never deleted while the manifest names them, whatever is recorded', async () => {
    await create('versioned');
    const [present] = await deliver();
    const [run] = await world.engine.stores.runs.list(world.projectId, id, { limit: 1 });
    await sql(
      `insert into superseded_files (batch_export_id, data_interval_start, data_interval_end, key, run_id, epoch, left_at)
       values ($1, $2, $3, $4, $5, 1, clock_timestamp() - interval '2 days')`,
      [id, HOUR.startAt, HOUR.endAt, `${world.projectId}/${directory}/${present}`, run!.id],
    );
    await sweep();
    assert.deepEqual(await files(), [present]);
    assert.deepEqual(await recorded(), []);
  });

  it('are not deleted when a commit has recorded them again since they were found due', async () => {
    await create('versioned');
    await deliver();
    await deliver();
    await age(25);
    const before = await files();
    const { supersededFiles } = world.engine.stores;
    const [due] = await supersededFiles.listDueFiles(24, 10);
    assert.ok(due);
    const found = { ...world.engine.stores, supersededFiles: { ...supersededFiles, listDueFiles: async () => [due] } };
    await sql('update superseded_files set left_at = null where batch_export_id = $1', [id]);
    await deleteSupersededFiles({ ...world.engine, stores: found }, new AbortController().signal);
    assert.deepEqual(await files(), before);
    assert.equal((await recorded()).length, 1);
  });

  it('are deleted where they are, after the export has moved', async () => {
    await create('versioned');
    const [left] = [directory, await deliver()];
    const second = await deliver();
    directory = randomUUID();
    await world.batchExports.patch(world.projectId, id, configOf('versioned'));
    await age(25);
    assert.equal(await sweep(), 1);
    assert.deepEqual(await filesAt(left), second);
  });

  it('are also those that a commit made visible which broke off before its export moved', async () => {
    await create('versioned');
    const held = holdAt(world, id, 'manifest');
    await world.store([buildEvent({ timestamp: microseconds('2015-05-17T10:20:00Z') })]);
    const { id: backfill } = await world.backfills.request(world.projectId, id, HOUR);
    const { runId } = await held.reached;
    const { workflowId } = await world.engine.stores.runs.getById(runId);
    await world.engine.temporal.client.workflow.getHandle(workflowId).terminate();
    held.die();
    await runsAfterBackfill(world, id, backfill);
    const [left] = await files();
    await world.batchExports.patch(world.projectId, id, configOf('versioned', randomUUID()));
    await redeliver();
    await settleIntervals(world.engine, { signal: new AbortController().signal });
    const recorded = await sql<{ key: string; left: boolean }>(
      'select key, left_at is not null as left from superseded_files where batch_export_id = $1',
      [id],
    );
    assert.deepEqual(
      recorded.map((one) => ({ ...one, key: path.basename(one.key) })),
      [{ key: left, left: true }],
    );
  });

  it('are none under stable names', async () => {
    await create('stable');
    await deliver();
    await deliver();
    assert.deepEqual(await recorded(), []);
  });

  it('are deleted also when a run under stable names has replaced them', async () => {
    await create('versioned');
    const versioned = await deliver();
    await world.batchExports.patch(world.projectId, id, configOf('stable'));
    const stable = await deliver();
    assert.deepEqual(await files(), [...versioned, ...stable].sort());
    await age(25);
    assert.equal(await sweep(), 1);
    assert.deepEqual(await files(), stable);
  });

  it('stay while deliveries are blocked', async () => {
    await create('versioned');
    await deliver();
    await deliver();
    await age(25);
    const before = await files();
    const timeline = {
      ...world.engine.timeline,
      assertDeliverable: async () => Promise.reject(new Error('Deliveries are blocked')),
    };
    assert.equal(await deleteSupersededFiles({ ...world.engine, timeline }, new AbortController().signal), 0);
    assert.deepEqual(await files(), before);
  });

  describe('in a bucket', () => {
    let proxy: FaultyProxy;
    let bucket: TestBucket;
    let denies = false;
    before(async function () {
      await needsObjectStore(this);
      bucket = await createTestBucket();
      proxy = await startFaultyProxy(bucket.endpoint, (request) =>
        denies && isDelete(request) ? 'denied' : undefined,
      );
    });
    after(() => proxy?.close());

    const destinationAt = (prefix: string) => ({
      type: 'S3Compatible',
      config: {
        bucket_name: bucket.bucket,
        region: bucket.region,
        prefix,
        layout: 'versioned',
        endpoint_url: proxy.origin,
        aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
        aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
      },
    });
    async function createAt(prefix: string): Promise<void> {
      const wanted = buildExport({ destination: destinationAt(prefix), paused: true });
      ({ id } = await world.batchExports.create(world.projectId, wanted));
    }
    const objects = async (prefix: string) => {
      const listing = new ListObjectsV2Command({ Bucket: bucket.bucket, Prefix: `${prefix}/` });
      const { Contents = [] } = await bucket.client.send(listing);
      return Contents.map(({ Key }) => Key!).filter((key) => !key.includes('_manifest'));
    };

    it('are deleted an hour later where deletes were denied briefly, without a notice', async () => {
      denies = true;
      await createAt('brief');
      await tellAll();
      await redeliver();
      await redeliver();
      await age(25);
      assert.equal(await sweep(), 0);
      denies = false;
      assert.equal(await sweep(), 0);
      await failFor(1);
      assert.equal(await sweep(), 1);
      assert.equal((await objects('brief')).length, 1);
      assert.equal((await notes()).length, 0);
    });

    it('are all kept where deletes were denied for a day, with one notice, until the destination changes', async () => {
      denies = true;
      await createAt('denied');
      await tellAll();
      await redeliver();
      await redeliver();
      await age(25);
      assert.equal((await objects('denied')).length, 2);
      assert.equal(await sweep(), 0);
      await failFor(25);
      assert.equal(await sweep(), 0);
      denies = false;
      await failFor(24 * 7);
      assert.equal(await sweep(), 0);
      assert.equal((await notes()).length, 1);
      assert.equal((await objects('denied')).length, 2);
      await world.batchExports.patch(world.projectId, id, { destination: destinationAt('denied') });
      assert.equal(await sweep(), 1);
      assert.equal((await objects('denied')).length, 1);
    });

    it('keep the credentials of a place that their export has left, until they are deleted', async () => {
      await createAt('left');
      await redeliver();
      await redeliver();
      await world.batchExports.patch(world.projectId, id, { destination: destinationAt('elsewhere') });
      const { places } = world.engine.stores;
      const kept = async () => sql('select from batch_export_places where batch_export_id = $1', [id]);
      await places.forgetUnused();
      assert.equal((await kept()).length, 1);
      await age(25);
      assert.equal(await sweep(), 1);
      assert.equal((await objects('left')).length, 1);
      await places.forgetUnused();
      assert.equal((await kept()).length, 0);
    });
  });
});
