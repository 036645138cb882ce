import assert from 'node:assert/strict';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { buildRun, buildStoredExport, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { thisHour } from '../../support/hours.ts';

type Page<T> = { next: string | null; previous: string | null; results: T[] };
type Backfill = { id: string; status: string; kind: string; progress: object; start_at: string };

describe('runs, backfills and logs over HTTP', () => {
  let exports: ExportsApi;
  let stored: BatchExport;
  let path: string;
  const request: ExportsApi['request'] = (...args) => exports.request(...args);
  /** Follows a link of an answer, which points at the public address. */
  const follow = (link: string) => {
    const { pathname, search } = new URL(link);
    return exports.api.request('GET', pathname + search, { key: exports.key });
  };

  before(async () => {
    await thisHour();
    exports = await startExportsApi();
  });
  beforeEach(async () => {
    stored = await buildStoredExport(exports);
    path = `/batch_exports/${stored.id}`;
  });
  after(() => exports.close());

  /** Ends a run as the engine does. */
  const complete = (run: Run) =>
    exports.world.engine.stores.runs.close(run.id, {
      status: 'Completed',
      closedBy: 'run',
      receipt: { rows: 3, digest: '7', bytes: 120, location: 'here', epoch: 1, cutoff: '2015-05-18T00:00:00.000000Z' },
    });

  it('show a run with every field of the contract, its receipt and where to find it in Temporal', async () => {
    const run = await buildRun(exports, stored, 10);
    await complete(run);
    const { status, body } = await request('GET', `${path}/runs/${run.id}/`);
    assert.equal(status, 200);
    const { created_at, finished_at, last_updated_at, ...rest } = body as Record<string, unknown>;
    for (const at of [created_at, finished_at, last_updated_at]) assert.match(String(at), /\.\d{6}Z$/);
    assert.deepEqual(rest, {
      id: run.id,
      status: 'Completed',
      kind: 'scheduled',
      records_completed: 3,
      latest_error: null,
      error: null,
      data_interval_start: '2015-05-17T10:00:00.000000Z',
      data_interval_end: '2015-05-17T11:00:00.000000Z',
      cursor: null,
      records_failed: 0,
      records_total_count: null,
      bytes_exported: 120,
      batch_export: stored.id,
      workflow_id: `${stored.id}-2015-05-17T11:00:00Z`,
      workflow_run_id: run.workflowRunId,
      backfill: null,
      waiting_for: null,
      verified_at: null,
      receipt: { rows: 3, digest: '7', bytes: 120, location: 'here', epoch: 1, cutoff: '2015-05-18T00:00:00.000000Z' },
    });
    const { latest_runs: latest } = (await request('GET', `${path}/`)).body as {
      latest_runs: Record<string, unknown>[];
    };
    assert.deepEqual([latest[0]?.['id'], latest[0]?.['receipt']], [run.id, undefined]);
  });

  it('list runs newest first, page by page, there and back', async () => {
    const ids: string[] = [];
    for (let hour = 0; hour < 5; hour += 1) ids.unshift((await buildRun(exports, stored, hour)).id);
    const pages: string[][] = [];
    let page = (await request('GET', `${path}/runs/?limit=2`)).body as Page<Run>;
    assert.equal(page.previous, null);
    for (; ; page = (await follow(page.next)).body as Page<Run>) {
      pages.push(page.results.map(({ id }) => id));
      if (page.next === null) break;
    }
    assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
    const before = (await follow(page.previous ?? '')).body as Page<Run>;
    assert.deepEqual(
      before.results.map(({ id }) => id),
      ids.slice(2, 4),
    );
    assert.equal((await request('GET', `${path}/runs/?cursor=nonsense`)).status, 400);
  });

  /** Hours 0 to 3; created now, an hour ago, three days ago, ten days ago. Two are closed. */
  async function buildRuns(): Promise<Map<string, number>> {
    const hours = new Map<string, number>();
    for (const [hour, age] of ['0 hours', '1 hour', '3 days', '10 days'].entries()) {
      const run = await buildRun(exports, stored, hour);
      hours.set(run.id, hour);
      if (hour === 1) await complete(run);
      if (hour === 2) await exports.world.engine.stores.runs.close(run.id, { status: 'Failed', closedBy: 'run' });
      await exports
        .db('batch_export_runs')
        .where({ id: run.id })
        .update({ created_at: exports.db.raw(`created_at - cast(? as interval)`, [age]) });
    }
    return hours;
  }

  describe('in a list', () => {
    const choices: [query: string, hours: number[]][] = [
      ['', [0, 1, 2]],
      ['after=&before=&start=&end=', [0, 1, 2]],
      ['after=-30d', [0, 1, 2, 3]],
      ['after=-1y&before=-2d', [2, 3]],
      ['after=-2h&before=-30h', []],
      ['after=-24h', [0, 1]],
      ['after=2015-01-01', [0, 1, 2, 3]],
      ['after=-1m&ordering=created_at', [3, 2, 1, 0]],
      ['ordering=-created_at', [0, 1, 2]],
      ['ordering=data_interval_start', []],
      ['ordering=data_interval_start&start=2015-01-01', [0, 1, 2, 3]],
      ['ordering=-data_interval_start&start=2015-05-17T01:00:00Z&after=-1h', [3, 2, 1]],
      ['ordering=data_interval_start&start=2015-05-17&end=2015-05-17T03:00:00Z', [0, 1, 2]],
      ['status=Completed', [1]],
      ['status=Failed&status=Completed', [1, 2]],
      ['status=Starting&after=-30d', [0, 3]],
      ['status=Cancelled', []],
    ];
    it('are chosen by status and time, the last seven days by default', async () => {
      const hours = await buildRuns();
      for (const [query, expected] of choices) {
        const { status, body } = await request('GET', `${path}/runs/?${query}`);
        const found = (body as Page<{ id: string }>).results.map(({ id }) => hours.get(id));
        assert.deepEqual([status, found], [200, expected], query);
      }
    });

    it('are found by id however old they are', async () => {
      const old = [...(await buildRuns()).keys()].at(-1)!;
      for (const suffix of ['', 'logs/']) {
        assert.equal((await request('GET', `${path}/runs/${old}/${suffix}`)).status, 200);
      }
      assert.equal((await request('POST', `${path}/runs/${old}/cancel/`)).status, 200);
    });

    for (const ordering of ['created_at', '-created_at', 'data_interval_start', '-data_interval_start']) {
      it(`go page by page, there and back, by ${ordering}`, async () => {
        await buildRuns();
        const query = `ordering=${ordering}&after=-1y&start=2015-01-01`;
        const all = (await request('GET', `${path}/runs/?${query}`)).body as Page<Run>;
        const first = (await request('GET', `${path}/runs/?${query}&limit=3`)).body as Page<Run>;
        const second = (await follow(first.next ?? '')).body as Page<Run>;
        assert.deepEqual([...first.results, ...second.results], all.results);
        assert.deepEqual(((await follow(second.previous ?? '')).body as Page<Run>).results, first.results);
      });
    }

    for (const query of [
      'status=Lost',
      'ordering=id',
      'after=yesterday',
      'before=-7',
      'ordering=data_interval_start&end=x',
    ]) {
      it(`are refused with ${query}`, async () => {
        const { status, body } = await request('GET', `${path}/runs/?${query}`);
        assert.deepEqual([status, (body as { type: string }).type], [400, 'validation_error']);
      });
    }
  });

  it('cancel a run that is under way, but not one that has ended', async () => {
    const run = await buildRun(exports, stored, 10);
    const first = await request('POST', `${path}/runs/${run.id}/cancel/`);
    assert.deepEqual([first.status, first.body], [200, { cancelled: true }]);
    await complete(run);
    const { status, body } = await request('POST', `${path}/runs/${run.id}/cancel/`);
    assert.equal(status, 400);
    assert.deepEqual(body, {
      type: 'validation_error',
      code: 'invalid_input',
      detail: "Cannot cancel a run that is in 'Completed' status",
      attr: null,
    });
  });

  it('say what keeps a run that has been Starting for long', async () => {
    const run = await buildRun(exports, stored, 10);
    const waitingFor = async () =>
      ((await request('GET', `${path}/runs/${run.id}/`)).body as { waiting_for: string | null }).waiting_for;
    assert.equal(await waitingFor(), null);
    await exports
      .db('batch_export_runs')
      .where({ id: run.id })
      .update({ created_at: exports.db.raw(`created_at - interval '1 minute'`) });
    assert.match((await waitingFor()) ?? '', /^No worker asks Temporal for work/);
  });

  it('do not find a run that is another export’s', async () => {
    const other = await buildStoredExport(exports);
    const run = await buildRun(exports, other, 10);
    for (const suffix of ['', 'logs/']) {
      assert.equal((await request('GET', `${path}/runs/${run.id}/${suffix}`)).status, 404);
    }
    assert.equal((await request('POST', `${path}/runs/${run.id}/retry/`)).status, 404);
    assert.equal((await request('GET', `${path}/runs/not-a-uuid/`)).status, 404);
  });

  it('accept a backfill with an empty answer whose Location leads to its state', async () => {
    const range = { start_at: '2015-05-17T10:00:00Z', end_at: '2015-05-17T15:00:00+02:00', interval: 'ignored' };
    const { status, body, headers } = await request('POST', `${path}/backfill/`, range);
    assert.deepEqual([status, body], [200, '']);
    const location = headers.get('location') ?? '';
    assert.match(
      location,
      new RegExp(`^https://sluice\\.example/api/environments/\\d+${path}/backfills/[0-9a-f-]{36}/$`),
    );
    const backfill = (await follow(location)).body as Backfill & Record<string, unknown>;
    const { id, created_at: _, last_updated_at: __, ...rest } = backfill;
    assert.ok(location.endsWith(`/${id}/`));
    assert.deepEqual(rest, {
      team: exports.world.projectId,
      batch_export: stored.id,
      kind: 'backfill',
      start_at: '2015-05-17T10:00:00.000000Z',
      end_at: '2015-05-17T13:00:00.000000Z',
      adjusted_start_at: '2015-05-17T10:00:00.000000Z',
      status: 'Running',
      finished_at: null,
      waiting_for: null,
      total_records_count: null,
      progress: { total_runs: 3, finished_runs: 0, failed_runs: 0, progress: 0 },
    });
  });

  it('answer a backfill with the object when that is preferred', async () => {
    const { status, body, headers } = await request(
      'POST',
      `${path}/backfill/`,
      { start_at: '2015-05-17', end_at: '2015-05-18' },
      { Prefer: 'return=representation' },
    );
    assert.equal(status, 200);
    assert.equal((body as Backfill).start_at, '2015-05-17T00:00:00.000000Z');
    assert.deepEqual(body, (await follow(headers.get('location') ?? '')).body);
  });

  const bad: [body: object, code: string, attr: string, detail: RegExp][] = [
    [{ end_at: '2015-05-18T00:00:00Z' }, 'required', 'start_at', /required/],
    [
      { start_at: '2015-05-18T00:00:00Z', end_at: null },
      'invalid_input',
      'end_at',
      /^Backfilling a BatchExport with no end date is not allowed$/,
    ],
    [
      { start_at: null, end_at: '2015-05-18T00:00:00Z' },
      'invalid_input',
      'start_at',
      /^Backfilling from the beginning of time is not enabled for this team\.$/,
    ],
    [
      { start_at: 'x', end_at: '2015-05-18' },
      'invalid_input',
      'start_at',
      /^Input x is not a valid ISO formatted datetime\.$/,
    ],
    [{ start_at: '2015-05-17T10:00:00', end_at: '2015-05-18' }, 'invalid_input', 'start_at', /is naive\.$/],
    [{ start_at: '2015-05-18', end_at: '2015-05-18' }, 'invalid_input', 'start_at', /must be before 'end_at'$/],
    [{ start_at: '2015-05-18', end_at: '2999-01-01' }, 'invalid_input', 'end_at', /is in the future$/],
    [
      { start_at: '2015-05-18T10:10Z', end_at: '2015-05-18T10:50Z' },
      'invalid_input',
      'start_at',
      /No whole data interval/,
    ],
    [{ start_at: '1980-01-02', end_at: '2015-05-18' }, 'invalid_input', 'start_at', /more than/],
    [{ start_at: '0002-01-02', end_at: '2015-05-18' }, 'invalid_input', 'start_at', /not be before 1970-01-01/],
  ];
  for (const [body, code, attr, detail] of bad) {
    it(`refuse a backfill of ${JSON.stringify(body)}`, async () => {
      const answer = await request('POST', `${path}/backfill/`, body);
      const { detail: message, ...rest } = answer.body as { detail: string };
      assert.deepEqual({ status: answer.status, ...rest }, { status: 400, type: 'validation_error', code, attr });
      assert.match(message, detail);
    });
  }

  it('retry a run that has ended, as a backfill of its interval, but not one under way', async () => {
    const run = await buildRun(exports, stored, 10);
    const early = await request('POST', `${path}/runs/${run.id}/retry/`);
    assert.deepEqual([early.status, (early.body as { code: string }).code], [409, 'conflict']);
    await complete(run);
    const { status, body, headers } = await request('POST', `${path}/runs/${run.id}/retry/`, { status: 'Failed' });
    assert.deepEqual([status, body], [200, '']);
    const backfill = (await follow(headers.get('location') ?? '')).body as Backfill;
    assert.deepEqual(
      [backfill.kind, backfill.start_at, backfill.progress],
      ['retry', '2015-05-17T10:00:00.000000Z', { total_runs: 1, finished_runs: 0, failed_runs: 0, progress: 0 }],
    );
  });

  it('list backfills newest first', async () => {
    for (const hour of ['10', '11', '12']) {
      await request('POST', `${path}/backfill/`, { start_at: `2015-05-17T${hour}:00Z`, end_at: '2015-05-17T13:00Z' });
    }
    const first = (await request('GET', `${path}/backfills/?limit=2`)).body as Page<Backfill>;
    const second = (await follow(first.next ?? '')).body as Page<Backfill>;
    const starts = [...first.results, ...second.results].map(({ start_at }) => start_at.slice(11, 13));
    assert.deepEqual(starts, ['12', '11', '10']);
    assert.equal(second.next, null);
    assert.deepEqual(((await follow(second.previous ?? '')).body as Page<Backfill>).results, first.results);
  });

  it('read the log of an export and of one run, newest entry first', async () => {
    const run = await buildRun(exports, stored, 10);
    const other = await buildRun(exports, stored, 11);
    const { logs } = exports.world.engine.stores;
    await logs.append({ batchExportId: stored.id, runId: run.id, level: 'INFO', message: 'one' });
    await logs.append({ batchExportId: stored.id, runId: other.id, level: 'ERROR', message: 'two' });
    await logs.append({ batchExportId: stored.id, runId: null, level: 'WARNING', message: 'three' });
    const all = (await request('GET', `${path}/logs/`)).body as Page<Record<string, unknown>> & { count: number };
    assert.deepEqual([all.count, all.next, all.previous], [3, null, null]);
    assert.deepEqual(
      all.results.map((entry) => [entry['level'], entry['message'], entry['instance_id']]),
      [
        ['WARNING', 'three', null],
        ['ERROR', 'two', other.workflowRunId],
        ['INFO', 'one', run.workflowRunId],
      ],
    );
    const ofRun = (await request('GET', `${path}/runs/${run.id}/logs/?limit=1`)).body as typeof all;
    assert.equal(ofRun.count, 1);
    assert.match(String(ofRun.results[0]?.['timestamp']), /\.\d{6}Z$/);
    assert.deepEqual(
      { ...ofRun.results[0], id: '', timestamp: '' },
      {
        id: '',
        run: run.id,
        attempt: null,
        log_source_id: stored.id,
        instance_id: run.workflowRunId,
        timestamp: '',
        level: 'INFO',
        message: 'one',
      },
    );
  });

  const readLog = async (query: string, of = 'logs/') =>
    (await request('GET', `${path}/${of}?${query}`)).body as Page<{ level: string; timestamp: string }> & {
      count: number;
    };
  const metrics = async (query: string) => request('GET', `/app_metrics/${stored.id}/?${query}`);

  it('read the requested part of a log', async () => {
    const run = await buildRun(exports, stored, 10);
    const { logs } = exports.world.engine.stores;
    const lines = [
      ['INFO', 'Planned 100 rows'],
      ['WARNING', '50% of c:\\temp_1 is full'],
      ['ERROR', 'The BUCKET is gone'],
      ['DEBUG', 'temp-1'],
    ] as const;
    for (const [level, message] of lines) {
      await logs.append({ batchExportId: stored.id, runId: level === 'ERROR' ? null : run.id, level, message });
    }
    const [, bucket, , planned] = (await readLog('')).results.map(({ timestamp }) => timestamp);
    const choices: [query: string, levels: string[]][] = [
      ['level=error', ['ERROR']],
      ['level=Warn&level=debug', ['DEBUG', 'WARNING']],
      ['level=LOG', ['INFO']],
      ['search=bucket', ['ERROR']],
      ['search=temp_1', ['WARNING']],
      [`search=${encodeURIComponent('50%')}`, ['WARNING']],
      [`search=${encodeURIComponent('c:\\')}`, ['WARNING']],
      ['search=%25', ['WARNING']],
      [`after=${planned}`, ['DEBUG', 'ERROR', 'WARNING']],
      [`after=${planned}&before=${bucket}`, ['WARNING']],
      ['after=-1h', ['DEBUG', 'ERROR', 'WARNING', 'INFO']],
      [`instance_id=${run.workflowRunId}`, ['DEBUG', 'WARNING', 'INFO']],
      ['instance_id=unknown', []],
      ['limit=1&offset=1', ['ERROR']],
    ];
    for (const [query, levels] of choices) {
      const { results } = await readLog(query);
      assert.deepEqual(
        results.map(({ level }) => level),
        levels,
        query,
      );
    }
    assert.equal((await readLog('search=temp', `runs/${run.id}/logs/`)).count, 2);
    assert.match((await readLog('limit=2&level=info&level=error&level=debug')).next ?? '', /level=info&level=error/);
  });

  for (const query of [
    'limit=0',
    'limit=501',
    'limit=x',
    'after=now',
    'before=2015-02-30',
    'level=loud',
    'offset=-1',
  ]) {
    it(`refuse to read a log with ${query}`, async () => {
      const run = await buildRun(exports, stored, 10);
      for (const owner of ['', `runs/${run.id}/`]) {
        const { status, body } = await request('GET', `${path}/${owner}logs/?${query}`);
        assert.deepEqual([status, (body as { attr: string }).attr], [400, query.split('=')[0]]);
      }
    });
  }

  describe('are counted by the day on which they ended', () => {
    type Metrics = { metrics: { dates: string[]; totals: object } & Record<string, number[]> };

    it('days without any included', async () => {
      const { runs } = exports.world.engine.stores;
      for (const [hour, status, age] of [
        [0, 'Completed', '0 days'],
        [1, 'Completed', '2 days'],
        [2, 'Failed', '2 days'],
        [3, 'FailedRetryable', '2 days'],
        [4, 'Cancelled', '2 days'],
        [5, 'Completed', '20 days'],
        [6, 'Completed', '50 days'],
      ] as const) {
        const run = await buildRun(exports, stored, hour);
        await runs.close(run.id, { status, closedBy: 'run' });
        await exports
          .db('batch_export_runs')
          .where({ id: run.id })
          .update({ finished_at: exports.db.raw('finished_at - cast(? as interval)', [age]) });
      }
      const { status, body } = await metrics('date_from=-3d');
      const { metrics: found } = body as Metrics;
      assert.equal(status, 200);
      assert.deepEqual(
        [found['successes'], found['failures']],
        [
          [0, 1, 0, 1],
          [0, 2, 0, 0],
        ],
      );
      assert.deepEqual(found['successes_on_retry'], [0, 0, 0, 0]);
      assert.deepEqual(found.totals, { successes: 2, successes_on_retry: 0, failures: 2 });
      assert.equal(found.dates.at(-1), new Date().toISOString().slice(0, 10));

      const { metrics: month } = (await metrics('')).body as Metrics;
      assert.deepEqual([month.dates.length, month.totals], [31, { successes: 3, successes_on_retry: 0, failures: 2 }]);
      const { metrics: past } = (await metrics('date_from=2015-05-01&date_to=2015-05-03')).body as Metrics;
      assert.deepEqual(past.dates, ['2015-05-01', '2015-05-02', '2015-05-03']);
    });

    for (const query of [
      'date_from=x',
      'date_to=2015-13-01',
      'date_from=2015-05-02&date_to=2015-05-01',
      'date_from=-2y',
    ]) {
      it(`not with ${query}`, async () => {
        const { status, body } = await metrics(query);
        assert.deepEqual([status, (body as { attr: string }).attr], [400, query.split('=')[0]]);
      });
    }
  });

  it('are as many at once as the export says, from 1 to 100', async () => {
    const read = async () =>
      ((await request('GET', `${path}/`)).body as { max_concurrent_runs: number }).max_concurrent_runs;
    assert.equal(await read(), 10);
    await request('PATCH', `${path}/`, { max_concurrent_runs: 3 });
    await request('PATCH', `${path}/`, { name: 'another' });
    assert.equal(await read(), 3);
    for (const [wrong, code] of [
      [0, 'min_value'],
      [101, 'max_value'],
      ['3', 'invalid_input'],
      [null, 'null'],
    ] as const) {
      const { status, body } = await request('PATCH', `${path}/`, { max_concurrent_runs: wrong });
      const { code: foundCode, attr } = body as { code: string; attr: string };
      assert.deepEqual([status, foundCode, attr], [400, code, 'max_concurrent_runs']);
    }
  });
});
