/** A run delivers where its plan says, whatever becomes of its export meanwhile. */
import assert from 'node:assert/strict';
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Step } from '../../../activities/engine.ts';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { Conflict } from '../../../src/platform/errors.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { holdAt } from '../../support/servers/hold-at.ts';
import {
  createTestBucket,
  needsObjectStore,
  OBJECT_STORE_KEYS,
  type TestBucket,
} from '../../support/servers/object-store.ts';

type Files = Map<string, string>;
type Config = Record<string, unknown>;
type Manifest = { batch_export: string; state: string; files: { key: string }[] };

const HOUR = { startAt: '2015-05-17T10:00:00Z', endAt: '2015-05-17T11:00:00Z' };
const NEXT_HOUR = { startAt: '2015-05-17T11:00:00Z', endAt: '2015-05-17T12:00:00Z' };

/** A kind of store as this test sees it: `x` and `y` are two places in it. */
type Stores = {
  type: string;
  config(place: string): Config;
  /** Everything visible at the place, name (without folders) to content. */
  files(place: string): Promise<Files>;
  /** Open uploads, or the temporary files that stand for them. */
  unfinished(place: string): Promise<string[]>;
};

const s3 = ({ bucket, region, endpoint, client }: TestBucket): Stores => ({
  type: 'S3Compatible',
  config: (prefix) => ({
    bucket_name: bucket,
    region,
    prefix,
    endpoint_url: endpoint,
    aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
    aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
  }),
  async files(place) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${place}/` }));
    const objects = await Promise.all(
      Contents.map(async ({ Key }) => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
        return [path.posix.basename(Key!), await Body!.transformToString()] as const;
      }),
    );
    return new Map(objects);
  },
  async unfinished(place) {
    const { Uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: `${place}/` }),
    );
    return Uploads.map(({ Key }) => Key!);
  },
});

/** The rows that the place's manifest promises, of the export that the manifest names. */
function promisedRows(files: Files): { exportId: string; rows: number } {
  const [, text] = [...files].find(([name]) => name.endsWith('_manifest.json')) ?? [];
  assert.ok(text, 'there is a manifest');
  const manifest = JSON.parse(text) as Manifest;
  assert.equal(manifest.state, 'complete');
  const lines = manifest.files.flatMap(({ key }) => {
    const content = files.get(path.posix.basename(key));
    assert.ok(content !== undefined, `${key} is there`);
    return content.split('\n').filter(Boolean);
  });
  return { exportId: manifest.batch_export, rows: lines.length };
}

describe('the place of a run', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
    await world.store(
      ['10:20', '10:40', '11:30'].map((time) => buildEvent({ timestamp: microseconds(`2015-05-17T${time}:00Z`) })),
    );
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    (await world.engine.pool.query<Row>(text, values)).rows;

  const keptOf = (id: string) => sql<object>('select * from batch_export_places where batch_export_id = $1', [id]);

  const localFiles = (): Stores => ({
    type: 'LocalFile',
    config: (directory) => ({ directory }),
    async files(place) {
      const folder = path.join(world.folder, place);
      const names = await readdir(folder).catch(() => []);
      const visible = names.filter((name) => !name.startsWith('.'));
      return new Map(
        await Promise.all(
          visible.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')] as const),
        ),
      );
    },
    unfinished: async (place) =>
      (await readdir(path.join(world.folder, place)).catch(() => [])).filter((name) => name.endsWith('.tmp')),
  });

  const create = (stores: Stores, place: string, config: Config = {}) =>
    world.batchExports.create(
      world.projectId,
      buildExport({ destination: { type: stores.type, config: { ...stores.config(place), ...config } }, paused: true }),
    );

  const move = (stores: Stores, id: string, place: string) =>
    world.batchExports.patch(world.projectId, id, { destination: { type: stores.type, config: stores.config(place) } });

  async function deliver(id: string, range = HOUR): Promise<Run> {
    const backfill = await world.backfills.request(world.projectId, id, range);
    return (await runsAfterBackfill(world, id, backfill.id)).at(-1)!;
  }

  /** The run of an interval that is held at a step, and how to let it end. */
  async function holdRun(id: string, step: string): Promise<() => Promise<Run>> {
    const held = holdAt(world, id, step);
    await world.backfills.request(world.projectId, id, HOUR);
    const { runId } = await held.reached;
    return async () => {
      held.goOn();
      return eventually('the run to end', async () => {
        const run = await world.engine.stores.runs.getById(runId);
        return run.finishedAt !== null && run;
      });
    };
  }

  /** The hour's run, killed at a step: its workflow was terminated in Temporal, and its worker does nothing more. */
  async function killRun(id: string, step: string): Promise<Run> {
    const reached = Promise.withResolvers<Step>();
    const death = Promise.withResolvers<never>();
    death.promise.catch(() => {});
    world.onStep = async (at) => {
      if (at.exportId !== id || at.name !== step) return;
      reached.resolve(at);
      await death.promise;
    };
    await world.backfills.request(world.projectId, id, HOUR);
    const run = await world.engine.stores.runs.getById((await reached.promise).runId);
    const { workflow } = world.engine.temporal.client;
    await workflow.getHandle(run.workflowId, run.workflowRunId).terminate();
    death.reject(new Error('the worker was killed'));
    world.onStep = async () => {};
    return run;
  }

  /** One round; runs that nothing touched for a while are all that are open now. */
  async function reconcile(): Promise<void> {
    await sql(
      `update batch_export_runs set last_updated_at = last_updated_at - interval '1 minute' where finished_at is null`,
      [],
    );
    await world.engine.temporal.client.workflow.execute('reconcile', {
      workflowId: `reconcile-${randomUUID()}`,
      taskQueue: TASK_QUEUES.control,
      args: [],
    });
  }

  const becomesFree = async (stores: Stores, place: string) =>
    eventually('the place to become free', async () => {
      await reconcile();
      return create(stores, place).catch((error: unknown) => {
        assert.ok(error instanceof Conflict);
        return false as const;
      });
    });

  const artifactsOf = (id: string) =>
    sql<object>('select artifact from batch_export_artifacts where batch_export_id = $1', [id]);

  for (const [what, storesOf] of [
    ['directories', async () => localFiles()],
    ['prefixes of a bucket', async () => s3(await createTestBucket())],
  ] as const) {
    describe(`between ${what}`, () => {
      let stores: Stores;
      let [x, y] = ['', ''];
      before(async function () {
        if (what !== 'directories') await needsObjectStore(this);
        stores = await storesOf();
      });
      beforeEach(() => {
        [x, y] = [`x-${randomUUID()}`, `y-${randomUUID()}`];
      });

      it('is its plan’s after the export moved, and closed to other exports until the run ends', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'before-committing');
        await move(stores, id, y);
        await assert.rejects(create(stores, x), Conflict);
        const run = await goOn();
        assert.deepEqual([run.status, run.latestError], ['Completed', null]);
        assert.deepEqual(promisedRows(await stores.files(x)), { exportId: id, rows: 2 });
        assert.equal((await stores.files(y)).size, 0);

        const next = await deliver(id, NEXT_HOUR);
        assert.equal(next.status, 'Completed');
        assert.deepEqual(promisedRows(await stores.files(y)), { exportId: id, rows: 1 });
      });

      it('is free once the run has ended, and what it delivered there stays', async () => {
        const a = await create(stores, x);
        const goOn = await holdRun(a.id, 'before-committing');
        await move(stores, a.id, y);
        await goOn();
        const before = await stores.files(x);
        const b = await create(stores, x);
        assert.equal((await deliver(b.id)).status, 'Failed');
        assert.deepEqual(await stores.files(x), before);
        assert.equal((await deliver(b.id, NEXT_HOUR)).status, 'Completed');
      });

      it('is the plan’s when the export moves in the middle of the commit', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'manifest');
        await move(stores, id, y);
        assert.equal((await goOn()).status, 'Completed');
        assert.deepEqual(promisedRows(await stores.files(x)), { exportId: id, rows: 2 });
      });

      it('is the plan’s to the end of a commit that began before the export was deleted', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'file-0');
        await world.batchExports.delete(world.projectId, id);
        await assert.rejects(create(stores, x), Conflict);
        const run = await goOn();
        assert.deepEqual([run.status, run.latestError], ['Completed', null]);
        assert.deepEqual(promisedRows(await stores.files(x)), { exportId: id, rows: 2 });
        await create(stores, x);
      });

      it('is the export’s new one when it moves before the plan is stored', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'before-plan');
        await move(stores, id, y);
        const b = await create(stores, x);
        assert.equal((await goOn()).status, 'Completed');
        assert.equal((await deliver(b.id)).status, 'Completed');
        assert.deepEqual(promisedRows(await stores.files(y)), { exportId: id, rows: 2 });
        assert.deepEqual(promisedRows(await stores.files(x)), { exportId: b.id, rows: 2 });
      });

      it('is where the export was when a plan of an earlier version, which names none, was made', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'before-committing');
        await sql(`update batch_export_runs set plan = plan - 'destination' where batch_export_id = $1`, [id]);
        await move(stores, id, y);
        await assert.rejects(create(stores, x), Conflict);
        assert.equal((await goOn()).status, 'Completed');
        assert.deepEqual(promisedRows(await stores.files(x)), { exportId: id, rows: 2 });
      });

      it('takes nothing that was staged under a name that is not the plan’s', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'before-committing');
        await sql(
          `update batch_export_parts set staged = jsonb_set(staged, '{staged,key}', to_jsonb(replace(staged #>> '{staged,key}', $2, $3)))
           where run_id in (select id from batch_export_runs where batch_export_id = $1)`,
          [id, x, y],
        );
        const run = await goOn();
        assert.equal(run.status, 'FailedRetryable');
        assert.match(run.latestError!, /not the plan’s/);
        assert.equal((await stores.files(x)).size + (await stores.files(y)).size, 0);
      });

      it('is free once the reconciler has taken back what a killed run left there before the export moved', async () => {
        const { id } = await create(stores, x);
        await killRun(id, 'part-0-begin');
        await move(stores, id, y);
        assert.equal((await deliver(id)).status, 'Completed');
        assert.deepEqual(promisedRows(await stores.files(y)), { exportId: id, rows: 2 });
        assert.equal((await stores.unfinished(x)).length, 1);
        await assert.rejects(create(stores, x), Conflict);
        await becomesFree(stores, x);
        assert.deepEqual([await stores.unfinished(x), await artifactsOf(id), await keptOf(id)], [[], [], []]);
      });

      for (const then of ['moved', 'was deleted'] as const) {
        it(`is free of a commit that broke off under stable names and left a file, once the export ${then}`, async () => {
          const { id } = await create(stores, x, { layout: 'stable' });
          const killed = await killRun(id, 'manifest');
          if (then === 'moved') {
            await move(stores, id, y);
            assert.equal((await deliver(id)).status, 'Completed');
          } else await world.batchExports.delete(world.projectId, id);
          await assert.rejects(create(stores, x), Conflict);
          const before = await stores.files(x);
          assert.equal(before.size, 1);
          await becomesFree(stores, x);
          assert.deepEqual(await stores.files(x), before);
          assert.equal((await artifactsOf(id)).length, 1, 'a commit at the same place still knows it');
          const { results } = await world.engine.stores.logs.list({ batchExportId: id, limit: 50, offset: 0 });
          const warnings = results.filter(
            ({ runId, message }) => runId === killed.id && /one file stays there/.test(message),
          );
          assert.equal(warnings.length, 1);
        });
      }

      it('is never begun after the export was deleted', async () => {
        const { id } = await create(stores, x);
        const goOn = await holdRun(id, 'before-committing');
        await world.batchExports.delete(world.projectId, id);
        assert.notEqual((await goOn()).status, 'Completed');
        assert.equal((await stores.files(x)).size, 0);
      });
    });
  }

  it('is given up after a week when it allows no deletion, with a warning until then', async () => {
    const stores = localFiles();
    const [x, y] = [`x-${randomUUID()}`, `y-${randomUUID()}`];
    const { id } = await create(stores, x);
    await killRun(id, 'part-0-begin');
    // In the place of the temporary file is a folder.
    const [unfinished] = await stores.unfinished(x);
    const file = path.join(world.folder, x, unfinished!);
    await rm(file);
    await mkdir(path.join(file, 'full'), { recursive: true });
    await move(stores, id, y);
    assert.equal((await deliver(id)).status, 'Completed');
    const troubles = () =>
      sql<{ kind: string; attempts: number }>(
        'select kind, attempts from batch_export_troubles where batch_export_id = $1',
        [id],
      );
    const due = (since = '0') =>
      sql(
        `update batch_export_troubles set retry_at = clock_timestamp(), since = since - $2::interval where batch_export_id = $1`,
        [id, since],
      );
    await reconcile();
    assert.deepEqual(await troubles(), [{ kind: 'unsettled', attempts: 1 }]);
    await reconcile();
    assert.deepEqual(await troubles(), [{ kind: 'unsettled', attempts: 1 }], 'not before its time');
    await due();
    await reconcile();
    assert.deepEqual(await troubles(), [{ kind: 'unsettled', attempts: 2 }]);
    await assert.rejects(create(stores, x), Conflict);
    await due('7 days');
    await reconcile();
    assert.deepEqual(await troubles(), [], 'the interval is delivered');
    const lines = await world.engine.stores.logs.list({ batchExportId: id, limit: 100, offset: 0 });
    const [gaveUpLine] = lines.results.filter(({ message }) => message.includes('has given up'));
    assert.doesNotMatch(gaveUpLine!.message, /Retry/);
    await create(stores, x);
  });

  describe('with credentials', () => {
    const WRONG = 'canary-another-secret-key';
    let stores: Stores;
    let [x, y] = ['', ''];
    before(async function () {
      await needsObjectStore(this);
      stores = s3(await createTestBucket());
    });
    beforeEach(() => {
      [x, y] = [`x-${randomUUID()}`, `y-${randomUUID()}`];
    });

    const patch = (id: string, config: Config) =>
      world.batchExports.patch(world.projectId, id, { destination: { type: stores.type, config } });

    it('is opened by those that it had, after the export moved with others', async () => {
      const { id } = await create(stores, x);
      const goOn = await holdRun(id, 'before-committing');
      await patch(id, { prefix: y, aws_secret_access_key: WRONG });
      assert.equal((await goOn()).status, 'Completed');
      assert.deepEqual(promisedRows(await stores.files(x)), { exportId: id, rows: 2 });
      // The new place's credentials are the new, wrong ones: they may be just being rotated, so the run waits.
      await world.backfills.request(world.projectId, id, NEXT_HOUR);
      await eventually('the new place to refuse them', async () => {
        const [next] = await world.engine.stores.runs.listOpen(id);
        return next?.latestError?.includes('secret access key');
      });
    });

    it('is opened by the newest ones of the same place', async () => {
      const { id } = await create(stores, x);
      await patch(id, { aws_secret_access_key: WRONG });
      const goOn = await holdRun(id, 'after-plan');
      await patch(id, { aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey });
      assert.equal((await goOn()).status, 'Completed');
    });

    it('is opened by those of an integration that was deleted since', async () => {
      const { aws_access_key_id, aws_secret_access_key, endpoint_url, ...rest } = stores.config(x);
      const integration = await world.engine.stores.inTransaction((inside) =>
        inside.integrations.insert(world.projectId, 's3-compatible', (integrationId) =>
          world.engine.configs.encryptIntegration(
            { id: integrationId, projectId: world.projectId },
            destinationOf(stores.type, world.engine.environment).config,
            { aws_access_key_id, aws_secret_access_key, endpoint_url },
          ),
        ),
      );
      const { id } = await world.batchExports.create(
        world.projectId,
        buildExport({ destination: { type: stores.type, config: rest, integration: integration.id }, paused: true }),
      );
      const goOn = await holdRun(id, 'file-0');
      await world.batchExports.delete(world.projectId, id);
      await world.engine.stores.integrations.delete(world.projectId, integration.id);
      assert.equal((await goOn()).status, 'Completed');
      assert.deepEqual(promisedRows(await stores.files(x)), { exportId: id, rows: 2 });
    });

    it('is kept with them, sealed, until no run needs it; plans hold none', async () => {
      const { id } = await create(stores, x);
      const goOn = await holdRun(id, 'before-committing');
      await patch(id, { prefix: y });
      await world.engine.stores.places.forgetUnused();
      const kept = await keptOf(id);
      assert.equal(kept.length, 1);
      const plans = await sql<object>('select plan from batch_export_runs where batch_export_id = $1', [id]);
      assert.doesNotMatch(JSON.stringify([kept, plans]), new RegExp(OBJECT_STORE_KEYS.secretAccessKey));
      await goOn();
      await world.engine.stores.places.forgetUnused();
      assert.deepEqual(await keptOf(id), []);
    });
  });
});
