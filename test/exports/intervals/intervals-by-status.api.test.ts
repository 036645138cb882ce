/** Lists of the data intervals with a status: the same intervals as the whole list shows, found without examining years of others. */
import assert from 'node:assert/strict';
import { INTERVAL_STATUSES, type IntervalStatus } from '../../../src/exports/domain/interval-status.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';
import { buildExport } from '../../support/exports/export-world.ts';
import { storeInterval, type IntervalFacts } from '../../support/exports/stored-intervals.ts';
import { thisHour } from '../../support/hours.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const THIS_HOUR = await thisHour();
/** More intervals than one list examines. */
const YEARS_OF_MINUTES = 250_000;

type Listed = { data_interval_end: string; status: IntervalStatus };
type Page = { next: string | null; previous: string | null; results: Listed[] };

/** Facts of the hours before this one, the newest first; null: nothing is known. */
const FACTS: readonly (IntervalFacts | null)[] = [
  { runs: [{ status: 'Completed' }] },
  { runs: [{ status: 'Failed' }] },
  { runs: [{ status: 'Failed' }, { status: 'Completed' }] },
  { runs: [{ status: 'Completed' }, { status: 'Failed' }] },
  { runs: [{ status: 'Cancelled' }] },
  { runs: [{ status: 'Running' }] },
  { runs: [{ status: 'Completed' }], requested: true },
  { runs: [{ status: 'TimedOut' }], requested: true },
  { requested: true },
  null,
  { runs: [{ status: 'Completed' }], isLate: true },
  { runs: [{ status: 'Completed' }, { status: 'FailedRetryable' }], isLate: true },
  { runs: [{ status: 'Completed' }], troubles: ['stale'] },
  { runs: [{ status: 'FailedRetryable' }, { status: 'Terminated' }] },
  { delivered: true, runs: [{ status: 'Starting' }] },
];

const SINGLES_AND_PAIRS = INTERVAL_STATUSES.flatMap((one, index) => [
  [one],
  ...INTERVAL_STATUSES.slice(index + 1).map((other) => [one, other]),
]);

describe('the data intervals with a status', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  /** An export as if it had been made at the instant. */
  async function build(interval: string, createdAt: number): Promise<string> {
    const { world } = exports;
    const { id } = await world.batchExports.create(world.projectId, buildExport({ interval }));
    await world.engine.pool.query('update batch_exports set created_at = $2 where id = $1', [id, isoMicros(createdAt)]);
    return id;
  }
  async function list(path: string): Promise<Page> {
    const { status, body } = await exports.request('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Page;
  }
  async function readAll(first: string): Promise<Listed[]> {
    const results: Listed[] = [];
    for (let path: string | null = first; path;) {
      const page: Page = await list(path);
      results.push(...page.results);
      path = page.next && page.next.slice(page.next.indexOf('/batch_exports/'));
    }
    return results;
  }
  it('are those of the whole list that have it, page by page', async () => {
    const id = await build('hour', THIS_HOUR - FACTS.length * HOUR);
    for (const [index, facts] of FACTS.entries()) {
      const end = THIS_HOUR - index * HOUR;
      if (facts)
        await storeInterval(exports, { exportId: id, start: isoMicros(end - HOUR), end: isoMicros(end) }, facts);
    }
    const whole = (await list(`/batch_exports/${id}/intervals/`)).results;
    assert.deepEqual(
      new Set(whole.map(({ status }) => status)),
      new Set(['missing', 'failed', 'stale', 'delivered', 'running']),
    );
    for (const wanted of SINGLES_AND_PAIRS) {
      const query = wanted.map((status) => `&status=${status}`).join('');
      assert.deepEqual(
        await readAll(`/batch_exports/${id}/intervals/?limit=2${query}`),
        whole.filter(({ status }) => wanted.includes(status)),
        query,
      );
    }
  });

  it('are found behind more intervals than a list examines', async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE;
    const oldest = now - YEARS_OF_MINUTES * MINUTE;
    const id = await build('every 1 minutes', oldest);
    const interval = { exportId: id, start: isoMicros(oldest), end: isoMicros(oldest + MINUTE) };
    await storeInterval(exports, interval, { runs: [{ status: 'Failed' }] });
    const { results } = await list(`/batch_exports/${id}/intervals/?status=failed`);
    assert.deepEqual(
      results.map(({ data_interval_end, status }) => [Date.parse(data_interval_end), status]),
      [[oldest + MINUTE, 'failed']],
    );
  });
});
