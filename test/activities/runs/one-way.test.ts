/** Runs to destinations that take rows one way: capture of another installation over HTTP. */
import assert from 'node:assert/strict';
import { isoMicros, millisOf } from '../../../src/exports/domain/instants.ts';
import { intervalsToCompare } from '../../../activities/rounds/compare-deliveries.ts';
import { requestReporter } from '../../../activities/runs/request-reporter.ts';
import type { Run } from '../../../src/exports/runs/run-rows.ts';
import { DestinationUnavailable, type InvalidInput } from '../../../src/platform/errors.ts';
import { renewTimeline } from '../../../src/exports/timeline/renew-timeline.ts';
import { timelineWitness } from '../../../src/exports/temporal/witness.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startCapture, type CaptureServer } from '../../support/events/capture.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import {
  buildExport,
  buildExportWorld,
  eventually,
  runsAfterBackfill,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { startHttpReceiver } from '../../support/servers/http-receiver.ts';

const RANGE = { startAt: '2015-05-17T10:00:00Z', endAt: '2015-05-17T13:00:00Z' };

const at = (hour: number) => microseconds(`2015-05-17T${hour}:30:00Z`);
const isRefusal = (error: unknown) => (error as InvalidInput).attr === 'redeliver_stale';

describe('a run to the capture API of another installation', () => {
  let world: ExportWorld;
  let database: TestDatabase;
  let other: CaptureServer;
  let tenant: Tenant;
  let exportId: string;

  before(async () => {
    [world, database] = await Promise.all([buildExportWorld(), createTestDatabase()]);
    other = await startCapture(database.url);
    tenant = await buildTenant(other.db, { historicalFromProjectKey: true });
    await world.startWorker();
    await world.store(
      [3, 4, 5].flatMap((count, hour) =>
        Array.from({ length: count }, (_, number) =>
          buildEvent({
            timestamp: at(10 + hour),
            distinctId: `visitor ${number}`,
            event: number === 0 ? '$autocapture' : 'paid',
            elementsChain: number === 0 ? 'a:href="/"' : '',
            properties: '{"price":12345678901234567890,"name":"漢字 \\"é\\""}',
          }),
        ),
      ),
    );
    exportId = (
      await world.batchExports.create(world.projectId, buildExport({ destination: destination(), endAt: RANGE.endAt }))
    ).id;
  });
  after(async () => {
    await Promise.all([world.close(), other.stop()]);
    await database.drop();
  });

  const destination = (config: object = {}) => ({
    type: 'HTTP',
    config: { url: `${other.url}/batch/`, token: tenant.apiToken, max_batch_rows: 2, ...config },
  });

  async function deliver(): Promise<(number | null)[]> {
    const { id } = await world.backfills.request(world.projectId, exportId, RANGE);
    const runs = await runsAfterBackfill(world, exportId, id);
    assert.deepEqual([...new Set(runs.map(({ status, latestError }) => latestError ?? status))], ['Completed']);
    return runs.map(({ recordsCompleted }) => recordsCompleted);
  }

  const EVENTS = `select uuid, event, distinct_id, timestamp, elements_chain, interval_time, properties - '$geoip_disable' as properties
    from events where project_id = $1 order by uuid`;
  type Pool = ExportWorld['engine']['pool'];
  const eventsOf = async (pool: Pool, projectId: number) => (await pool.query(EVENTS, [projectId])).rows as object[];

  it('delivers every event once, however often it is made', async () => {
    assert.deepEqual(await deliver(), [3, 4, 5]);
    const expected = await eventsOf(world.engine.pool, world.projectId);
    assert.equal(expected.length, 12);
    assert.deepEqual(await eventsOf(other.pool as unknown as Pool, tenant.projectId), expected);
    // The repeat is sent as a whole, and the receiver has its rows already.
    assert.equal(
      (await deliver()).reduce<number>((sum, rows) => sum + (rows ?? 0), 0),
      24,
    );
    assert.deepEqual(await eventsOf(other.pool as unknown as Pool, tenant.projectId), expected);
  });

  it('is never made automatically for stale intervals', async () => {
    const wanted = buildExport({ destination: destination(), redeliverStale: true });
    await assert.rejects(world.batchExports.create(world.projectId, wanted), isRefusal);
    await assert.rejects(world.batchExports.patch(world.projectId, exportId, { redeliverStale: true }), isRefusal);
  });

  it('needs the columns of the format', async () => {
    const persons = buildExport({ destination: destination(), model: 'persons' });
    await assert.rejects(world.batchExports.create(world.projectId, persons), /needs the column/);
    const template = destination({ body_format: 'template' });
    await world.batchExports.create(
      world.projectId,
      buildExport({ destination: template, model: 'persons', paused: true }),
    );
  });

  it('says while it repeats a request what the receiver answers, and no longer once that takes the batch', async () => {
    const receiver = await startHttpReceiver();
    const { stores } = world.engine;
    const config = { url: receiver.url, body_format: 'template' };
    const { id } = await world.batchExports.create(
      world.projectId,
      buildExport({ destination: destination(config), paused: true }),
    );
    const range = { startAt: '2015-05-17T12:00:00Z', endAt: '2015-05-17T13:00:00Z' };
    const waitForRun = (what: string, isWanted: (run: Run) => boolean) =>
      eventually(what, async () => {
        const run = await stores.runs.findNewestOfInterval(id, isoMicros(Date.parse(range.endAt)));
        return run && isWanted(run) ? run : undefined;
      });
    const window = {
      exportId: id,
      from: millisOf(isoMicros(Date.parse(range.startAt))),
      to: millisOf(isoMicros(Date.parse(range.endAt))),
    };
    const held = Promise.withResolvers<void>();
    world.onStep = async ({ name, exportId }) => {
      if (exportId === id && name === 'batch-0-1') await held.promise;
    };
    receiver.answers.push(503, 503, 503);
    try {
      const backfill = await world.backfills.request(world.projectId, id, range);
      const run = await waitForRun('the error', ({ latestError }) => latestError !== null);
      assert.ok(receiver.received.length < 4, 'the first attempt repeats its request');
      assert.deepEqual([run.status, run.errorCode, run.errorOwner], ['Running', 'receiver_unavailable', 'destination']);
      const [facts] = await stores.intervalFacts.listFacts([window]);
      assert.deepEqual(
        facts!.map(({ fact }) => fact),
        ['failing', 'requested'],
      );
      await waitForRun('the answer', ({ latestError }) => latestError === null);
      await assertReportsOwnFailures(run);
      held.resolve();
      const [ended] = await runsAfterBackfill(world, id, backfill.id);
      assert.deepEqual([ended!.status, receiver.received.length], ['Completed', 6]);
      const attempts = await stores.attempts.listOfRun(ended!.id);
      assert.deepEqual(
        attempts.map(({ attempt }) => attempt),
        [1, 1, 1, 1],
      );
    } finally {
      held.resolve();
      world.onStep = async () => {};
      await receiver.stop();
    }
  });

  /** @param run in progress, as it was when it had a failure */
  async function assertReportsOwnFailures(run: Run): Promise<void> {
    const { runs } = world.engine.stores;
    const errorOf = async () => (await runs.getById(run.id)).latestError;
    const failure = new DestinationUnavailable(run.latestError!);
    const open = async () => requestReporter(world.engine, await runs.getById(run.id));
    const [cutOff, parallel] = [await open(), await open()];
    for (let count = 0; count < 50; count += 1) {
      cutOff.onRequest(failure);
      cutOff.onRequest();
      cutOff.onRequest(failure);
    }
    await eventually('the failure', async () => (await errorOf()) ?? undefined);
    parallel.onRequest(failure);
    parallel.onRequest();
    await parallel.close();
    assert.equal(await errorOf(), failure.message, 'only the session that stored it ends it');
    await cutOff.close();
    assert.equal(await errorOf(), failure.message, 'the attempt was cut off');
    const next = await open();
    next.onRequest();
    await next.close();
    assert.equal(await errorOf(), null);
  }

  it('waits for a person after a restore, if its interval ended before', async () => {
    const { engine, projectId } = world;
    const { stores } = engine;
    const one = (await stores.batchExports.find(exportId))!;
    const { signal } = new AbortController();
    assert.match(JSON.stringify(await intervalsToCompare(engine, one, null, signal)), /cannot be asked/);
    await renewTimeline(stores, timelineWitness(engine.temporal.client), 0);
    const start = millisOf(isoMicros(Date.parse('2015-05-17T11:00:00Z')));
    const end = start + 3_600_000;
    const before = (await stores.runs.list(projectId, exportId, { limit: 1000 })).length;
    await stores.runRequests.open(exportId, [{ start, end }], 'gap');
    await engine.executions.wakeDispatcher(exportId);
    const run = await eventually('the gap run to end', async () => {
      const newest = await stores.runs.findNewestOfInterval(exportId, isoMicros(end));
      return newest?.kind === 'gap' && newest.finishedAt ? newest : undefined;
    });
    assert.deepEqual([run.status, run.errorCode], ['Failed', 'delivery_unknown']);
    assert.equal((await stores.runs.list(projectId, exportId, { limit: 1000 })).length, before + 1);
    const { id } = await world.backfills.request(projectId, exportId, RANGE);
    const ended = await runsAfterBackfill(world, exportId, id);
    assert.deepEqual([ended.at(-1)?.status, ended.at(-1)?.recordsCompleted], ['Completed', 5]);
    assert.equal(ended.at(-1)?.verifiedAt, null);
  });
});
