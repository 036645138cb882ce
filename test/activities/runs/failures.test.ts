import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Step } from '../../../activities/engine.ts';
import { createActivities } from '../../../activities/index.ts';
import { DestinationUnavailable } from '../../../src/platform/errors.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import { TASK_QUEUES } from '../../../src/exports/domain/task-queues.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import type { ExportWorker } from '../../../src/exports/temporal/worker.ts';
import { deliveredFiles } from '../../support/exports/delivered-files.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  eventually,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';

const HOUR = 3_600_000;
/** Longer than a worker that stops gives to what is under way. */
const GRACE_MS = 3_500;

const AWAY = { code: 'slow_down', owner: 'destination', field: null } as const;

const faultIn = ({ errorCode, errorOwner, errorField, nextTryAt }: Run) =>
  [errorCode, errorOwner, errorField, nextTryAt] as const;

describe('a run that cannot deliver', () => {
  let world: ExportWorld;
  let worker: ExportWorker;
  let hours = 0;
  before(async () => {
    world = await buildExportWorld();
    worker = await world.startWorker();
  });
  after(async () => world.close());
  afterEach(() => {
    world.onStep = async () => {};
  });

  /** An export to a folder of its own and an hour of its own with three rows in it. */
  async function build() {
    const directory = randomUUID();
    const start = millisOf('2015-05-17T00:00:00Z') + hours++ * HOUR;
    const uuids = [randomUUID(), randomUUID(), randomUUID()];
    const timestamp = microseconds(new Date(start + 60_000).toISOString());
    await world.store(uuids.map((uuid) => buildEvent({ uuid, timestamp })));
    const destination = { type: 'LocalFile', config: { directory } };
    const { id } = await world.batchExports.create(world.projectId, buildExport({ destination }));
    return {
      id,
      uuids,
      start: isoMicros(start),
      end: isoMicros(start + HOUR),
      folder: path.join(world.folder, directory),
    };
  }
  type Built = Awaited<ReturnType<typeof build>>;

  /** Delivers the hour, doing something when its run reaches the step for the first time. */
  async function deliver(
    { id, start, end }: Built,
    at?: { step: string; act: (step: Step) => Promise<unknown> },
  ): Promise<Run> {
    let done = false;
    world.onStep = async (step) => {
      if (done || step.exportId !== id || step.name !== at?.step) return;
      done = true;
      await at.act(step);
    };
    const backfill = await world.backfills.request(world.projectId, id, { startAt: start, endAt: end });
    return (await runsAfterBackfill(world, id, backfill.id)).at(-1)!;
  }

  /** How Temporal says that the run ended; nothing in its history tells where the server keeps its things. */
  async function statusInTemporal({ workflowId, workflowRunId }: Run): Promise<string> {
    const handle = world.engine.temporal.client.workflow.getHandle(workflowId, workflowRunId);
    await handle.result().catch(() => {});
    const history = JSON.stringify(await handle.fetchHistory());
    assert.ok(!history.includes(world.options.environment.localRoot!) && !history.includes('.ts:'));
    return (await handle.describe()).status.name;
  }

  /** The run's log as the user reads it, oldest line first; no line tells where the server keeps its things. */
  async function linesOf(run: Run): Promise<string[]> {
    const { results } = await world.engine.stores.logs.list({
      batchExportId: run.batchExportId,
      runId: run.id,
      limit: 100,
      offset: 0,
    });
    const lines = results.map(({ level, message }) => `${level} ${message}`).toReversed();
    const root = world.options.environment.localRoot!;
    for (const line of [...lines, run.latestError ?? '']) {
      assert.ok(!line.includes(root) && !line.includes('/') && !/127\.0\.0\.1|select |at file/i.test(line), line);
    }
    return lines;
  }

  it('because a file is where its folder should be: Failed, with what to do', async () => {
    const built = await build();
    await mkdir(path.dirname(built.folder), { recursive: true });
    await writeFile(built.folder, 'not a folder');
    const run = await deliver(built);
    assert.equal(run.status, 'Failed');
    assert.equal(run.latestError, 'A part of the directory or prefix is a file or a link. Choose another directory.');
    assert.deepEqual(faultIn(run), ['directory_not_a_folder', 'you', 'destination__config__directory', null]);
    assert.equal(run.recordsCompleted, null);
    assert.equal(run.receipt, null);
    const lines = await linesOf(run);
    assert.match(lines[0]!, /^INFO Planned 3 rows in 1 part: rows stored/);
    const ofFirst = { batchExportId: built.id, runId: run.id, attempt: 1, limit: 9, offset: 0 };
    assert.equal((await world.engine.stores.logs.list(ofFirst)).results.at(-1)?.message, lines[0]!.slice(5));
    assert.equal(lines.at(-1), `ERROR Failed: ${run.latestError}`);
    assert.equal(await statusInTemporal(run), 'FAILED');
    assert.equal((await world.backfills.list(world.projectId, built.id, { limit: 1 }))[0]!.status, 'Failed');

    await rm(built.folder);
    assert.equal((await deliver(built)).status, 'Completed', 'a person asked again');
  });

  it('because its folder was replaced by a file before the commit: Failed', async () => {
    const built = await build();
    const run = await deliver(built, {
      step: 'before-commit',
      async act() {
        await rm(built.folder, { recursive: true });
        await writeFile(built.folder, 'not a folder');
      },
    });
    assert.equal(run.status, 'Failed');
    assert.match(run.latestError!, /^(A part of the directory|The directory or prefix cannot be used)/);
    await linesOf(run);
  });

  it('because what was staged vanished before the commit: FailedRetryable, delivered anew by the reconciler', async () => {
    const built = await build();
    const run = await deliver(built, {
      step: 'before-commit',
      act: async () => rm(built.folder, { recursive: true }),
    });
    assert.equal(run.status, 'FailedRetryable');
    assert.match(run.latestError!, /^The staged data of this run is no longer at the destination/);
    const [code, owner, field, nextTry] = faultIn(run);
    assert.deepEqual([code, owner, field], ['staged_lost', 'destination', null]);
    const pause = millisOf(nextTry!) - millisOf(run.finishedAt!);
    assert.ok(pause > 59_000 && pause < 61_000, `${pause} ms`);
    assert.equal(run.receipt, null);
    await linesOf(run);
    assert.equal(await statusInTemporal(run), 'FAILED');
    // As if it had ended a minute earlier: it is tried again after the pause of other failures.
    await world.engine.pool.query(
      `update batch_export_runs set finished_at = finished_at - interval '61 seconds' where id = $1`,
      [run.id],
    );
    await new MockActivityEnvironment().run(createActivities(world.engine).reconcileAll);
    const again = await eventually('another run', async () => {
      const newest = await world.engine.stores.runs.findNewestOfInterval(built.id, built.end);
      return newest?.status === 'Completed' && newest;
    });
    assert.equal(again.recordsCompleted, 3);
  });

  it('because what is read back is not what was delivered: FailedRetryable, tried again', async () => {
    const built = await build();
    const run = await deliver(built, {
      step: 'before-read-back',
      async act() {
        const [file] = await deliveredFiles(built.folder);
        await writeFile(file!, '{}\n');
      },
    });
    assert.equal(run.status, 'FailedRetryable');
    assert.match(run.latestError!, /^The content of the destination differs from what was delivered: /);
    assert.equal(run.receipt, null);
    assert.equal(await statusInTemporal(run), 'FAILED');
    const again = await deliver(built);
    assert.deepEqual([again.status, again.recordsCompleted], ['Completed', 3]);
  });

  it('because rows were deleted after it was planned: Failed, and nothing of it is visible', async () => {
    const built = await build();
    const run = await deliver(built, {
      step: 'after-plan',
      act: async () => world.engine.pool.query('delete from events where uuid = $1', [built.uuids[0]]),
    });
    assert.equal(run.status, 'Failed');
    assert.match(run.latestError!, /^The interval shrank by 1 row since this run was planned/);
    assert.deepEqual(faultIn(run), ['interval_shrank', 'you', null, null]);
    assert.equal((await linesOf(run)).at(-1), `ERROR Failed: ${run.latestError}`);
    assert.deepEqual(await readdir(built.folder), []);
    const again = await deliver(built);
    assert.deepEqual([again.status, again.recordsCompleted], ['Completed', 2]);
  });

  for (const step of [
    'part-0-begin',
    'part-0-end',
    'before-committing',
    'before-commit',
    'manifest',
    'before-delivered',
  ]) {
    it(`because another run took over its interval at "${step}": Cancelled, and says by which`, async () => {
      const built = await build();
      let successor = '';
      await deliver(built, {
        step,
        async act({ runId, exportId }) {
          const first = await world.engine.stores.runs.getById(runId);
          const createdAt = new Date().toISOString();
          const second = await world.engine.stores.runs.open({ ...first, createdAt, workflowRunId: randomUUID() });
          successor = second.id;
          await world.engine.stores.ledger.takeEpoch({ exportId, start: first.start, end: first.end }, successor);
        },
      });
      const runs = await world.engine.stores.runs.list(world.projectId, built.id, { limit: 10 });
      const superseded = runs.find(({ id }) => id !== successor)!;
      assert.equal(superseded.status, 'Cancelled');
      assert.equal(superseded.latestError, `superseded by run ${successor}`);
      assert.equal(superseded.errorCode, 'superseded');
      assert.equal(await statusInTemporal(superseded), 'FAILED');
      assert.equal((await linesOf(superseded)).at(-1), `WARNING Cancelled: ${superseded.latestError}`);
    });
  }

  it('too often: its schedule is paused, and its subscribers get a notice', async () => {
    const receiver = await startWebhookReceiver();
    try {
      const directory = randomUUID();
      await mkdir(world.folder, { recursive: true });
      await writeFile(path.join(world.folder, directory), 'not a folder');
      const secret = `whsec_${Buffer.alloc(24, 'secret').toString('base64')}`;
      const { id } = await world.batchExports.create(
        world.projectId,
        buildExport({
          destination: { type: 'LocalFile', config: { directory } },
          interval: 'week',
          notifications: { webhook: { url: `${receiver.url}/hook`, secret } },
        }),
      );
      await world.store([buildEvent({ timestamp: microseconds('2015-05-18T00:00:00Z') })]);
      await world.store([buildEvent({ timestamp: microseconds('2015-05-25T00:00:00Z') })]);
      const range = { startAt: '2015-05-17T00:00:00Z', endAt: '2015-05-31T00:00:00Z' };
      const backfill = await world.backfills.request(world.projectId, id, range);
      const runs = await runsAfterBackfill(world, id, backfill.id);
      assert.deepEqual(
        runs.map(({ status }) => status),
        ['Failed', 'Failed'],
      );
      assert.match((await world.batchExports.get(world.projectId, id)).pausedReason!, /^2 of the last 4 runs failed\./);
      await eventually('the schedule to be paused', async () => {
        return (await world.engine.temporal.client.schedule.getHandle(id).describe()).state.paused;
      });
      const { workflow } = world.engine.temporal.client;
      const options = { workflowId: `reconcile-${randomUUID()}`, taskQueue: TASK_QUEUES.control, args: [] };
      await workflow.execute('reconcile', options);
      const noticeTypes = receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
      assert.deepEqual(new Set(noticeTypes), new Set(['sluice.batch_export.failed', 'sluice.batch_export.paused']));
      assert.equal(noticeTypes.length, 2);
    } finally {
      await receiver.stop();
    }
  });

  it('at first says why while it is tried again, and no longer once it has delivered', async () => {
    const built = await build();
    const seen: (string | null)[] = [];
    world.onStep = async ({ name, exportId, runId }) => {
      if (exportId !== built.id || name !== 'before-commit') return;
      const { status, latestError, errorCode, nextTryAt } = await world.engine.stores.runs.getById(runId);
      assert.equal(status, 'Running');
      seen.push(latestError);
      if (seen.length === 1) throw new DestinationUnavailable('The store is away for a moment.', { fault: AWAY });
      // The first pause of a commit is a second.
      assert.equal(errorCode, 'slow_down');
      const since = Date.now() - millisOf(nextTryAt!);
      assert.ok(since > -1_000 && since < 60_000, `${since} ms`);
    };
    const backfill = await world.backfills.request(world.projectId, built.id, {
      startAt: built.start,
      endAt: built.end,
    });
    const run = (await runsAfterBackfill(world, built.id, backfill.id)).at(-1)!;
    assert.deepEqual(seen, [null, 'The store is away for a moment.']);
    assert.deepEqual([run.status, run.latestError, ...faultIn(run)], ['Completed', null, null, null, null, null]);
    const { results } = await world.engine.stores.logs.list({ batchExportId: built.id, limit: 10, offset: 0 });
    assert.ok(results.some(({ message }) => message === 'The store is away for a moment. Sluice will retry.'));
  });

  it('because its worker stops is delivered by another worker', async () => {
    const built = await build();
    const run = await deliver(built, {
      step: 'part-0-begin',
      async act() {
        await world.startWorker();
        worker.shutdown();
        await sleep(GRACE_MS);
      },
    });
    await worker.stopped;
    assert.deepEqual([run.status, run.recordsCompleted, run.epoch], ['Completed', 3, 1]);
  });
});
