import assert from 'node:assert/strict';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { RunStatus } from '../../../src/exports/domain/statuses.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { buildExport } from '../../support/exports/export-world.ts';
import { buildRun, buildStoredExport, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Page<T> = { next: string | null; previous: string | null; results: T[] };
type Backfill = { id: string; status: string; start_at: string; progress: { total_runs: number } };
type Interval = {
  data_interval_start: string;
  data_interval_end: string;
  status: string;
  records_delivered: number | null;
};
type Preview = {
  plan: string;
  total_runs: number;
  intervals: Record<string, { count: number; first: Interval[] }>;
  rows: object;
  overwrites: object;
};

const DAY = { start_at: '2015-05-17', end_at: '2015-05-18' };
const hoursOf = (intervals: Interval[]) => intervals.map((one) => Number(one.data_interval_start.slice(11, 13)));

describe('backfills over HTTP', () => {
  let exports: ExportsApi;
  let stored: BatchExport;
  let path: string;
  const request: ExportsApi['request'] = (...args) => exports.request(...args);

  before(async () => {
    exports = await startExportsApi();
  });
  beforeEach(async () => {
    stored = await buildStoredExport(exports);
    path = `/batch_exports/${stored.id}`;
  });
  after(() => exports.close());

  /** Follows a link of an answer; links point at the public address. */
  const follow = async (link: string | null): Promise<unknown> => {
    const { pathname, search } = new URL(link ?? '');
    return (await exports.api.request('GET', pathname + search, { key: exports.key })).body;
  };

  /** Paused for so many minutes, as if it had been so. */
  async function createPausedExport(minutes: number): Promise<string> {
    const one = await exports.world.batchExports.create(
      exports.world.projectId,
      buildExport({ paused: true, interval: 'every 5 minutes' }),
    );
    await exports
      .db('batch_export_pauses')
      .where({ batch_export_id: one.id })
      .update({ paused_at: exports.db.raw(`clock_timestamp() - make_interval(mins => ?)`, [minutes]) });
    return `/batch_exports/${one.id}`;
  }

  /** A run of an hour that ended so; `Completed` with what it delivered. */
  async function createEndedRun(hour: number, status: RunStatus, rows = 2): Promise<void> {
    const { ledger, runs, batchExports } = exports.world.engine.stores;
    const run = await buildRun(exports, stored, hour);
    if (status === 'Starting' || status === 'Running') return;
    if (status === 'Completed') {
      const interval = { exportId: stored.id, start: run.start, end: run.end };
      const epoch = await ledger.takeEpoch(interval, run.id);
      const receipt = { rows, digest: '7', bytes: 120, location: 'here', epoch, cutoff: await batchExports.now() };
      await ledger.beginCommit({ ...interval, epoch });
      await ledger.markDelivered({ ...interval, epoch }, receipt);
      await runs.close(run.id, { status, closedBy: 'run', receipt });
    } else await runs.close(run.id, { status, closedBy: 'run', latestError: 'no' });
  }

  /** Hours 0 to 5: delivered, stale, failed, cancelled (missing), running, requested (running). All others are missing. */
  async function buildMixture(): Promise<void> {
    await createEndedRun(0, 'Completed');
    await createEndedRun(1, 'Completed', 3);
    await exports.world.store([buildEvent({ timestamp: microseconds('2015-05-17T01:30:00Z') })]);
    await createEndedRun(2, 'Failed');
    await createEndedRun(3, 'Cancelled');
    await createEndedRun(4, 'Running');
    await request('POST', `${path}/backfill/`, { start_at: '2015-05-17T05:00Z', end_at: '2015-05-17T06:00Z' });
  }

  it('are created with an id and a Location, or as preferred with the object', async () => {
    const { status, body, headers } = await request('POST', `${path}/backfills/`, DAY);
    const { backfill_id: id } = body as { backfill_id: string };
    assert.equal(status, 201);
    assert.match(headers.get('location') ?? '', new RegExp(`${path}/backfills/${id}/$`));
    const again = await request('POST', `${path}/backfills/`, DAY, { Prefer: 'return=representation' });
    const { id: other, progress } = again.body as Backfill;
    assert.deepEqual([again.status, other === id, progress.total_runs], [201, false, 24]);
    assert.equal(await exports.world.engine.stores.runRequests.countOpen(stored.id), 24, 'shared');
  });

  type Refusal = [overrides: object, body: object, code: string, attr: string, detail: RegExp];
  const daily = { interval: 'day', timezone: 'Europe/Berlin', offsetHour: 3 };
  const refusals: Refusal[] = [
    [{}, { end_at: '2015-05-18' }, 'required', 'start_at', /^This field is required\.$/],
    [
      {},
      { ...DAY, start_at: null },
      'invalid_input',
      'start_at',
      /^Backfilling from the beginning of time is not enabled/,
    ],
    [
      {},
      { ...DAY, end_at: null },
      'invalid_input',
      'end_at',
      /^Backfilling a BatchExport with no end date is not allowed$/,
    ],
    [{}, { ...DAY, start_at: 'x' }, 'invalid_input', 'start_at', /^Input x is not a valid ISO formatted datetime\.$/],
    [{}, { ...DAY, start_at: 5 }, 'invalid_input', 'start_at', /^Not a valid string\.$/],
    [
      {},
      { ...DAY, start_at: '2015-05-17T10:00:00' },
      'invalid_input',
      'start_at',
      /^Input 2015-05-17T10:00:00 is naive\.$/,
    ],
    [
      {},
      { ...DAY, end_at: '2015-05-17' },
      'invalid_input',
      'start_at',
      /^The initial backfill datetime 'start_at' must be/,
    ],
    [
      {},
      { ...DAY, end_at: '2999-01-01' },
      'invalid_input',
      'end_at',
      /^The provided 'end_at' \(2999-.*\) is in the future$/,
    ],
    [{}, { start_at: '2015-05-18T10:10Z', end_at: '2015-05-18T10:50Z' }, 'invalid_input', 'start_at', /^No whole data/],
    [{}, { ...DAY, only: 'delivered' }, 'invalid_choice', 'only', /^"delivered" is not a valid choice\.$/],
    [{}, { ...DAY, only: ['missing', 7] }, 'invalid_choice', 'only', /^"7" is not a valid choice\.$/],
    [{}, { ...DAY, only: [] }, 'empty', 'only', /empty/],
    [{}, { ...DAY, dry_run: 'yes' }, 'invalid_input', 'dry_run', /^Must be a valid boolean\.$/],
    [daily, { ...DAY, start_at: 'x' }, 'invalid_input', 'start_at', /^Input 'x' is not a valid ISO formatted date\.$/],
    [
      daily,
      { ...DAY, start_at: '2015-05-17T00:00:00Z' },
      'invalid_input',
      'start_at',
      /^Input '2015-05-17T00:00:00Z' is not a valid ISO formatted date\. Daily or weekly batch export backfills expect only/,
    ],
    [
      { interval: 'week', offsetDay: 1 },
      DAY,
      'invalid_input',
      'start_at',
      /^Input '2015-05-17' is a Sunday, but the weeks of this batch export begin on Monday\.$/,
    ],
    [
      daily,
      { ...DAY, start_at: '1500-01-01', dry_run: true },
      'invalid_input',
      'start_at',
      /^'start_at' must not be before 1970-01-01T00:00:00Z\.$/,
    ],
    [{ interval: 'month' }, DAY, 'invalid_input', 'start_at', /^Input '2015-05-17' is not the first day of a month\.$/],
  ];
  for (const [overrides, body, code, attr, detail] of refusals) {
    const which = JSON.stringify(overrides) === '{}' ? '' : ` of ${JSON.stringify(overrides)}`;
    it(`refuse ${JSON.stringify(body)}${which}`, async () => {
      const one = await exports.world.batchExports.create(
        exports.world.projectId,
        buildExport({ paused: true, ...overrides }),
      );
      const { status, body: answer } = await request('POST', `/batch_exports/${one.id}/backfills/`, body);
      const { detail: message, ...rest } = answer as { detail: string };
      assert.deepEqual({ status, ...rest }, { status: 400, type: 'validation_error', code, attr });
      assert.match(message, detail);
    });
  }

  const edges: [overrides: object, start: string, end: string, from: string, runs: number][] = [
    [daily, '2015-03-28', '2015-03-31', '2015-03-28T02:00:00.000000Z', 3],
    [{ interval: 'week', offsetDay: 1 }, '2015-05-18', '2015-06-01', '2015-05-18T00:00:00.000000Z', 2],
    [{ interval: 'month', timezone: 'America/New_York' }, '2015-01-01', '2015-04-01', '2015-01-01T05:00:00.000000Z', 3],
    [{}, '2015-05-17T00:30:00Z', '2015-05-17T05:30:00+02:00', '2015-05-17T01:00:00.000000Z', 2],
  ];
  for (const [overrides, start, end, from, runs] of edges) {
    it(`of ${JSON.stringify(overrides)} begin at ${start} on the export's own clock`, async () => {
      const one = await exports.world.batchExports.create(
        exports.world.projectId,
        buildExport({ paused: true, ...overrides }),
      );
      const { body } = await request(
        'POST',
        `/batch_exports/${one.id}/backfills/`,
        { start_at: start, end_at: end },
        { Prefer: 'return=representation' },
      );
      const { adjusted_start_at: adjusted, progress } = body as Backfill & { adjusted_start_at: string };
      assert.deepEqual([adjusted, progress.total_runs], [from, runs]);
    });
  }

  it('are listed by the time of their request or of their start, page by page', async () => {
    for (const hour of ['03', '01', '02']) {
      await request('POST', `${path}/backfills/`, { start_at: `2015-05-17T${hour}:00Z`, end_at: '2015-05-17T09:00Z' });
    }
    for (const [ordering, hours] of [
      ['-created_at', [2, 1, 3]],
      ['created_at', [3, 1, 2]],
      ['start_at', [1, 2, 3]],
      ['-start_at', [3, 2, 1]],
    ] as const) {
      const list = async () => (await request('GET', `${path}/backfills/?ordering=${ordering}&limit=2`)).body;
      const first = (await list()) as Page<Backfill>;
      const second = (await follow(first.next)) as Page<Backfill>;
      const found = [...first.results, ...second.results].map(({ start_at: start }) => Number(start.slice(11, 13)));
      assert.deepEqual(found, hours, ordering);
      assert.deepEqual(((await follow(second.previous)) as Page<Backfill>).results, first.results);
    }
    assert.equal((await request('GET', `${path}/backfills/?ordering=end_at`)).status, 400);
  });

  it('say what they wait for when nothing happens', async () => {
    const created = await request('POST', `${path}/backfills/`, DAY);
    const own = `${path}/backfills/${(created.body as { backfill_id: string }).backfill_id}/`;
    const waitingFor = async () => ((await request('GET', own)).body as { waiting_for: string | null }).waiting_for;
    assert.equal(await waitingFor(), null);
    await exports
      .db('batch_export_backfills')
      .update({ created_at: exports.db.raw(`created_at - interval '1 minute'`) });
    assert.match((await waitingFor()) ?? '', /^No worker asks Temporal for work/);
    await exports.db('timeline').update({ blocked: 'differs' });
    assert.match((await waitingFor()) ?? '', /^Deliveries are blocked: .*sluice recover/);
    await exports.db('timeline').update({ blocked: null });
  });

  it('are not for an export that is not there', async () => {
    for (const suffix of ['backfill/', 'backfills/']) {
      const { status, body } = await request('POST', `/batch_exports/${crypto.randomUUID()}/${suffix}`, DAY);
      assert.equal(status, 404);
      const envelope = { type: 'invalid_request', code: 'not_found', detail: 'BatchExport not found.', attr: null };
      assert.deepEqual(body, envelope);
    }
  });

  it('know no method that would change one', async () => {
    const { body } = await request('POST', `${path}/backfills/`, DAY);
    const own = `${path}/backfills/${(body as { backfill_id: string }).backfill_id}/`;
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await request(method, own, {});
      assert.deepEqual([answer.status, (answer.body as { code: string }).code], [405, 'method_not_allowed']);
    }
  });

  it('are limited in number for each project', async () => {
    const { options, projectId, engine } = exports.world;
    const before = options.limits.backfillsPerProject;
    const live = await engine.stores.inTransaction((inside) => inside.backfills.countLive(projectId));
    options.limits.backfillsPerProject = live + 1;
    try {
      const first = await request('POST', `${path}/backfills/`, DAY);
      const { status, body } = await request('POST', `${path}/backfills/`, DAY);
      assert.deepEqual([first.status, status], [201, 429]);
      assert.deepEqual(body, {
        type: 'server_error',
        code: 'too_many_concurrent_backfills',
        detail: `This team already has ${live + 1} batch export backfills running. Wait for some to finish or cancel them before creating more.`,
        attr: null,
      });
      const { backfill_id: id } = first.body as { backfill_id: string };
      await request('POST', `${path}/backfills/${id}/cancel/`);
      assert.equal((await request('POST', `${path}/backfills/`, DAY)).status, 201);
    } finally {
      options.limits.backfillsPerProject = before;
    }
  });

  it('are cancelled with the runs that only they need, once', async () => {
    const { runRequests: requests } = exports.world.engine.stores;
    const created = await request('POST', `${path}/backfills/`, DAY);
    const { backfill_id: id } = created.body as { backfill_id: string };
    await request('POST', `${path}/backfills/`, { ...DAY, start_at: '2015-05-17T20:00Z' });
    const { status, body } = await request('POST', `${path}/backfills/${id}/cancel/`);
    assert.deepEqual([status, body, await requests.countOpen(stored.id)], [200, { cancelled: true }, 4]);
    const cancelled = (await request('GET', `${path}/backfills/${id}/`)).body as Record<string, unknown>;
    assert.equal(cancelled['status'], 'Cancelled');
    assert.equal(cancelled['finished_at'], cancelled['last_updated_at']);
    assert.deepEqual(cancelled['progress'], { total_runs: 24, finished_runs: 0, failed_runs: 0, progress: 0 });
    const again = await request('POST', `${path}/backfills/${id}/cancel/`);
    assert.deepEqual(
      [again.status, (again.body as { detail: string }).detail],
      [400, "Cannot cancel a backfill that is in 'Cancelled' status"],
    );
  });

  it('say beforehand what they would run, and change nothing', async () => {
    await buildMixture();
    const { status, body } = await request('POST', `${path}/backfills/`, {
      start_at: '2015-05-17T00:00Z',
      end_at: '2015-05-17T08:00Z',
      dry_run: true,
    });
    assert.equal(status, 200);
    const { total_runs: total, intervals, rows, overwrites } = body as Preview;
    const hoursByState = Object.fromEntries(Object.entries(intervals).map(([name, one]) => [name, hoursOf(one.first)]));
    assert.deepEqual(hoursByState, { missing: [3, 6, 7], failed: [2], stale: [1], delivered: [0], running: [4, 5] });
    assert.deepEqual([total, rows, overwrites], [8, { count: 1, exact: true }, { intervals: 2, records: 5, files: 0 }]);
    const listed = (await request('GET', `${path}/backfills/`)).body as Page<Backfill>;
    assert.equal(listed.results.length, 1, 'only the one of the mixture');
  });

  it('say so in the contract’s way of asking, too', async () => {
    await buildMixture();
    const range = { start_at: '2015-05-17T00:00Z', end_at: '2015-05-17T08:00Z', only: 'missing' };
    const preview = await request('POST', `${path}/backfill/`, { ...range, dry_run: true });
    assert.deepEqual([preview.status, (preview.body as Preview).total_runs], [200, 3]);
    const { headers } = await request('POST', `${path}/backfill/`, range);
    assert.equal(((await follow(headers.get('location'))) as Backfill).progress.total_runs, 3);
  });

  const limited: [only: unknown, hours: number[]][] = [
    ['missing', [3, 6, 7]],
    ['failed', [2]],
    [['stale'], [1]],
    [
      ['failed', 'missing', 'stale'],
      [1, 2, 3, 6, 7],
    ],
    [null, [0, 1, 2, 3, 4, 5, 6, 7]],
  ];
  for (const [only, hours] of limited) {
    it(`run exactly what the preview of only ${JSON.stringify(only)} showed`, async () => {
      await buildMixture();
      const range = { start_at: '2015-05-17T00:00Z', end_at: '2015-05-17T08:00Z', only };
      const { plan, total_runs: total } = (await request('POST', `${path}/backfills/`, { ...range, dry_run: true }))
        .body as Preview;
      assert.equal(total, hours.length);
      const { status, body } = await request('POST', `${path}/backfills/`, { ...range, plan });
      assert.equal(status, 201);
      const { rows } = await exports.db.raw<{ rows: { hour: number }[] }>(
        `select extract(hour from data_interval_start at time zone 'UTC')::int as hour from batch_export_requests
         where id in (select request_id from batch_export_backfill_requests where backfill_id = ?) order by 1`,
        [(body as { backfill_id: string }).backfill_id],
      );
      assert.deepEqual(
        rows.map(({ hour }) => hour),
        hours,
      );
    });
  }

  it('of nothing are completed at once', async () => {
    const { status, body } = await request(
      'POST',
      `${path}/backfills/`,
      { ...DAY, only: 'stale' },
      { Prefer: 'return=representation' },
    );
    const { status: how, progress } = body as Backfill;
    assert.deepEqual([status, how, progress.total_runs], [201, 'Completed', 0]);
  });

  it('list by default the interval in which the export was created, which is its first', async () => {
    await exports.db('batch_exports').where({ id: stored.id }).update({ created_at: '2015-05-17T05:30:00Z' });
    const query = 'end=2015-05-17T07:00:00Z';
    const { results } = (await request('GET', `${path}/intervals/?${query}`)).body as Page<Interval>;
    assert.deepEqual(hoursOf(results), [6, 5]);
  });

  it('list the intervals that they are for by status, the newest first, page by page', async () => {
    await buildMixture();
    const within = 'start=2015-05-17T00:00:00Z&end=2015-05-17T08:00:00Z';
    const list = async (query: string) =>
      (await request('GET', `${path}/intervals/?${within}&${query}`)).body as Page<Interval>;
    const all = await list('');
    assert.deepEqual(hoursOf(all.results), [7, 6, 5, 4, 3, 2, 1, 0]);
    assert.deepEqual(all.results.at(-2), {
      data_interval_start: '2015-05-17T01:00:00.000000Z',
      data_interval_end: '2015-05-17T02:00:00.000000Z',
      status: 'stale',
      run: (all.results.at(-2) as unknown as { run: string }).run,
      records_delivered: 3,
      unsettled: false,
      gave_up: false,
      awaiting_decision: false,
    });
    const byStatus: [query: string, hours: number[]][] = [
      ['status=missing', [7, 6, 3]],
      ['status=failed', [2]],
      ['status=stale&status=delivered', [1, 0]],
      ['status=running', [5, 4]],
    ];
    for (const [query, hours] of byStatus) assert.deepEqual(hoursOf((await list(query)).results), hours, query);

    const first = await list('limit=2&status=missing&status=failed');
    const second = (await follow(first.next)) as Page<Interval>;
    assert.deepEqual(
      [hoursOf(first.results), hoursOf(second.results)],
      [
        [7, 6],
        [3, 2],
      ],
    );
    assert.deepEqual([first.previous, second.next], [null, null]);
    assert.deepEqual(((await follow(second.previous)) as Page<Interval>).results, first.results);
  });

  for (const query of ['status=late', 'start=soon', 'start=1969-12-31T23:59:59Z', 'end=-7x', 'cursor=x', 'limit=0']) {
    it(`refuse a list of intervals with ${query}`, async () => {
      const { status, body } = await request('GET', `${path}/intervals/?${query}`);
      assert.deepEqual([status, (body as { attr: string }).attr.split('__')[0]], [400, query.split('=')[0]]);
    });
  }

  describe('of a pause', () => {
    it('cover exactly the intervals that ended in it', async () => {
      const own = await createPausedExport(60);
      const { status, body, headers } = await request('POST', `${own}/unpause/`, { backfill: true });
      assert.deepEqual([status, body], [200, '']);
      const backfill = (await follow(headers.get('location'))) as Backfill;
      assert.equal(backfill.progress.total_runs, 12);
      assert.match(backfill.start_at, /:\d[05]:00\.000000Z$/);
    });

    it('leave out what was delivered meanwhile, and answer with the export when that is preferred', async () => {
      const own = await createPausedExport(60);
      const [newest] = ((await request('GET', `${own}/intervals/?limit=1&start=-1d`)).body as Page<Interval>).results;
      const { runs, batchExports } = exports.world.engine.stores;
      const run = await runs.open({
        projectId: exports.world.projectId,
        batchExportId: own.split('/').at(-1)!,
        start: newest!.data_interval_start,
        end: newest!.data_interval_end,
        kind: 'backfill',
        workflowId: 'any',
        workflowRunId: crypto.randomUUID(),
        createdAt: await batchExports.now(),
      });
      await runs.close(run.id, { status: 'Completed', closedBy: 'run' });
      const { body, headers } = await request(
        'POST',
        `${own}/unpause/`,
        { backfill: true },
        { Prefer: 'return=representation' },
      );
      assert.equal((body as { paused: boolean }).paused, false);
      assert.equal(((await follow(headers.get('location'))) as Backfill).progress.total_runs, 11);
    });

    it('are none where nothing ended in it, nor where none was', async () => {
      const own = await createPausedExport(0);
      const first = await request('POST', `${own}/unpause/`, { backfill: true }, { Prefer: 'return=representation' });
      const second = await request('POST', `${own}/unpause/`, { backfill: true });
      assert.deepEqual([first.status, (first.body as { paused: boolean }).paused], [200, false]);
      assert.deepEqual([second.status, second.headers.get('location')], [200, null]);
    });
  });
});
