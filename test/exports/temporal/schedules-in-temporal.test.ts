/** Changes that people make to schedules with Temporal's own CLI: pauses are adopted, changes are undone, runs are started. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import { isoMicros, isoSeconds } from '../../../src/exports/domain/instants.ts';
import { isPausedAt } from '../../../src/exports/domain/pauses.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import { temporalProgram } from '../../../src/platform/temporal/dev-server-program.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const WATCHED = { emails: ['data@example.com'] };

/** Temporal may take longer than a call waits on a busy machine: it is asked again, as the next round does. */
const TRIES = 3;

describe('a schedule in the hands of Temporal’s CLI', () => {
  let world: ExportWorld;
  before(async () => {
    await thisHour();
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  async function verify(id: string): Promise<boolean> {
    for (let left = TRIES; ; left -= 1) {
      try {
        return await world.engine.scheduleSync.verify(id);
      } catch (error) {
        if (!(error instanceof Unavailable) || left === 1) throw error;
      }
    }
  }

  async function temporal(...args: string[]): Promise<string> {
    const { address, namespace } = world.options.temporal;
    const program = await temporalProgram();
    const { stdout } = await promisify(execFile)(program, [...args, '--address', address, '--namespace', namespace]);
    return stdout;
  }
  const toggle = async (id: string, verb: 'pause' | 'unpause', reason: string) =>
    temporal('schedule', 'toggle', '--schedule-id', id, `--${verb}`, '--reason', reason);
  const describe_ = async (id: string) => world.engine.temporal.client.schedule.getHandle(id).describe();
  const reconcile = async () => new MockActivityEnvironment().run(createActivities(world.engine).reconcileAll);
  const rowOf = async (id: string) => world.batchExports.get(world.projectId, id);

  async function create(interval = 'hour'): Promise<string> {
    const { id } = await world.batchExports.create(world.projectId, buildExport({ interval }));
    // As an export whose watchers are told of everything; an address of mail needs a mail server when it is saved.
    await world.engine.pool.query('update batch_exports set notifications = $2 where id = $1', [
      id,
      JSON.stringify({ webhook: null, on: ['paused', 'schedule_changed'], ...WATCHED }),
    ]);
    return id;
  }

  async function linesOf(id: string): Promise<string[]> {
    const { results } = await world.engine.stores.logs.list({ batchExportId: id, limit: 50, offset: 0 });
    return results.map(({ level, message }) => `${level} ${message}`);
  }

  async function noticesOf(id: string): Promise<string[]> {
    const { rows } = await world.engine.pool.query<{ kind: string; summary: string }>(
      `select kind, content ->> 'summary' as summary from notifications where batch_export_id = $1 order by created_at`,
      [id],
    );
    return rows.map(({ kind, summary }) => `${kind}: ${summary}`);
  }

  async function entriesOf(id: string): Promise<unknown[]> {
    const { rows } = await world.engine.pool.query<{ changes: { field: string; after: unknown }[] }>(
      `select detail -> 'changes' as changes from activity_log where item_id = $1 and activity = 'updated' order by created_at`,
      [id],
    );
    return rows.map(({ changes }) => changes.find(({ field }) => field === 'paused')?.after);
  }

  it('is paused in its row as well within a round, with the note; and unpaused again', async () => {
    const id = await create();
    await toggle(id, 'pause', 'Ada: the warehouse moves');
    await eventually('the pause to be adopted', async () => {
      await reconcile();
      return (await rowOf(id)).paused;
    });
    const paused = await rowOf(id);
    assert.equal(paused.pausedReason, 'Paused in Temporal: Ada: the warehouse moves');
    assert.ok(paused.lastPausedAt);
    assert.deepEqual([paused.pause?.by, paused.pause?.reason], ['temporal', paused.pausedReason]);
    assert.equal((await describe_(id)).state.paused, true);
    assert.deepEqual(await linesOf(id), ['WARNING Paused in Temporal: Ada: the warehouse moves']);
    assert.deepEqual(await noticesOf(id), ['paused: Paused in Temporal: Ada: the warehouse moves']);
    assert.deepEqual(await entriesOf(id), [true]);

    await toggle(id, 'unpause', 'Ada: it has moved');
    await eventually('the unpause to be adopted', async () => {
      await reconcile();
      return !(await rowOf(id)).paused;
    });
    assert.equal((await rowOf(id)).pausedReason, null);
    assert.equal((await describe_(id)).state.paused, false);
    assert.equal((await linesOf(id))[0], 'WARNING Unpaused in Temporal: Ada: it has moved');
    assert.equal((await noticesOf(id)).at(-1), 'schedule_changed: Unpaused in Temporal: Ada: it has moved');
    assert.deepEqual(await entriesOf(id), [true, false]);
  });

  it('is seen to be paused before its gaps are filled, whether or not its turn has come', async () => {
    const id = await create('every 5 minutes');
    await world.engine.pool.query(
      `update batch_exports set created_at = now() - interval '30 minutes', schedule_verified_at = now() where id = $1`,
      [id],
    );
    await toggle(id, 'pause', 'by hand');
    // Temporal's list may be behind: the look before the gaps must do without it.
    const { fillGaps } = await import('../../../activities/rounds/fill-gaps.ts');
    const filledCount = await fillGaps(world.engine, new AbortController().signal);
    assert.equal(filledCount, 0);
    assert.equal((await rowOf(id)).paused, true);
  });

  it('counts as paused from the pause on, not from when it was seen', async () => {
    const id = await create();
    const set = (await describe_(id)).info;
    await toggle(id, 'pause', 'by hand');
    await new Promise((later) => setTimeout(later, 1_500));
    const before = Date.now();
    assert.equal(await verify(id), true);
    const pauses = await world.engine.stores.gaps.listPauses(id);
    assert.equal(pauses.length, 1);
    assert.ok(isPausedAt(pauses, before - 200), JSON.stringify(pauses));
    assert.ok(!isPausedAt(pauses, (set.lastUpdatedAt ?? set.createdAt).getTime()));
  });

  it('that is behind its row is set again instead', async () => {
    const id = await create();
    await toggle(id, 'pause', 'by hand');
    await world.engine.pool.query('update batch_exports set version = version + 1 where id = $1', [id]);
    assert.equal(await verify(id), false);
    assert.equal((await rowOf(id)).paused, false);
    assert.equal((await describe_(id)).state.paused, false);
    assert.deepEqual(await noticesOf(id), []);
  });

  it('of an older version of the row is not adopted, even where the row says that it was set', async () => {
    const id = await create();
    await toggle(id, 'pause', 'by hand');
    await world.engine.pool.query(
      'update batch_exports set version = version + 1, schedule_version = version + 1 where id = $1',
      [id],
    );
    assert.equal(await verify(id), false);
    assert.equal((await rowOf(id)).paused, false);
    assert.equal((await describe_(id)).state.paused, false);
  });

  it('deleted is restored, with a notice', async () => {
    const id = await create();
    const { spec } = await describe_(id);
    await temporal('schedule', 'delete', '--schedule-id', id);
    assert.equal(await verify(id), false);
    assert.deepEqual((await describe_(id)).spec, spec);
    const warning = 'The schedule was deleted in Temporal, and is restored. Change the batch export instead.';
    assert.deepEqual(await noticesOf(id), [`schedule_changed: ${warning}`]);
    assert.deepEqual(await linesOf(id), [`WARNING ${warning}`]);
  });

  it('changed is restored, with a notice; a pause beside the change stays', async () => {
    const id = await create();
    const { spec } = await describe_(id);
    const handle = world.engine.temporal.client.schedule.getHandle(id);
    const change = () => handle.update((is) => ({ ...is, spec: { intervals: [{ every: '3 hours' }] } }) as never);
    // Temporal’s own deadline is short on a busy machine.
    await eventually('the schedule to be changed', () =>
      change().then(
        () => true,
        () => undefined,
      ),
    );
    await toggle(id, 'pause', 'by hand');
    assert.equal(await verify(id), true);
    const restored = await describe_(id);
    assert.deepEqual([restored.spec, restored.state.paused], [spec, true]);
    assert.deepEqual(
      (await noticesOf(id)).map((line) => line.split(':')[0]),
      ['paused', 'schedule_changed'],
    );
  });

  it('triggered starts an execution that Temporal shows, and no run beside the data intervals', async () => {
    const id = await create();
    await temporal('schedule', 'trigger', '--schedule-id', id);
    const { workflow } = world.engine.temporal.client;
    const ended = await eventually('the execution to end', async () => {
      for await (const { status } of workflow.list({ query: `TemporalScheduledById = '${id}'` })) {
        if (status.name !== 'RUNNING') return status.name;
      }
      return undefined;
    });
    assert.equal(ended, 'FAILED');
    assert.deepEqual(await world.engine.stores.runs.list(world.projectId, id, { limit: 10 }), []);
  });

  it('starts the runs of a backfill', async () => {
    const id = await create();
    const end = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
    await world.engine.pool.query(`update batch_exports set created_at = now() - interval '2 days' where id = $1`, [
      id,
    ]);
    await temporal(
      'schedule',
      'backfill',
      '--schedule-id',
      id,
      '--overlap-policy',
      'AllowAll',
      '--start-time',
      isoSeconds(end - HOUR),
      '--end-time',
      isoSeconds(end),
    );
    for (const at of [end - HOUR, end]) {
      await eventually('a run of the backfill', async () => {
        return (await world.engine.stores.runs.findNewestOfInterval(id, isoMicros(at)))?.status === 'Completed';
      });
    }
    // A run that is reset delivers its interval again, under the next epoch.
    const first = (await world.engine.stores.runs.findNewestOfInterval(id, isoMicros(end)))!;
    await temporal(
      'workflow',
      'reset',
      '--workflow-id',
      first.workflowId,
      '--type',
      'FirstWorkflowTask',
      '--reason',
      'by hand',
    );
    const again = await eventually('the run of the reset', async () => {
      const newest = await world.engine.stores.runs.findNewestOfInterval(id, isoMicros(end));
      return newest?.id !== first.id && newest?.status === 'Completed' && newest;
    });
    assert.equal(again.epoch, first.epoch! + 1);
  });
});
