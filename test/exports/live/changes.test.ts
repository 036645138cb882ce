/** Changes of exports on their way to clients: what the database notifies of, and in how many events. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { Receipt } from '../../../src/exports/destinations/contract.ts';
import type { StagedPart } from '../../../src/exports/destinations/delivery.ts';
import { faultOf } from '../../../src/exports/faults/fault-of.ts';
import type { Plan } from '../../../src/exports/domain/plan.ts';
import { bearerHeaders, startLiveWorld, comparableEvents, type LiveWorld } from '../../support/exports/live-world.ts';
import type { EventSource } from '../../support/api/event-source.ts';
import { sleepInTurns, until } from '../../support/until.ts';

const HOUR = 3_600_000;
const NINE = Date.UTC(2025, 5, 2, 9);
const iso = (millis: number) => new Date(millis).toISOString().replace('Z', '000Z');
const hour = { start: NINE, end: NINE + HOUR };
const at = { start: iso(hour.start), end: iso(hour.end) };

describe('changes of exports', () => {
  let world: LiveWorld;
  let one: BatchExport;
  let stream: EventSource;
  let about: { export_id: string };

  before(async () => void (world = await startLiveWorld()));
  after(() => world.stop());
  beforeEach(async () => {
    one = await world.rows.buildExport();
    about = { export_id: one.id };
    await world.waitForCommits();
    stream = await world.follow(bearerHeaders(world.admin.key));
  });
  afterEach(() => world.leave());

  /** Events of the work, once all of them came. */
  async function receivedBy(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const before = stream.received.length;
    await work();
    await world.waitForCommits();
    return comparableEvents(stream.received.slice(before));
  }

  it('name the run and its interval through the life of a run', async () => {
    const { stores } = world.rows;
    const run = await world.rows.buildRun(one, hour);
    const ofRun = { kind: 'run', ...about, run_id: run.id, ...at };
    const plan = { rows: 3, parts: [] } as unknown as Plan;
    const receipt = { rows: 3, bytes: 1, cutoff: at.end } as unknown as Receipt;
    const error = { latestError: 'The bucket does not exist.', fault: faultOf(new Error('boom')), nextTryInSeconds: 5 };
    const lease = { exportId: one.id, ...at, epoch: 1 };
    await world.waitForCommits();
    assert.deepEqual(comparableEvents(stream.received), [ofRun]);
    const steps: [() => Promise<unknown>, object[]][] = [
      [() => stores.ledger.takeEpoch({ exportId: one.id, ...at }, run.id), []],
      [() => stores.runs.setPlan(run.id, plan, 1), [ofRun]],
      [() => stores.runs.recordError(run.id, error), [ofRun]],
      [() => stores.runs.stagePart(run.id, { index: 0 } as StagedPart), []],
      [() => stores.ledger.beginCommit(lease), []],
      [() => stores.ledger.markDelivered(lease, receipt), [{ kind: 'interval', ...about, ...at }]],
      [() => stores.runs.close(run.id, { status: 'Completed', closedBy: 'run' }), [ofRun]],
      [
        () => stores.logs.append({ batchExportId: one.id, runId: run.id, level: 'INFO', message: 'Delivered.' }),
        [{ kind: 'log', ...about, run_id: run.id }],
      ],
      [
        () => stores.logs.append({ batchExportId: one.id, runId: null, level: 'INFO', message: 'Paused.' }),
        [{ kind: 'log', ...about }],
      ],
    ];
    for (const [step, expected] of steps) assert.deepEqual(await receivedBy(step), expected);
  });

  it('name the intervals that are in trouble, requested or delivered elsewhere', async () => {
    const { stores, db } = world.rows;
    const interval = { exportId: one.id, ...at };
    const expected = [{ kind: 'interval', ...about, ...at }];
    assert.deepEqual(await receivedBy(() => stores.troubles.begin(interval, 'gave_up')), expected);
    assert.deepEqual(await receivedBy(() => stores.troubles.end(interval, 'gave_up')), expected);
    assert.deepEqual(await receivedBy(() => stores.runRequests.open(one.id, [hour], 'retry')), expected);
    const claim = { id: one.id, projectId: one.projectId };
    assert.deepEqual(await receivedBy(() => stores.runRequests.claim(claim, { ofExport: 1, ofProject: 1 })), []);
    assert.deepEqual(await receivedBy(() => stores.runRequests.closeAll(one.id)), expected);
    const elsewhere = {
      batch_export_id: one.id,
      data_interval_start: at.start,
      data_interval_end: at.end,
      run_id: randomUUID(),
      epoch: 4,
      receipt: {},
    };
    assert.deepEqual(await receivedBy(() => db('foreign_deliveries').insert(elsewhere)), expected);
    assert.deepEqual(await receivedBy(() => db('foreign_deliveries').update({ accepted: 'ours' })), expected);
  });

  it('name the export when a user changes it, and when it begins to fail', async () => {
    const { stores } = world.rows;
    const expected = [{ kind: 'export', ...about }];
    assert.deepEqual(await receivedBy(() => stores.batchExports.update(one.id, { name: 'Coffee' } as never)), expected);
    assert.deepEqual(await receivedBy(() => stores.health.begin(one.id, 'failing')), expected);
    assert.deepEqual(await receivedBy(() => stores.health.end(one.id, 'failing')), expected);
    assert.deepEqual(await receivedBy(() => stores.batchExports.markDeleted(one.id)), expected);
    const created = await receivedBy(async () => (one = await world.rows.buildExport()));
    assert.deepEqual(created, [{ kind: 'export', export_id: one.id }]);
  });

  it('are not the notes that the reconciler writes every minute', async () => {
    const { stores, db } = world.rows;
    await receivedBy(() => stores.health.begin(one.id, 'behind'));
    const noted = async () => {
      await stores.gaps.advanceGapFreeUntil(one.id, at.start);
      await db('batch_exports')
        .where({ id: one.id })
        .update({ schedule_verified_at: db.raw('now()') });
      await db('batch_export_health').where({ batch_export_id: one.id }).update({ complete_until: at.start });
    };
    assert.deepEqual(await receivedBy(noted), []);
  });

  it('of thousands of requests of a backfill are one, over all their intervals', async () => {
    const { stores } = world.rows;
    const [start, end] = [NINE - 9_999 * HOUR, NINE + HOUR];
    const received = await receivedBy(async () => {
      const id = await stores.backfills.open({
        projectId: one.projectId,
        batchExportId: one.id,
        kind: 'backfill',
        start,
        end,
        wanted: [{ start, end }],
        totalRuns: 10_000,
      });
      const tiling = await stores.batchExports.getTiling(one.id);
      while (await stores.inTransaction((own) => own.backfills.writeRequests(id, tiling)));
    });
    assert.ok(received.length < 20, `${received.length} events`);
    const spans = received.filter(({ kind }) => kind === 'interval');
    assert.equal(spans.map((span) => span['start'] as string).sort()[0], iso(start));
    assert.equal(
      spans
        .map((span) => span['end'] as string)
        .sort()
        .at(-1),
      iso(end),
    );
    assert.ok(
      received.some(
        ({ kind, ...span }) => kind === 'backfill' && span['start'] === iso(start) && span['end'] === iso(end),
      ),
    );
  });

  it('of 20,000 requests closed by one statement are found in seconds, on a connection that closed one before', async () => {
    const { db } = world.rows;
    await db.raw(
      `insert into batch_export_requests (id, batch_export_id, data_interval_start, data_interval_end, kind)
       select gen_random_uuid(), ?, begin, begin + interval '1 hour', 'backfill'
       from generate_series(timestamptz '2020-01-01', timestamptz '2020-01-01' + interval '19999 hours', interval '1 hour') as begin`,
      [one.id],
    );
    const close = `update batch_export_requests set closed_at = clock_timestamp()
      where id in (select id from batch_export_requests where batch_export_id = ? and closed_at is null limit ?)`;
    await db.transaction(async (transaction) => {
      // The first call decides the trigger's plan for this connection. Comparing each row with each other one would take over a minute.
      await transaction.raw(close, [one.id, 1]);
      await transaction.raw("set local statement_timeout = '20s'");
      const { rowCount } = await transaction.raw<{ rowCount: number }>(close, [one.id, 20_000]);
      assert.equal(rowCount, 19_999);
    });
  });

  it('of many runs in a moment are one without a run, over all their intervals', async () => {
    const calm = await startLiveWorld({ windowMs: 250, rows: world.rows, tenant: world.tenant });
    const following = await calm.follow(bearerHeaders(calm.admin.key));
    const startedAtMs = Date.now();
    const hours = Array.from({ length: 500 }, (_, index) => ({
      start: NINE + index * HOUR,
      end: NINE + (index + 1) * HOUR,
    }));
    await Promise.all(hours.map((interval) => world.rows.buildRun(one, interval)));
    const latest = iso(NINE + 500 * HOUR);
    await until('the last of them', () => comparableEvents(following.received).some(({ end }) => end === latest));
    const seconds = (Date.now() - startedAtMs) / 1000;
    await sleepInTurns(400);
    const runs = comparableEvents(following.received);
    assert.ok(runs.length <= 4 * seconds + 2, `${runs.length} events in ${seconds} s`);
    const covered = runs.every((run) => run['kind'] === 'run' && run['export_id'] === one.id);
    assert.ok(covered);
    assert.equal(runs.map((run) => run['start'] as string).sort()[0], iso(NINE));
    assert.equal(
      runs
        .map((run) => run['end'] as string)
        .sort()
        .at(-1),
      iso(NINE + 500 * HOUR),
    );
    calm.leave();
    await calm.stop();
  });

  it('of more exports than a batch lists become one reset', async () => {
    const calm = await startLiveWorld({ windowMs: 1_000, rows: world.rows, tenant: world.tenant });
    const following = await calm.follow(bearerHeaders(calm.admin.key));
    await world.rows.db.raw(
      `insert into batch_exports (id, project_id, name, model, destination_type, destination_config, key_space, "interval", paused)
       select gen_random_uuid(), ?, 'many', 'events', 'LocalFile', '{}', gen_random_uuid()::text, 'hour', true from generate_series(1, 101)`,
      [world.tenant.projectId],
    );
    await following.next(2);
    assert.deepEqual(comparableEvents(following.received), [{ event: 'reset' }]);
    calm.leave();
    await calm.stop();
  });

  it('are notified of by triggers on tables of exports and of access alone: transactions that notify commit one after another', async () => {
    const { rows } = await world.rows.db.raw<{ rows: { table: string }[] }>(
      `select distinct tgrelid::regclass::text as table from pg_trigger join pg_proc on pg_proc.oid = tgfoid
       where proname like 'notify_%' order by 1`,
    );
    assert.deepEqual(
      rows.map(({ table }) => table),
      [
        'api_keys',
        'batch_export_backfills',
        'batch_export_health',
        'batch_export_intervals',
        'batch_export_logs',
        'batch_export_requests',
        'batch_export_runs',
        'batch_export_troubles',
        'batch_exports',
        'foreign_deliveries',
        'organization_memberships',
        'sessions',
      ],
    );
  });
});
