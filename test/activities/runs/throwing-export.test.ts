/** A row that no step of the reconciler can read, and a step that fails as a whole: everything else is looked after all the same. */
import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import type { Repairs } from '../../../activities/rounds/reconcile.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { buildExport, buildExportWorld, eventually, type ExportWorld } from '../../support/exports/export-world.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);

describe('the reconciler beside an export that it cannot read', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  const sql = async (text: string, values: unknown[] = []) => world.engine.pool.query(text, values);

  const reconcile = async (): Promise<Repairs> =>
    (await new MockActivityEnvironment().run(createActivities(world.engine).reconcileAll)) as Repairs;

  /** An hourly export that missed an hour; its freshness is watched. */
  async function buildBehind(): Promise<string> {
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ paused: true, endAt: at(-1), freshnessTargetSeconds: 60 }),
    );
    await sql('update batch_exports set created_at = $2 where id = $1', [id, at(-1.5)]);
    return id;
  }

  async function buildUnreadable(): Promise<string> {
    const id = await buildBehind();
    await sql(`update batch_exports set "interval" = 'nonsense' where id = $1`, [id]);
    await sql(`update batch_export_specs set "interval" = 'nonsense' where batch_export_id = $1`, [id]);
    await sql('update batch_exports set version = version + 1 where id = $1', [id]);
    return id;
  }

  const isDelivered = async (exportId: string) =>
    (await world.engine.stores.runs.findNewestOfInterval(exportId, at(-1)))?.status === 'Completed';
  const behindSince = async (exportId: string) =>
    (await sql('select behind_since from batch_export_health where batch_export_id = $1', [exportId])).rows[0];

  it('fills the gaps of the others and watches their freshness', async () => {
    await Promise.all([buildUnreadable(), buildUnreadable()]);
    const readable = await buildBehind();
    await sql('update batch_exports set paused = false, version = version + 1 where id = $1', [readable]);
    const { stepsFailed } = await reconcile();
    assert.deepEqual(stepsFailed, []);
    // A run that a busy machine let fail is asked for again by later rounds.
    await eventually(
      'the gap to be filled',
      async () => (await isDelivered(readable)) || void (await reconcile()),
      150,
    );
    assert.ok(await behindSince(readable));
  });

  it('looks after exports when partitions cannot be made', async () => {
    const readable = await buildBehind();
    await sql('alter function make_event_partitions rename to hidden');
    const { stepsFailed } = await reconcile();
    await sql('alter function hidden rename to make_event_partitions');
    assert.deepEqual(stepsFailed, ['partitions']);
    await eventually('the gap to be filled', () => isDelivered(readable));
  });

  it('ends its round, and starts nothing, when it cannot find out whether deliveries are blocked', async () => {
    await sql('alter table timeline rename to hidden');
    const { deliveriesBlocked, stepsFailed } = await reconcile();
    await sql('alter table hidden rename to timeline');
    assert.equal(deliveriesBlocked, true);
    assert.deepEqual(stepsFailed, ['timeline', 'block']);
  });
});
