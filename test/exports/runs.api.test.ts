import assert from 'node:assert/strict';
import type { BatchExport } from '../../src/exports/batch-exports.store.ts';
import type { Run } from '../../src/exports/runs.store.ts';
import { buildRun, buildStoredExport, startExportsApi, type ExportsApi } from '../support/exports-api.ts';

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
      records_completed: 3,
      latest_error: null,
      data_interval_start: '2015-05-17T10:00:00.000000Z',
      data_interval_end: '2015-05-17T11:00:00.000000Z',
      cursor: null,
      records_total_count: null,
      bytes_exported: 120,
      batch_export: stored.id,
      workflow_id: `${stored.id}-2015-05-17T11:00:00Z`,
      workflow_run_id: run.workflowRunId,
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

  it('do not find a run that is another export’s', async () => {
    const other = await buildStoredExport(exports);
    const run = await buildRun(exports, other, 10);
    for (const suffix of ['', 'logs/']) {
      assert.equal((await request('GET', `${path}/runs/${run.id}/${suffix}`)).status, 404);
    }
    assert.equal((await request('POST', `${path}/runs/${run.id}/retry/`)).status, 404);
    assert.equal((await request('GET', `${path}/runs/not-a-uuid/`)).status, 404);
  });

  it('accept a backfill with an empty answer whose Location tells how it is', async () => {
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
    [{ start_at: '0002-01-02', end_at: '2015-05-18' }, 'invalid_input', 'start_at', /more than/],
  ];
  for (const [body, code, attr, detail] of bad) {
    it(`refuse a backfill of ${JSON.stringify(body)}`, async () => {
      const answer = await request('POST', `${path}/backfill/`, body);
      const { detail: said, ...rest } = answer.body as { detail: string };
      assert.deepEqual({ status: answer.status, ...rest }, { status: 400, type: 'validation_error', code, attr });
      assert.match(said, detail);
    });
  }

  it('retry a run that has ended, as a backfill of its interval, and none that has not', async () => {
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
      { ...ofRun.results[0], timestamp: '' },
      { log_source_id: stored.id, instance_id: run.workflowRunId, timestamp: '', level: 'INFO', message: 'one' },
    );
  });
});
