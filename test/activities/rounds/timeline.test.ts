import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { createClient } from '../../../src/platform/db/connection.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { foreignDeliveries } from '../../../src/exports/timeline/accept-delivery.ts';
import { SYSTEM_AUTHOR } from '../../../src/exports/batch-exports/audit.ts';
import { renewTimeline } from '../../../src/exports/timeline/renew-timeline.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import { WITNESS_WORKFLOW_ID } from '../../../src/exports/domain/witness.ts';
import { timelineWitness } from '../../../src/exports/temporal/witness.ts';
import { copyTestDatabase, createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import {
  createTestBucket,
  needsObjectStore,
  OBJECT_STORE_KEYS,
  type TestBucket,
} from '../../support/servers/object-store.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
const RANGE = { startAt: at(-3), endAt: at(-2) };

/** The same installation over a copy of its database, with its own Temporal or another one. */
async function worldOver(world: ExportWorld, database: TestDatabase, namespace?: string): Promise<ExportWorld> {
  const { options, projectId } = world;
  return buildExportWorld('silent', {
    installed: {
      database,
      localRoot: options.environment.localRoot!,
      encryptionKeys: options.encryptionKeys,
      projectId,
      ...(namespace !== undefined && { namespace }),
    },
  });
}

async function reconcile({ engine }: ExportWorld): Promise<void> {
  await engine.temporal.client.workflow.execute('reconcile', {
    workflowId: `reconcile-${randomUUID()}`,
    taskQueue: TASK_QUEUES.control,
    args: [],
  });
}

/** A paused export that was made hours ago, for one data interval that ended. */
async function buildOldExport(world: ExportWorld, destination: { type: string; config: Record<string, unknown> }) {
  const { id } = await world.batchExports.create(world.projectId, buildExport({ destination, endAt: RANGE.endAt }));
  await world.engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, at(-2.5)]);
  return id;
}

async function deliver(world: ExportWorld, exportId: string) {
  const { id } = await world.backfills.request(world.projectId, exportId, RANGE);
  const [run] = (await runsAfterBackfill(world, exportId, id)).slice(-1);
  return run!;
}

describe('a database that was restored', () => {
  before(function () {
    return needsObjectStore(this);
  });

  describe('together with Temporal, or before there was a witness', () => {
    let world: ExportWorld;
    let restored: ExportWorld;
    let bucket: TestBucket;
    let table: TestDatabase;
    let exports: Record<string, string>;

    before(async () => {
      world = await buildExportWorld();
      bucket = await createTestBucket();
      table = await createEmptyDatabase();
      const url = new URL(table.url);
      exports = {
        LocalFile: await buildOldExport(world, { type: 'LocalFile', config: { directory: 'kept' } }),
        S3: await buildOldExport(world, {
          type: 'S3',
          config: {
            bucket_name: bucket.bucket,
            region: bucket.region,
            endpoint_url: bucket.endpoint,
            aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
            aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
          },
        }),
        Postgres: await buildOldExport(world, {
          type: 'Postgres',
          config: {
            host: url.hostname,
            port: Number(url.port),
            user: url.username,
            password: decodeURIComponent(url.password),
            database: url.pathname.slice(1),
            schema: 'public',
            table_name: 'kept',
          },
        }),
      };
      const database = await copyTestDatabase(world.options.databaseUrl);
      await world.store(
        Array.from({ length: 20 }, () => buildEvent({ timestamp: microseconds(isoMicros(THIS_HOUR - 2.5 * HOUR)) })),
      );
      await world.startWorker();
      for (const id of Object.values(exports)) assert.equal((await deliver(world, id)).recordsCompleted, 20);
      restored = await worldOver(world, database);
      await restored.startWorker();
    });
    after(async () => {
      await Promise.all([world, restored].map(async (one) => one.close()));
      await table.drop();
    });

    async function snapshot(): Promise<unknown> {
      const folder = path.join(world.folder, 'kept');
      const files = await Promise.all(
        (await readdir(folder)).sort().map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')]),
      );
      const { Contents = [] } = await bucket.client.send(new ListObjectsV2Command({ Bucket: bucket.bucket }));
      const objects = await Promise.all(
        Contents.map(async ({ Key }) => {
          const { Body } = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.bucket, Key }));
          return [Key, await Body!.transformToString()];
        }),
      );
      const client = createClient({ url: table.url, applicationName: 'test' });
      await client.connect();
      const { rows } = await client.query('select uuid::text from kept order by 1');
      const ledger = await client.query('select run::text, epoch::text, timeline::text from _sluice_ledger order by 1');
      await client.end();
      return { files, objects, rows, ledger: ledger.rows };
    }

    const runOf = async (id: string) =>
      eventually('the run of the gap to end', async () => {
        const run = await restored.engine.stores.runs.findNewestOfInterval(id, RANGE.endAt);
        return run?.finishedAt ? run : undefined;
      });

    /** The error type that the failure window goes by. */
    const errorTypeOf = async (runId: string) => {
      const { pool } = restored.engine;
      const { rows } = await pool.query<{ type: string | null }>(
        'select error_type as type from batch_export_runs where id = $1',
        [runId],
      );
      return rows[0]?.type;
    };

    it('replaces no delivery that it does not know by the gap run of an hour whose events are gone', async () => {
      const before = await snapshot();
      await reconcile(restored);
      for (const [type, id] of Object.entries(exports)) {
        const run = await runOf(id);
        assert.equal(run.status, 'Failed', type);
        assert.match(run.latestError ?? '', /delivered by another timeline/, type);
        assert.equal(await errorTypeOf(run.id), 'DeliveredElsewhere', type);
        const [found] = await restored.engine.stores.foreignDeliveries.listWaiting(id, { limit: 10 });
        const theirs = await world.engine.stores.runs.findNewestOfInterval(id, RANGE.endAt);
        assert.equal(found?.runId, theirs?.id, type);
        assert.equal(found?.receipt.rows, 20, type);
        assert.equal(found?.timeline, await world.engine.stores.timeline.getId());
      }
      assert.deepEqual(await snapshot(), before);
      assert.match(await figures(), /^sluice_foreign_deliveries 3$/m);
    });

    const figures = async () => {
      const { exportFigures } = await import('../../../src/exports/monitoring/figures.ts');
      restored.engine.metrics.registerExports(() => exportFigures(restored.engine.stores));
      return restored.engine.metrics.text();
    };

    const accept = async (id: string, side: 'theirs' | 'ours') => {
      const deliveries = foreignDeliveries(restored.engine);
      const [found] = await deliveries.listWaiting(id, { limit: 10 });
      await deliveries.accept(restored.projectId, id, found!.id, side, SYSTEM_AUTHOR);
      assert.deepEqual(await deliveries.listWaiting(id, { limit: 10 }), []);
    };

    it('adopts the foreign delivery when an operator accepts it, and knows it from then on', async () => {
      const id = exports['LocalFile']!;
      const before = await snapshot();
      const interrupt = async (change: string) =>
        restored.engine.pool.query(`update foreign_deliveries set receipt = ${change} where batch_export_id = $1`, [
          id,
        ]);
      await interrupt(`receipt || '{"interrupted": true}'`);
      await assert.rejects(accept(id, 'theirs'), /interrupted half-way/);
      await interrupt(`receipt - 'interrupted'`);
      await accept(id, 'theirs');
      const run = await runOf(id);
      assert.equal(run.status, 'Completed');
      assert.equal(run.recordsCompleted, 20);
      const entry = await restored.engine.stores.ledger.find({ exportId: id, start: RANGE.startAt, end: RANGE.endAt });
      assert.equal(entry?.receipt?.rows, 20);
      assert.equal(entry.state, 'delivered');
      assert.deepEqual(await snapshot(), before);
      // Automation takes nothing away that is gone at the source; a person who asks for it may.
      const { runRequests: requests } = restored.engine.stores;
      const [start, end] = [THIS_HOUR - 3 * HOUR, THIS_HOUR - 2 * HOUR];
      await requests.open(id, [{ start, end }], 'gap');
      await restored.engine.executions.wakeDispatcher(id);
      const refused = await eventually('the automatic run to end', async () => {
        const newest = await restored.engine.stores.runs.findNewestOfInterval(id, RANGE.endAt);
        return newest?.kind === 'gap' && newest.finishedAt ? newest : undefined;
      });
      assert.equal(refused.status, 'Failed');
      assert.equal(await errorTypeOf(refused.id), 'DeliveryWouldShrink');
      assert.match(refused.latestError ?? '', /20 rows of the last delivery.*no longer at the source/);
      assert.deepEqual(await snapshot(), before);
      await eventually('the request to be answered', async () => (await requests.countOpen(id)) === 0);
      // A person who asks for it may replace what is known.
      assert.equal((await deliver(restored, id)).status, 'Completed');
    });

    for (const type of ['S3', 'Postgres']) {
      it(`replaces the foreign delivery under a higher epoch when an operator accepts ours: ${type}`, async () => {
        const id = exports[type]!;
        const theirs = await world.engine.stores.runs.findNewestOfInterval(id, RANGE.endAt);
        await accept(id, 'ours');
        const run = await eventually('our delivery', async () => {
          const newest = await restored.engine.stores.runs.findNewestOfInterval(id, RANGE.endAt);
          return newest?.status === 'Completed' ? newest : undefined;
        });
        assert.equal(run.recordsCompleted, 0);
        assert.ok(run.epoch! > theirs!.epoch!);
      });
    }
  });

  describe('while Temporal went on', () => {
    let world: ExportWorld;
    let restored: ExportWorld;
    let id: string;

    before(async () => {
      world = await buildExportWorld();
      const worker = await world.startWorker();
      id = await buildOldExport(world, { type: 'LocalFile', config: { directory: randomBytes(4).toString('hex') } });
      // The first start makes the witness, and blocks nothing.
      assert.equal((await deliver(world, id)).status, 'Completed');
      assert.equal(await world.engine.timeline.check(), undefined);
      worker.shutdown();
      await worker.stopped;
      const database = await copyTestDatabase(world.options.databaseUrl);
      const again = await world.startWorker();
      assert.equal(await world.engine.timeline.check(), undefined);
      again.shutdown();
      await again.stopped;
      restored = await worldOver(world, database, world.options.temporal.namespace);
      await restored.startWorker();
    });
    after(async () => {
      await Promise.all([world, restored].map(async (one) => one.close()));
    });

    it('delivers nothing until an operator recovers it, and loses nothing', async () => {
      assert.match(
        (await restored.engine.timeline.blockReason()) ?? '',
        /another state of this database.*sluice recover/,
      );
      const { id: backfill } = await restored.backfills.request(restored.projectId, id, RANGE);
      // Schedules are the original's as long as it is not known who is who.
      await restored.engine.schedules.remove(id);
      await restored.engine.pool.query('update batch_exports set version = version + 1 where id = $1', [id]);
      await reconcile(restored);
      await reconcile(restored);
      const scheduleDiffers = async () =>
        (await restored.engine.schedules.compare((await restored.engine.stores.schedules.find(id))!)).difference;
      assert.equal(await scheduleDiffers(), 'missing');
      const before = await restored.engine.stores.timeline.getState();
      assert.equal(before.blocked, 'differs');
      assert.equal(await restored.engine.stores.runRequests.countOpen(id), 1);
      const { workflow } = restored.engine.temporal.client;
      const run = await restored.engine.stores.runs.findNewestOfInterval(id, RANGE.endAt);
      assert.equal(run?.epoch, 1);

      const timeline = await renewTimeline(restored.engine.stores, timelineWitness(restored.engine.temporal.client), 7);
      assert.notEqual(timeline, before.id);
      await reconcile(restored);
      assert.equal(await scheduleDiffers(), 'no');
      const [last] = (await runsAfterBackfill(restored, id, backfill)).slice(-1);
      assert.equal(last?.status, 'Completed');
      assert.ok(last.epoch! > Date.now() / 1000 - HOUR);
      assert.equal(await restored.engine.timeline.check(), undefined);

      // And the other one is out: its witness is gone.
      assert.match((await world.engine.timeline.check()) ?? '', /another state/);
      await workflow.getHandle(WITNESS_WORKFLOW_ID).terminate();
      assert.match((await restored.engine.timeline.check()) ?? '', /no witness/);
      await renewTimeline(restored.engine.stores, timelineWitness(restored.engine.temporal.client), 0);
      assert.equal(await restored.engine.timeline.check(), undefined);
    });

    it('gives persons versions above all that another timeline delivered', async () => {
      const { pool } = restored.engine;
      const { rows } = await pool.query<{ above: string }>('select versions_above::text as above from timeline');
      assert.ok(Number(rows[0]!.above) > 1.7e12);
      const source = await pool.query<{ body: string }>(
        `select prosrc as body from pg_proc where proname in ('change_persons', 'delete_persons') order by proname`,
      );
      for (const { body } of source.rows) assert.match(body, /greatest\(known\.version, above\) \+ 1/);
    });

    it('exchanges the nonce in several processes at once without blocking', async () => {
      const checks = Array.from({ length: 8 }, () => restored.engine.timeline.check());
      assert.deepEqual(
        await Promise.all(checks),
        checks.map(() => undefined),
      );
    });
  });
});
