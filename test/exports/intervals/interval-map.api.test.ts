/** The map of an export: a world in which each state is real, and one of random facts, both compared with the list of intervals. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import type { IntervalMapBody } from '../../../src/exports/intervals/interval-map.schema.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { isOpen, type RunStatus } from '../../../src/exports/domain/statuses.ts';
import { DestinationRejected, StagedLost } from '../../../src/platform/errors.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildExport, eventually } from '../../support/exports/export-world.ts';
import { cellsOf } from '../../support/exports/interval-maps.ts';
import { storeInterval } from '../../support/exports/stored-intervals.ts';
import { buildPersonalKey } from '../../support/api/identity.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { thisHour } from '../../support/hours.ts';

const HOUR = 3_600_000;
const THIS_HOUR = await thisHour();
const at = (hours: number) => isoMicros(THIS_HOUR + hours * HOUR);
/** The hour that ends then. */
const hour = (end: number) => ({ start: at(end - 1), end: at(end) });

type Listed = {
  data_interval_start: string;
  data_interval_end: string;
  status: string;
  run: string | null;
  records_delivered: number | null;
  unsettled: boolean;
  gave_up: boolean;
};
type Page = { next: string | null; results: Listed[] };
type Refusal = { attr: string; detail: string };

/** Marks and blanks that agree with a status of the list. */
const AGREEING: Readonly<Record<string, RegExp>> = {
  // Also what the schedule does not offer counts there as due for two minutes.
  running: /^(.[rwt]|--)$/,
  failed: /^.[yt]$/,
  stale: /^s[iy]$/,
  delivered: /^h[iy]$/,
  missing: /^(n[iwpy]|--)$/,
  expired: /^xi$/,
};

describe('the map of data intervals', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  const sql = async (text: string, values: unknown[]) => (await exports.world.engine.pool.query(text, values)).rows;
  const ask = (id: string, query = '', headers = {}) =>
    exports.request('GET', `/batch_exports/${id}/intervals/map/?${query}`, undefined, headers);
  async function mapOf(id: string, query = ''): Promise<IntervalMapBody> {
    const { status, body } = await ask(id, query);
    assert.equal(status, 200, JSON.stringify(body));
    return body as IntervalMapBody;
  }
  async function readRefusal(id: string, query: string): Promise<Refusal> {
    const { status, body } = await ask(id, query);
    assert.equal(status, 400, JSON.stringify(body));
    return body as Refusal;
  }

  /** An export as if it had been made so many hours ago. */
  async function build(hoursAgo: number, overrides: Parameters<typeof buildExport>[0] = {}): Promise<string> {
    const { world } = exports;
    const { id } = await world.batchExports.create(world.projectId, buildExport(overrides));
    await sql('update batch_exports set created_at = $2 where id = $1', [id, at(-hoursAgo)]);
    return id;
  }
  const pauseBetween = (id: string, from: number, to: number | null) =>
    sql('insert into batch_export_pauses (batch_export_id, paused_at, unpaused_at) values ($1, $2, $3)', [
      id,
      at(from),
      to === null ? null : at(to),
    ]);

  /** The map and the list say the same of each interval from a start on. */
  async function assertAgrees(id: string, start: string): Promise<void> {
    const [map, { results }] = await Promise.all([
      mapOf(id, `start=${start}`),
      exports
        .request('GET', `/batch_exports/${id}/intervals/?start=${start}&limit=1000`)
        .then(({ body }) => body as Page),
    ]);
    const cells = cellsOf(map).toReversed();
    assert.deepEqual(
      cells.map((cell) => [cell.start, cell.end]),
      results.map((one) => [one.data_interval_start, one.data_interval_end]),
    );
    for (const [index, one] of results.entries()) {
      const { code } = cells[index]!;
      const seen = `${code} for ${JSON.stringify(one)}`;
      assert.match(code, AGREEING[one.status]!, seen);
      assert.equal(/^[hs]/.test(code), one.records_delivered !== null, seen);
      if (one.unsettled || one.gave_up) assert.match(code, /^.[yrw]$/, seen);
      if (code === '--') assert.equal(one.run, null, seen);
    }
    const counted: Record<string, number> = {};
    for (const { code } of cells) counted[code] = (counted[code] ?? 0) + 1;
    assert.deepEqual(map.counts, counted);
    const needy = cells.filter(({ code }) => code.endsWith('y'));
    assert.deepEqual(
      map.needs_you.map((one) => [one.data_interval_start, one.data_interval_end]),
      needy.slice(0, 100).map((cell) => [cell.start, cell.end]),
    );
  }

  describe('over real runs', () => {
    let id: string;
    const hours = () => mapOf(id, `start=${at(-16)}`).then(cellsOf);
    const codesAt = async (...ends: number[]) => {
      const cells = await hours();
      return ends.map((end) => cells.find((cell) => cell.end === at(end))?.code);
    };
    const { promise: released, resolve: release } = Promise.withResolvers<void>();

    before(async function () {
      this.timeout(300_000);
      const { world } = exports;
      const { backfills, engine, projectId } = world;
      await world.startWorker();
      id = await build(12.5, { endAt: at(-1), startAt: at(-11) });
      await pauseBetween(id, -5, -4);
      const reconcile = () => new MockActivityEnvironment().run(createActivities(engine).reconcileAll);
      const settled = (end: number, ...statuses: RunStatus[]) =>
        eventually(`the run of the hour that ends at ${end}`, async () => {
          const run = await engine.stores.runs.findNewestOfInterval(id, at(end));
          return run && (statuses.length === 0 ? !isOpen(run.status) : statuses.includes(run.status));
        });
      const deliver = (end: number) => backfills.request(projectId, id, { startAt: at(end - 1), endAt: at(end) });
      const failing = new Map<string, () => Error>([
        [at(-8), () => new DestinationRejected('The bucket does not exist.')],
        [at(-7), () => new StagedLost('It was lost.')],
        [at(-14), () => new StagedLost('It was lost, too.')],
      ]);
      world.onStep = async ({ exportId, name, end }) => {
        if (exportId !== id || name !== 'before-committing') return;
        if (end === at(-2)) await released;
        const error = failing.get(end);
        if (error) throw error();
      };
      // Before it was made: one that is delivered, and one whose run fails in a way that may pass.
      await deliver(-15);
      await deliver(-14);
      await reconcile();
      for (const end of [-15, -14, -11, -10, -9, -8, -7, -6, -3, -1]) await settled(end);
      await settled(-2, 'Running');
      // A re-delivery fails.
      failing.set(at(-10), () => new DestinationRejected('The bucket does not exist any more.'));
      await deliver(-10);
      await settled(-10, 'Failed');
      await world.store([buildEvent({ timestamp: microseconds(new Date(THIS_HOUR - 9.5 * HOUR).toISOString()) })]);
      // The run that is held takes the only place: what is requested now stays requested.
      await exports.db('batch_exports').where({ id }).update({ max_concurrent_runs: 1 });
      await engine.stores.runRequests.open(
        id,
        [{ start: THIS_HOUR - 7 * HOUR, end: THIS_HOUR - 6 * HOUR }],
        'backfill',
      );
    });
    after(async () => {
      release();
      exports.world.onStep = async () => {};
      await eventually('the last run', async () => (await exports.world.engine.stores.runs.listOpen(id)).length === 0);
    });

    it('has a code for each interval: what is held of it, and what happens', async () => {
      assert.deepEqual(
        (await hours()).map(({ end, code }) => [Math.round((Date.parse(end) - THIS_HOUR) / HOUR), code]),
        [
          [-15, 'hi'],
          [-14, 'ny'],
          [-13, '--'],
          [-12, '--'],
          [-11, 'hi'],
          [-10, 'hy'],
          [-9, 'si'],
          [-8, 'ny'],
          [-7, 'nt'],
          [-6, 'hw'],
          [-5, 'np'],
          [-4, 'hi'],
          [-3, 'hi'],
          [-2, 'nr'],
          [-1, 'hi'],
          [0, '--'],
        ],
      );
    });

    it('agrees with the list of intervals', () => assertAgrees(id, at(-16)));

    it('does not hold what a commit may have overwritten in part', async () => {
      const ledger = exports.db('batch_export_intervals').where({ batch_export_id: id, data_interval_end: at(-10) });
      const { state } = await ledger.clone().first<{ state: string }>('state');
      await ledger.clone().update({ state: 'committing' });
      try {
        assert.equal((await hours()).find(({ end }) => Date.parse(end) === Date.parse(at(-10)))?.code, 'ny');
      } finally {
        await ledger.clone().update({ state });
      }
    });

    it('shows why an interval needs attention, and when others are tried again', async () => {
      const { needs_you: needy, retrying, history_start: first } = await mapOf(id, `start=${at(-16)}`);
      assert.deepEqual(
        needy.map((one) => [one.data_interval_end, one.reason, one.detail]),
        [
          [at(-8), 'failed', 'The bucket does not exist.'],
          [at(-10), 'failed', 'The bucket does not exist any more.'],
          [at(-14), 'not_retried', 'It was lost, too.'],
        ],
      );
      const run = await exports.world.engine.stores.runs.findNewestOfInterval(id, at(-7));
      const { data_interval_end: end, run_id: runId, next_try_at: next, detail } = retrying[0]!;
      assert.deepEqual([retrying.length, end, runId, detail], [1, at(-7), run?.id, 'It was lost.']);
      assert.equal(Date.parse(next!), Date.parse(run!.finishedAt!) + 60_000, 'a minute after the first failure');
      assert.equal(first, at(-16));
    });

    it('offers what was missed in the pause, which a backfill of the missing intervals delivers', async () => {
      const { missed_while_paused: missed } = await mapOf(id);
      assert.deepEqual(missed, { intervals: 1, start_at: at(-6), end_at: at(-5) });
      const { start_at, end_at } = missed!;
      const preview = await exports.world.backfills.preview(exports.world.projectId, id, {
        startAt: start_at,
        endAt: end_at,
        only: ['missing'],
      });
      assert.equal(preview.totalRuns, 1);
    });

    it('begins with the interval in which the export was created, unless history is requested', async () => {
      assert.equal(cellsOf(await mapOf(id))[0]!.start, at(-13));
      assert.equal(cellsOf(await mapOf(id, `start=${at(-15.5)}`))[0]!.start, at(-15));
      assert.deepEqual(
        cellsOf(await mapOf(id, `start=${at(-9)}&end=${at(-7)}`)).map(({ code }) => code),
        ['ny', 'nt'],
      );
    });

    it('shows the most urgent interval of a bucket, and still counts all of them', async () => {
      const whole = await mapOf(id, `start=${at(-16)}`);
      const cells = cellsOf(whole);
      const inTwos = await mapOf(id, `start=${at(-16)}&bucket=2`);
      assert.deepEqual(
        cellsOf(inTwos).map(({ code }) => code),
        ['ny', '--', 'hy', 'ny', 'nt', 'np', 'nr', 'hi'],
      );
      assert.deepEqual([inTwos.counts, inTwos.intervals, inTwos.bucket], [whole.counts, 16, '2']);
      const byDay = cellsOf(await mapOf(id, `start=${at(-16)}&bucket=day`));
      const days = Map.groupBy(cells, ({ start }) => start.slice(0, 10));
      assert.deepEqual(
        byDay.map(({ start, end }) => [start, end]),
        [...days.values()].map((day) => [day[0]!.start, day.at(-1)!.end]),
      );
      assert.deepEqual(cellsOf(await mapOf(id, `start=${at(-16)}&bucket=hour`)), cells);
    });

    it('is not sent again while nothing has changed', async () => {
      const query = `end=${at(-3)}`;
      const first = await ask(id, query);
      const tag = first.headers.get('etag')!;
      for (const known of [tag, `"other", W/${tag}`]) {
        const again = await ask(id, query, { 'If-None-Match': known });
        assert.deepEqual([again.status, again.body, again.headers.get('etag')], [304, '', tag]);
      }
      await exports.world.engine.stores.troubles.begin({ exportId: id, start: at(-12), end: at(-11) }, 'unsettled');
      const changed = await ask(id, query, { 'If-None-Match': tag });
      assert.deepEqual([changed.status, changed.headers.get('etag') === tag], [200, false]);
      assert.deepEqual(await codesAt(-11), ['hy']);
      await exports.world.engine.stores.troubles.end({ exportId: id, start: at(-12), end: at(-11) }, 'unsettled');
    });
  });

  it('names a delivery of another timeline, what was given up and what was left half way', async () => {
    const id = await build(5.5, { paused: true });
    const { foreignDeliveries, troubles } = exports.world.engine.stores;
    const interval = (end: number) => ({ exportId: id, start: at(end - 1), end: at(end) });
    await foreignDeliveries.recordFound(interval(-1), {
      rows: 1,
      bytes: 1,
      location: 'there',
      epoch: 1,
      digest: '1',
      cutoff: at(0),
    });
    await troubles.begin(interval(-2), 'unsettled');
    await troubles.begin(interval(-3), 'gave_up');
    const { needs_you: needy } = await mapOf(id);
    assert.deepEqual(
      needy.map(({ reason }) => reason),
      ['delivered_elsewhere', 'unsettled', 'gave_up'],
    );
    await assertAgrees(id, at(-8));
  });

  it('shows what can no longer be delivered, because its source has expired', async () => {
    const id = await build(9);
    const failed = { runs: [{ status: 'Failed' as const }] };
    await storeInterval(exports, { exportId: id, ...hour(-7) }, failed);
    await storeInterval(exports, { exportId: id, ...hour(-6) }, { delivered: true, ...failed });
    await storeInterval(exports, { exportId: id, ...hour(-5) }, { delivered: true, troubles: ['stale'] });
    await storeInterval(exports, { exportId: id, ...hour(-4) }, { runs: [{ status: 'Running' }] });
    await storeInterval(exports, { exportId: id, ...hour(-2) }, failed);
    await pauseBetween(id, -3, -0.5);
    const { projectId } = exports.world;
    await sql('insert into event_retention (project_id, retained_from) values ($1, $2)', [projectId, at(-2.5)]);
    try {
      const cells = cellsOf(await mapOf(id, `start=${at(-8)}`));
      assert.deepEqual(
        cells.map(({ code }) => code),
        ['xi', 'hi', 'hi', 'nr', 'xi', 'xi', 'np', 'nw'],
      );
      await assertAgrees(id, at(-8));
      const list = await exports.request('GET', `/batch_exports/${id}/intervals/?status=expired&start=${at(-8)}`);
      assert.equal((list.body as Page).results.length, 3);
      const missed = await mapOf(id);
      assert.deepEqual(missed.missed_while_paused, { intervals: 1, start_at: at(-2), end_at: at(-1) });
      const preview = await exports.request('POST', `/batch_exports/${id}/preview/`, {
        data_interval_start: at(-3),
        data_interval_end: at(-2),
      });
      assert.deepEqual([preview.status, (preview.body as { code: string }).code], [400, 'source_expired']);
    } finally {
      await sql('delete from event_retention where project_id = $1', [projectId]);
    }
  });

  it('leaves alone what was terminated through the API, and tries again what was terminated otherwise', async () => {
    const id = await build(5.5, { paused: true });
    await sql('delete from batch_export_pauses where batch_export_id = $1', [id]);
    for (const [end, closedBy] of [
      [-1, 'api'],
      [-2, 'reconciler'],
    ] as const)
      // prettier-ignore
      await storeInterval(exports, { exportId: id, ...hour(end) }, { runs: [{ status: 'Terminated', closedBy }] });
    const { needs_you: needy, states } = await mapOf(id);
    assert.deepEqual(states, ['nw', 'nt', 'ny', 'nw']);
    assert.deepEqual([needy.length, needy[0]?.reason], [1, 'not_retried']);
  });

  it('says that a stale interval is tried again where its export wants that, also one of before its creation', async () => {
    const id = await build(2.5, { redeliverStale: true });
    const { runs, troubles, ledger, batchExports } = exports.world.engine.stores;
    const interval = { exportId: id, start: at(-6), end: at(-5) };
    for (const status of ['Completed', 'FailedRetryable'] as const) {
      const run = await runs.open({
        projectId: exports.world.projectId,
        batchExportId: id,
        start: interval.start,
        end: interval.end,
        kind: 'stale',
        workflowId: id,
        workflowRunId: randomUUID(),
        createdAt: await batchExports.now(),
      });
      if (status === 'Completed') {
        const epoch = await ledger.takeEpoch(interval, run.id);
        await ledger.beginCommit({ ...interval, epoch });
        const receipt = { rows: 1, bytes: 1, location: 'there', epoch, digest: '1', cutoff: await batchExports.now() };
        await ledger.markDelivered({ ...interval, epoch }, receipt);
      }
      await runs.close(run.id, { status, closedBy: 'run', latestError: 'It was lost.' });
    }
    await troubles.begin(interval, 'stale');
    await sql('update batch_export_troubles set requested_at = now() where batch_export_id = $1', [id]);
    await troubles.postponeRedelivery(interval);
    const query = `start=${at(-6)}&end=${at(-5)}`;
    const { states, retrying } = await mapOf(id, query);
    assert.deepEqual(states, ['st']);
    const [{ retry_at: retryAt }] = (await sql(
      'select retry_at from batch_export_troubles where batch_export_id = $1',
      [id],
    )) as [{ retry_at: string }];
    assert.equal(retrying[0]!.next_try_at, retryAt);
    await sql('update batch_exports set redeliver_stale = false where id = $1', [id]);
    assert.deepEqual((await mapOf(id, query)).states, ['sy']);
  });

  it('agrees with the list over random facts', async function () {
    this.timeout(300_000);
    const statuses = fc.constantFrom<RunStatus>('Starting', 'Running', 'Completed', 'Failed', 'FailedRetryable', 'Cancelled', 'Terminated', 'TimedOut'); // prettier-ignore
    const fact = fc.record({
      runs: fc.array(fc.record({ status: statuses, closedBy: fc.constantFrom('run', 'api') }), { maxLength: 3 }),
      requested: fc.boolean(),
      delivered: fc.boolean(),
      troubles: fc.subarray(['unsettled', 'gave_up']),
      foreign: fc.boolean(),
      isLate: fc.boolean(),
    });
    const facts = fc.sample(fc.option(fc.option(fact)), { numRuns: 160, seed: 7 });
    const id = await build(120.5, { paused: true, startAt: at(-100), endAt: at(-10) });
    await pauseBetween(id, -90, -80);
    await pauseBetween(id, -40.5, -30.5);
    await sql('delete from batch_export_pauses where batch_export_id = $1 and unpaused_at is null', [id]);
    for (const [index, one] of facts.entries()) {
      const end = index - 159;
      if (one) await storeInterval(exports, { exportId: id, ...hour(end) }, one);
    }
    await assertAgrees(id, at(-160));
  });

  describe('of calendars', () => {
    it('has days of 23 and 25 hours, and buckets of months by the clock of the export', async () => {
      const id = await build(1, { interval: 'day', timezone: 'Europe/Berlin', paused: true });
      const query = 'start=2015-03-01T00:00:00%2B01:00&end=2015-12-01T00:00:00%2B01:00';
      const { boundaries, intervals, states } = await mapOf(id, query);
      assert.deepEqual(
        boundaries.map(({ step_seconds: step, count }) => [step / 3600, count]),
        [[24, 28], [23, 1], [24, 209], [25, 1], [24, 36]], // prettier-ignore
      );
      assert.deepEqual([intervals, states], [275, ['--']]);
      const months = cellsOf(await mapOf(id, `${query}&bucket=month`));
      assert.deepEqual(
        months.map(({ start }) => start),
        ['2015-02-28T23', '2015-03-31T22', '2015-04-30T22', '2015-05-31T22', '2015-06-30T22', '2015-07-31T22', '2015-08-31T22', '2015-09-30T22', '2015-10-31T23'].map((hour) => `${hour}:00:00.000000Z`), // prettier-ignore
      );
    });
  });

  describe('of very long histories', () => {
    it('has 100,000 intervals at most, and says which start would do', async () => {
      const id = await build(1, { interval: 'every 1 minutes', paused: true });
      const end = 'end=2015-05-17T00:00:00Z';
      const { attr, detail } = await readRefusal(id, `start=2015-01-01T00:00:00Z&${end}`);
      assert.equal(attr, 'start');
      assert.match(
        detail,
        /contains 195840 data intervals; a map without `bucket` shows 100000 at most\. Use a 'start' of (\S+) or later, or a `bucket`\.$/,
      );
      const [, start = ''] = /'start' of (\S+) or later/.exec(detail)!;
      const { intervals, states, lengths, boundaries } = await mapOf(id, `start=${start}&${end}`);
      assert.deepEqual([intervals, states, lengths], [100_000, ['--'], [100_000]]);
      assert.deepEqual(boundaries, [{ start, step_seconds: 60, count: 100_000 }]);
      await sql(`update batch_exports set created_at = '2015-01-01' where id = $1`, [id]);
      const newest = await mapOf(id, end);
      assert.deepEqual([newest.intervals, newest.boundaries[0]!.start], [100_000, start], 'nobody asked for too many');
      const days = await mapOf(id, `start=2015-01-01T00:00:00Z&${end}&bucket=day`);
      assert.deepEqual([days.intervals, days.lengths], [195_840, [136]]);
      const most = await readRefusal(id, `start=1990-01-01T00:00:00Z&${end}&bucket=day`);
      assert.deepEqual([most.attr, most.detail.includes('600000 at most')], ['start', true]);
      const narrow = await readRefusal(id, `start=2014-06-01T00:00:00Z&${end}&bucket=2`);
      assert.deepEqual(
        [narrow.attr, narrow.detail],
        ['bucket', 'The range contains more than 100000 buckets. Use a larger bucket.'],
      );
    });
  });

  const refusals: [query: string, attr: string][] = [
    ['start=soon', 'start'],
    ['start=1969-12-31T23:59:59Z', 'start'],
    ['end=-7x', 'end'],
    ['start=2015-05-17T00:00:00Z&end=2015-05-17T00:00:00Z', 'start'],
    ['bucket=fortnight', 'bucket'],
    ['bucket=0', 'bucket'],
    ['bucket=700000', 'bucket'],
  ];
  for (const [query, attr] of refusals) {
    it(`is refused with ${query}, naming ${attr}`, async () => {
      const id = await build(1, { paused: true });
      assert.equal((await readRefusal(id, query)).attr, attr);
    });
  }

  it('is shown to keys with the scope alone, and of an own export', async () => {
    const id = await build(1, { paused: true });
    const { world, db, api, theirs } = exports;
    const address = (projectId: number) => `/api/environments/${projectId}/batch_exports/${id}/intervals/map/`;
    const key = await buildPersonalKey(db, theirs, '*');
    assert.equal((await api.request('GET', address(theirs.projectId), { key })).status, 404);
    assert.equal((await api.request('GET', address(world.projectId), { key })).status, 403);
  });
});
