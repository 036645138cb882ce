/** Intervals that need attention: listed, counted, timed, told, and delivered again where that is wanted. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { closeRun } from '../../../activities/runs/close-run.ts';
import { createActivities } from '../../../activities/index.ts';
import type { Repairs } from '../../../activities/rounds/reconcile.ts';
import { StagedLost } from '../../../src/platform/errors.ts';
import { exportFigures } from '../../../src/exports/monitoring/figures.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildExport, eventually } from '../../support/exports/export-world.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NONE = { stale: 0, unsettled: 0, gave_up: 0 };

type Shown = {
  id: string;
  complete_until: string | null;
  lag_seconds: number;
  redeliver_stale: boolean;
  interval_troubles: typeof NONE;
};
type Listed = { data_interval_end: string; status: string; unsettled: boolean; gave_up: boolean };

describe('data intervals in trouble', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
    await exports.world.startWorker();
  });
  after(() => exports.close());

  const sql = async <Row extends object>(text: string, values: unknown[]) =>
    (await exports.world.engine.pool.query<Row>(text, values)).rows;
  const get = async (id: string) => (await exports.request('GET', `/batch_exports/${id}/`)).body as Shown;
  const list = async (id: string) =>
    ((await exports.request('GET', `/batch_exports/${id}/intervals/`)).body as { results: Listed[] }).results;
  const reconcile = async () =>
    (await new MockActivityEnvironment().run(createActivities(exports.world.engine).reconcileAll)) as Repairs;
  const noticeKinds = async (id: string) =>
    (
      await sql<{ kind: string }>(
        `select kind from notifications where batch_export_id = $1 and channel = 'webhook' order by created_at`,
        [id],
      )
    ).map(({ kind }) => kind);

  /** A running export as if it had been made three and a half hours ago; its last interval ended an hour ago. */
  async function build(overrides: Parameters<typeof buildExport>[0] = {}): Promise<string> {
    const { world } = exports;
    const notifications = { webhook: { url: 'http://127.0.0.1:18080/', secret: SECRET } };
    const wanted = buildExport({ paused: false, endAt: at(-1), notifications, ...overrides });
    const { id } = await world.batchExports.create(world.projectId, wanted);
    await sql('update batch_exports set created_at = $2 where id = $1', [id, at(-3.5)]);
    return id;
  }
  /** All three of its intervals, by the reconciler. */
  async function deliverAll(id: string): Promise<void> {
    await reconcile();
    await eventually('the deliveries', async () => (await get(id)).complete_until === at(-1));
  }
  const importInto = (hours: number) =>
    exports.world.store([buildEvent({ timestamp: microseconds(new Date(THIS_HOUR + hours * HOUR).toISOString()) })]);

  /** As if the delivery, and the import after it, had been so many minutes earlier. */
  async function pass(id: string, minutes: number): Promise<void> {
    await sql(
      `update batch_export_troubles set since = since - $2 * interval '1 minute', last_at = last_at - $2 * interval '1 minute'
       where batch_export_id = $1`,
      [id, minutes],
    );
    // Delivered events stay older than the delivery: rows that it no longer counts would look like lost ones.
    await sql(
      `update events set inserted_at = inserted_at - $2 * interval '1 minute'
       where inserted_at < (select min((receipt ->> 'cutoff')::timestamptz) from batch_export_intervals where batch_export_id = $1)`,
      [id, minutes],
    );
    await sql(
      `update batch_export_intervals set receipt = jsonb_set(receipt, '{cutoff}',
         to_jsonb((receipt ->> 'cutoff')::timestamptz - $2 * interval '1 minute'))
       where batch_export_id = $1 and receipt is not null`,
      [id, minutes],
    );
    await sql('update batch_export_health set imports_seen_until = clock_timestamp() where batch_export_id = $1', [id]);
  }

  it('are stale when events are imported into them', async () => {
    const id = await build();
    await deliverAll(id);
    await importInto(-2.5);
    const since = Date.now();
    await reconcile();
    await reconcile();
    const shown = await get(id);
    assert.deepEqual(shown.interval_troubles, { ...NONE, stale: 1 });
    assert.equal(shown.complete_until, at(-3), 'the end of the interval before it');
    assert.ok(shown.lag_seconds <= (Date.now() - since) / 1000 + 60, `${shown.lag_seconds} s: since the import`);
    assert.deepEqual(await noticeKinds(id), ['stale'], 'once');
    const stale = (await list(id)).filter(({ status }) => status === 'stale');
    assert.deepEqual(
      stale.map(({ data_interval_end: end }) => end),
      [at(-2)],
    );

    await sql(`update batch_export_troubles set since = since - interval '2 hours' where batch_export_id = $1`, [id]);
    assert.ok(Math.abs((await get(id)).lag_seconds - 7_200) < 120, 'lag is measured from when it became stale');
    const { exports: figures } = await exportFigures(exports.world.engine.stores);
    assert.deepEqual(figures.find((one) => one.id === id)?.troubles, { ...NONE, stale: 1 });

    await reconcile();
    assert.equal((await get(id)).interval_troubles.stale, 1, 'nothing delivers it again by itself');
    const { projectId, backfills } = exports.world;
    await backfills.request(projectId, id, { startAt: at(-3), endAt: at(-2) });
    await eventually('the re-delivery', async () => (await get(id)).interval_troubles.stale === 0);
    assert.equal((await get(id)).complete_until, at(-1));
  });

  it('are stale when the import came between a run’s cutoff and its end', async () => {
    const id = await build();
    let imported = false;
    exports.world.onStep = async ({ exportId, name, end }) => {
      if (imported || exportId !== id || name !== 'before-committing' || end !== at(-2)) return;
      imported = true;
      await importInto(-2.5);
      await reconcile();
    };
    await deliverAll(id);
    exports.world.onStep = async () => {};
    await reconcile();
    assert.equal((await get(id)).interval_troubles.stale, 1);
  });

  it('are stale when the import came before a commit was found whose end was lost', async () => {
    const id = await build();
    await deliverAll(id);
    await sql(
      `update batch_export_runs set status = 'TimedOut', receipt = null, finished_at = finished_at - interval '1 hour'
       where batch_export_id = $1 and data_interval_end = $2`,
      [id, at(-2)],
    );
    await sql(
      `update batch_export_intervals set state = 'committing', receipt = null where batch_export_id = $1 and data_interval_end = $2`,
      [id, at(-2)],
    );
    await importInto(-2.5);
    await sql('update batch_export_health set imports_seen_until = clock_timestamp() where batch_export_id = $1', [id]);
    assert.equal((await reconcile()).intervalsFoundDelivered, 1);
    await reconcile();
    assert.equal((await get(id)).interval_troubles.stale, 1);
  });

  it('are delivered again once imports are quiet, if the export wants it', async () => {
    const id = await build({ redeliverStale: true });
    assert.equal((await get(id)).redeliver_stale, true);
    await deliverAll(id);
    await importInto(-2.5);
    await reconcile();
    const requests = async () =>
      sql(`select from batch_export_requests where batch_export_id = $1 and kind = 'stale'`, [id]);
    assert.equal((await requests()).length, 0, 'the import may go on');
    await pass(id, 9);
    await reconcile();
    assert.equal((await requests()).length, 0, 'nine minutes are not quiet enough');
    await pass(id, 2);
    await reconcile();
    assert.equal((await requests()).length, 1);
    await eventually('the re-delivery', async () => (await get(id)).interval_troubles.stale === 0);
    const run = await exports.world.engine.stores.runs.findNewestOfInterval(id, at(-2));
    assert.deepEqual([run?.kind, run?.status], ['stale', 'Completed']);
  });

  it('are requested again when their re-delivery failed, later each time, until they are given up', async () => {
    const id = await build({ redeliverStale: true });
    await deliverAll(id);
    // Intervals before the export was made are looked after by nothing else.
    await sql('update batch_exports set created_at = clock_timestamp() where id = $1', [id]);
    await importInto(-2.5);
    await reconcile();
    await pass(id, 11);
    let fails = 2;
    exports.world.onStep = async ({ exportId, name }) => {
      if (exportId === id && name === 'before-committing' && fails-- > 0) throw new StagedLost('It was lost.');
    };
    const failed = async (times: number) =>
      eventually('the run to fail', async () => {
        const runs = await sql(
          `select from batch_export_runs where batch_export_id = $1 and kind = 'stale' and status = 'FailedRetryable'`,
          [id],
        );
        return runs.length === times;
      });
    assert.equal((await reconcile()).staleIntervalsRequested, 1);
    await failed(1);
    assert.equal((await reconcile()).staleIntervalsRequested, 0, 'not at once');
    const later = async (minutes: number) =>
      sql(
        `update batch_export_troubles set retry_at = retry_at - $2 * interval '1 minute' where batch_export_id = $1`,
        [id, minutes],
      );
    await later(1);
    assert.equal((await reconcile()).staleIntervalsRequested, 1);
    await failed(2);
    await later(1);
    assert.equal((await reconcile()).staleIntervalsRequested, 0, 'two minutes');
    await later(1);
    const interval = { exportId: id, start: at(-3), end: at(-2) };
    const { troubles } = exports.world.engine.stores;
    await troubles.begin(interval, 'gave_up');
    assert.equal((await reconcile()).staleIntervalsRequested, 0);
    await troubles.end(interval, 'gave_up');
    assert.equal((await reconcile()).staleIntervalsRequested, 1);
    await eventually('the re-delivery', async () => (await get(id)).interval_troubles.stale === 0);
    exports.world.onStep = async () => {};
  });

  it('are delivered again after an hour, however long the import takes', async () => {
    const id = await build({ redeliverStale: true });
    await deliverAll(id);
    await importInto(-2.5);
    await reconcile();
    await sql(`update batch_export_troubles set since = since - interval '59 minutes' where batch_export_id = $1`, [
      id,
    ]);
    assert.equal((await reconcile()).staleIntervalsRequested, 0);
    await sql(`update batch_export_troubles set since = since - interval '1 minute' where batch_export_id = $1`, [id]);
    assert.equal((await reconcile()).staleIntervalsRequested, 1);
    await eventually('the re-delivery', async () => (await get(id)).interval_troubles.stale === 0);
  });

  it('are given up after a day of retries, with one notice', async () => {
    const id = await build({ startAt: at(-2.5), endAt: at(-2) });
    const { stores } = exports.world.engine;
    const fail = async () => {
      const run = await stores.runs.open({
        createdAt: await stores.batchExports.now(),
        projectId: exports.world.projectId,
        batchExportId: id,
        start: at(-3),
        end: at(-2),
        kind: 'gap',
        workflowId: randomUUID(),
        workflowRunId: randomUUID(),
      });
      await stores.inTransaction((inside) =>
        closeRun(inside, run, { status: 'FailedRetryable', closedBy: 'run', latestError: 'The store is away.' }),
      );
    };
    for (let time = 0; time < 27; time++) await fail();
    assert.deepEqual(await noticeKinds(id), ['failed']);
    await fail();
    await fail();
    assert.deepEqual(await noticeKinds(id), ['failed', 'gave_up']);
    assert.equal((await get(id)).interval_troubles.gave_up, 1);
    const [listed] = (await list(id)).filter(({ data_interval_end: end }) => end === at(-2));
    assert.deepEqual([listed?.status, listed?.gave_up], ['failed', true]);
    const { projectId, backfills } = exports.world;
    await backfills.request(projectId, id, { startAt: at(-3), endAt: at(-2) });
    await eventually('the delivery', async () => (await get(id)).interval_troubles.gave_up === 0);
  });

  it('say so in the body, whose field is checked', async () => {
    const body = {
      name: 'x',
      interval: 'hour',
      destination: { type: 'LocalFile', config: { directory: randomUUID() } },
    };
    const made = await exports.request('POST', '/batch_exports/', body);
    const shown = made.body as Shown;
    assert.deepEqual([shown.redeliver_stale, shown.interval_troubles], [false, NONE]);
    const wrong = await exports.request('PATCH', `/batch_exports/${shown.id}/`, { redeliver_stale: 'soon' });
    assert.equal(wrong.status, 400);
    assert.equal((wrong.body as { attr: string }).attr, 'redeliver_stale');
    const right = await exports.request('PATCH', `/batch_exports/${shown.id}/`, { redeliver_stale: true });
    assert.equal((right.body as Shown).redeliver_stale, true);
  });
});
