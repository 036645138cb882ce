/** Pauses that were to end by themselves: the reconciler ends them as if somebody had unpaused the export just then. */
import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import { fillGaps } from '../../../activities/rounds/fill-gaps.ts';
import type { Repairs } from '../../../activities/rounds/reconcile.ts';
import { resumeExports } from '../../../activities/rounds/resume-exports.ts';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import { buildExport, buildExportWorld, type ExportWorld } from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);

describe('an export that is paused until an instant', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
  });
  after(async () => world.close());

  const { signal } = new AbortController();
  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    (await world.engine.pool.query<Row>(text, values)).rows;
  const reconcile = async () => new MockActivityEnvironment().run(createActivities(world.engine).reconcileAll);
  const resumeAll = async () => resumeExports(world.engine, signal);
  const rowOf = async (id: string) => world.batchExports.get(world.projectId, id);
  const isScheduled = async (id: string) => {
    const { state } = await world.engine.temporal.client.schedule.getHandle(id).describe();
    return !state.paused;
  };

  /** Paused for an hour; then the time to resume is as given, in hours from the beginning of this one. */
  async function createPausedExport(until: number, overrides: Parameters<typeof buildExport>[0] = {}): Promise<string> {
    const { id } = await world.batchExports.create(world.projectId, buildExport(overrides));
    const resumeAt = new Date(Date.now() + HOUR).toISOString();
    await world.batchExports.pause(world.projectId, id, undefined, { reason: 'The bucket moves', resumeAt });
    await sql('update batch_export_pauses set paused_at = $2, resume_at = $3 where batch_export_id = $1', [
      id,
      at(-5),
      at(until),
    ]);
    return id;
  }
  const entriesOf = async (id: string) =>
    sql<{ user_id: number | null; key_id: string | null; changes: { field: string; after: unknown }[] }>(
      `select user_id, key_id, detail -> 'changes' as changes from activity_log where item_id = $1 order by created_at desc`,
      [id],
    );
  const gapsOf = async (id: string) => {
    const rows = await sql<{ end: string }>(
      `select data_interval_end as "end" from batch_export_requests where batch_export_id = $1 order by 1`,
      [id],
    );
    return rows.map(({ end }) => (millisOf(end) - THIS_HOUR) / HOUR);
  };

  it('is unpaused by the round after it, and so is its schedule', async () => {
    const id = await createPausedExport(-0.5);
    assert.equal(await isScheduled(id), false);
    const { exportsResumed, stepsFailed } = (await reconcile()) as Repairs;
    assert.deepEqual([exportsResumed, stepsFailed], [1, []]);
    const { paused: isPaused, pause } = await rowOf(id);
    assert.deepEqual([isPaused, pause], [false, null]);
    assert.equal(await isScheduled(id), true);
  });

  it('is unpaused by Sluice, says the activity log, and its own log says why', async () => {
    const id = await createPausedExport(-0.5);
    await resumeAll();
    const [entry] = await entriesOf(id);
    assert.deepEqual([entry!.user_id, entry!.key_id], [null, null]);
    assert.equal(entry!.changes.find(({ field }) => field === 'paused')?.after, false);
    const { results } = await world.engine.stores.logs.list({ batchExportId: id, limit: 1, offset: 0 });
    assert.deepEqual(
      [results[0]!.level, results[0]!.message],
      ['INFO', `Unpaused: the pause was to end at ${at(-0.5)}.`],
    );
  });

  it('is unpaused once, however many rounds and processes see to it', async () => {
    const id = await createPausedExport(-0.5);
    const before = (await entriesOf(id)).length;
    const resumed = await Promise.all([resumeAll(), resumeAll(), resumeAll()]);
    assert.equal(
      resumed.reduce((sum, count) => sum + count),
      1,
    );
    assert.equal(await resumeAll(), 0);
    assert.equal((await entriesOf(id)).length, before + 1);
  });

  it('stays paused before it, without one, and after its end was moved or taken away', async () => {
    const ids = [await createPausedExport(2), await createPausedExport(-0.5), await createPausedExport(-0.5)];
    const [, later, never] = ids;
    const resumeAt = new Date(Date.now() + HOUR).toISOString();
    await world.batchExports.pause(world.projectId, later!, undefined, { resumeAt });
    await world.batchExports.pause(world.projectId, never!, undefined, { resumeAt: null });
    assert.equal(await resumeAll(), 0);
    for (const id of ids) assert.equal((await rowOf(id)).paused, true);
  });

  it('is left alone when it was deleted meanwhile', async () => {
    const id = await createPausedExport(-0.5);
    await world.batchExports.delete(world.projectId, id);
    assert.equal(await resumeAll(), 0);
  });

  it('is unpaused while Temporal is away; the schedule, which is paused still, follows and is not adopted', async () => {
    const id = await createPausedExport(-0.5);
    await resumeAll();
    assert.equal(await isScheduled(id), false);
    assert.equal(await world.engine.scheduleSync.verify(id), false);
    assert.equal((await rowOf(id)).paused, false);
    assert.equal(await isScheduled(id), true);
  });

  describe('however late that is seen to', () => {
    const ends: { what: string; end(id: string): Promise<unknown> }[] = [
      { what: 'by a round', end: resumeAll },
      { what: 'by hand', end: (id) => world.batchExports.unpause(world.projectId, id) },
      { what: 'by a change', end: (id) => world.batchExports.patch(world.projectId, id, { paused: false }) },
    ];
    for (const { what, end } of ends) {
      it(`is delivered from the interval on that ended then, when it is unpaused ${what}`, async () => {
        const id = await createPausedExport(-3, { endAt: at(-1) });
        await sql('update batch_exports set created_at = $2 where id = $1', [id, at(-6)]);
        // The search passes over a pause that goes on as over what is settled.
        await fillGaps(world.engine, signal);
        assert.deepEqual(await gapsOf(id), []);
        await end(id);
        await fillGaps(world.engine, signal);
        assert.deepEqual(await gapsOf(id), [-3, -2, -1]);
      });
    }
  });
});
