/** Plans of backfills with real runs: what was shown is what runs, and a plan that is no longer true is refused with the one that is. */
import assert from 'node:assert/strict';
import { DestinationRejected } from '../../../src/platform/errors.ts';
import type { PreviewBody } from '../../../src/exports/backfills/backfills.schema.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { runsAfterBackfill, buildExport } from '../../support/exports/export-world.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

const hourOf = (hour: number) => `2015-05-17T${String(hour).padStart(2, '0')}:00:00.000000Z`;
const EIGHT = { start_at: hourOf(0), end_at: hourOf(8) };
const WANTED = { ...EIGHT, only: ['missing', 'failed'] };
const NONE = { missing: 0, failed: 0, stale: 0, delivered: 0, running: 0 };

type Refusal = { type: string; code: string; detail: string; attr: string | null; plan: PreviewBody };

/** Where the intervals begin that a preview names as missing or failed. */
const shown = ({ intervals }: PreviewBody) =>
  [...intervals.missing.first, ...intervals.failed.first].map((one) => one.data_interval_start).sort();

describe('the plan of a backfill', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
    await exports.world.startWorker();
  });
  after(() => exports.close());

  const send = (id: string, body: object) => exports.request('POST', `/batch_exports/${id}/backfills/`, body);
  async function previewOf(id: string, body: object = WANTED): Promise<PreviewBody> {
    const { status, body: preview } = await send(id, { ...body, dry_run: true });
    assert.equal(status, 200, JSON.stringify(preview));
    return preview as PreviewBody;
  }
  /** Runs some hours, and waits for their end. */
  async function run(id: string, from: number, to: number): Promise<void> {
    const { body } = await send(id, { start_at: hourOf(from), end_at: hourOf(to) });
    await runsAfterBackfill(exports.world, id, (body as { backfill_id: string }).backfill_id);
  }
  const startsOf = async (id: string, since: string) =>
    (
      (await exports
        .db('batch_export_runs')
        .where({ batch_export_id: id })
        .where('created_at', '>', since)
        .orderBy('data_interval_start')) as { data_interval_start: string }[]
    ).map((one) => one.data_interval_start);

  /** Paused, so that nothing starts by itself. Hours 0 and 1 are delivered, 2 has failed; each hour holds an event more than the last. */
  async function build(overrides: Parameters<typeof buildExport>[0] = {}): Promise<string> {
    const { world } = exports;
    const { id } = await world.batchExports.create(world.projectId, buildExport({ paused: true, ...overrides }));
    world.onStep = async ({ exportId, name, end }) => {
      if (exportId === id && name === 'before-committing' && end === hourOf(3))
        throw new DestinationRejected('It is full.');
    };
    await run(id, 0, 3);
    world.onStep = async () => {};
    return id;
  }
  before(async () => {
    const events = Array.from({ length: 8 }, (_, hour) =>
      Array.from({ length: hour + 1 }, () =>
        buildEvent({ timestamp: microseconds(hourOf(hour).replace(':00:00.', ':30:00.')) }),
      ),
    );
    await exports.world.store(events.flat());
  });

  it('is what runs', async () => {
    const id = await build();
    const preview = await previewOf(id);
    assert.deepEqual([preview.total_runs, preview.skipped], [6, { ...NONE, delivered: 2 }]);
    const now = await exports.world.engine.stores.batchExports.now();
    const { status, body } = await send(id, { ...WANTED, plan: preview.plan });
    assert.equal(status, 201);
    await runsAfterBackfill(exports.world, id, (body as { backfill_id: string }).backfill_id);
    assert.deepEqual(await startsOf(id, now), shown(preview));
    assert.deepEqual((await previewOf(id)).skipped, { ...NONE, delivered: 8 });
  });

  it('is refused when an interval has finished meanwhile, with the plan that is true now', async () => {
    const id = await build();
    const first = await previewOf(id);
    await run(id, 4, 6);
    const requests = () => exports.world.engine.stores.runRequests.countOpen(id);
    for (const path of [`/batch_exports/${id}/backfills/`, `/batch_exports/${id}/backfill/`]) {
      const { status, body } = await exports.request('POST', path, { ...WANTED, plan: first.plan });
      const { plan, ...envelope } = body as Refusal;
      assert.equal(status, 409);
      assert.deepEqual({ ...envelope, detail: '' }, { type: 'server_error', code: 'conflict', detail: '', attr: null });
      assert.match(envelope.detail, /^The data intervals have changed since the preview, and nothing was requested\./);
      assert.equal(await requests(), 0);
      // The backfill that ended just now may count for the later of the two estimates alone.
      const { estimate } = plan;
      assert.deepEqual(plan, { ...(await previewOf(id)), estimate }, 'as a preview of now');
      assert.deepEqual([plan.total_runs, plan.skipped.delivered], [4, 4]);
    }
    const { body } = await send(id, { ...WANTED, plan: first.plan });
    const { plan: second } = body as Refusal;
    const now = await exports.world.engine.stores.batchExports.now();
    const accepted = await send(id, { ...WANTED, plan: second.plan });
    assert.equal(accepted.status, 201);
    await runsAfterBackfill(exports.world, id, (accepted.body as { backfill_id: string }).backfill_id);
    assert.deepEqual(await startsOf(id, now), shown(second));
  });

  it('leaves out foreign deliveries until an operator decides, as a retry of all failures does, and names them', async () => {
    const id = await build();
    await exports.db('foreign_deliveries').insert({
      batch_export_id: id,
      data_interval_start: hourOf(2),
      data_interval_end: hourOf(3),
      run_id: '',
      epoch: 1,
      receipt: JSON.stringify({ rows: 3, bytes: 9, location: 'theirs' }),
    });
    const { total_runs, skipped, awaiting_decision: waiting, ...preview } = await previewOf(id);
    assert.deepEqual([total_runs, skipped, waiting.count], [5, { ...NONE, delivered: 2 }, 1]);
    assert.deepEqual([waiting.first[0]?.data_interval_start, preview.intervals.failed.count], [hourOf(2), 0]);
    const all = await previewOf(id, EIGHT);
    assert.deepEqual([all.total_runs, all.awaiting_decision.count, all.intervals.failed.count], [8, 1, 1]);
    const now = await exports.world.engine.stores.batchExports.now();
    const { body } = await send(id, { ...WANTED, plan: preview.plan });
    await runsAfterBackfill(exports.world, id, (body as { backfill_id: string }).backfill_id);
    assert.deepEqual(await startsOf(id, now), [3, 4, 5, 6, 7].map(hourOf));
  });

  it('counts the files that it would replace', async () => {
    const id = await build();
    const all = await previewOf(id, EIGHT);
    assert.deepEqual(all.overwrites, { intervals: 2, records: 3, files: 2 });
    assert.deepEqual((await previewOf(id)).overwrites, { intervals: 0, records: 0, files: 0 });
  });

  it('says how long it takes by what runs of the export took, and nothing where none has completed', async () => {
    const { world } = exports;
    const fresh = await world.batchExports.create(world.projectId, buildExport({ paused: true }));
    assert.deepEqual((await previewOf(fresh.id)).estimate, { rows: 36, seconds: null, basis: null });
    const id = await build();
    const { estimate } = await previewOf(id, EIGHT);
    const [oldest] = await exports.db('batch_export_runs').where({ batch_export_id: id, status: 'Completed' }).orderBy('created_at').select('created_at'); // prettier-ignore
    assert.deepEqual(
      [estimate.rows, estimate.basis],
      [36, { runs: 2, backfills: 0, since: (oldest as { created_at: string }).created_at }],
    );
    assert.ok(estimate.seconds!.low <= estimate.seconds!.high && estimate.seconds!.high >= 1, JSON.stringify(estimate));
  });

  it('takes rows from past runs where filters choose among them', async () => {
    const filter = { key: 'nothing', operator: 'is_set', type: 'event' };
    const id = await build({ content: { filters: [filter] } });
    const { rows, estimate } = await previewOf(id, EIGHT);
    assert.deepEqual([rows?.count, estimate.rows], [36, 0]);
  });
});
