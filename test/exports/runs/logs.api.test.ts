import assert from 'node:assert/strict';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { logStore } from '../../../src/exports/runs/logs.store.ts';
import type { Run } from '../../../src/exports/runs/runs.store.ts';
import { leastMs } from '../../support/durations.ts';
import { buildRun, buildStoredExport, startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Entry = {
  id: string;
  run: string | null;
  attempt: number | null;
  timestamp: string;
  level: string;
  message: string;
};
type Page = { count: number | null; next: string | null; previous: string | null; results: Entry[] };

const MANY = 200_000;

const lines = ({ results }: Page) => results.map(({ message }) => Number(message.replace('line ', '')));
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

describe('the log of an export and of a run, over HTTP', () => {
  let exports: ExportsApi;
  let one: BatchExport;
  let run: Run;
  let many: Run;

  before(async () => {
    exports = await startExportsApi();
    one = await buildStoredExport(exports);
    run = await buildRun(exports, one, 10);
    many = await buildRun(exports, one, 11);
    await write(run, 1, 25);
    await write(many, 1, MANY);
    await exports.db.raw('analyze batch_export_logs');
  });
  after(() => exports.close());

  /** Lines `line 1` on, a second apart; each tenth is an error, each attempt writes five. */
  const write = async ({ id, batchExportId }: Run, from: number, to: number) =>
    exports.db.raw(
      `insert into batch_export_logs (batch_export_id, run_id, timestamp, level, message, attempt)
       select ?, ?, timestamptz '2025-06-02T09:00:00Z' + n * interval '1 second',
         case when n % 10 = 0 then 'ERROR' else 'INFO' end, 'line ' || n, (n - 1) / 5 + 1
       from generate_series(cast(? as integer), cast(? as integer)) as n`,
      [batchExportId, id, from, to],
    );
  const download = async (path: string, headers: Record<string, string> = {}) =>
    exports.api.request('GET', `/api/environments/${exports.world.projectId}${path}`, { key: exports.key, headers });
  const pathOf = (of: Run) => `/batch_exports/${one.id}/runs/${of.id}/logs/`;
  async function read(address: string): Promise<Page> {
    const path = address.replace(/^https?:\/\/[^/]+\/api\/(?:environments|projects)\/\d+/, '');
    const answer = await exports.request('GET', path);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Page;
  }

  it('is paged by cursor in both directions', async () => {
    const first = await read(`${pathOf(run)}?cursor=&limit=10`);
    assert.deepEqual([first.count, first.previous, lines(first)], [null, null, range(25, 16)]);
    const second = await read(first.next!);
    assert.deepEqual(lines(second), range(15, 6));
    const third = await read(second.next!);
    assert.deepEqual([third.next, lines(third)], [null, range(5, 1)]);
    assert.deepEqual(lines(await read(third.previous!)), range(15, 6));
    const newest = await read(second.previous!);
    assert.deepEqual([newest.previous, lines(newest)], [null, range(25, 16)]);
  });

  it('is paged by offset as it was, and says how many there are', async () => {
    const page = await read(`${pathOf(run)}?limit=10&offset=10`);
    assert.deepEqual([page.count, lines(page)], [25, range(15, 6)]);
    assert.match(page.next!, /offset=20/);
  });

  it('has an id, a run and an attempt for each entry', async () => {
    const { results } = await read(`${pathOf(run)}?cursor=`);
    assert.equal(new Set(results.map(({ id }) => id)).size, 25);
    assert.ok(results.every((entry) => /^\d+$/.test(entry.id) && entry.run === run.id));
    assert.deepEqual([results[0]!.attempt, results[24]!.attempt], [5, 1]);
    await exports.world.engine.stores.logs.append({
      batchExportId: one.id,
      runId: null,
      level: 'INFO',
      message: 'Paused',
    });
    const [newest] = (await read(`/batch_exports/${one.id}/logs/?cursor=&limit=1`)).results;
    assert.deepEqual([newest!.message, newest!.run, newest!.attempt], ['Paused', null, null]);
  });

  const filters: { what: string; query: string; expected: number[] }[] = [
    { what: 'one level', query: 'level=error', expected: [20, 10] },
    { what: 'several levels', query: 'level=ERROR&level=WARN', expected: [20, 10] },
    { what: 'an attempt', query: 'attempt=2', expected: range(10, 6) },
    { what: 'a text, whatever its case', query: 'search=LINE%202', expected: [...range(25, 20), 2] },
    { what: 'a text as it stands, not a pattern', query: 'search=line%25', expected: [] },
    { what: 'instants', query: 'after=2025-06-02T09:00:05Z&before=2025-06-02T09:00:09Z', expected: [8, 7, 6] },
    { what: 'several of these', query: 'attempt=2&level=ERROR&search=0', expected: [10] },
  ];
  for (const { what, query, expected } of filters) {
    it(`is narrowed by ${what}, on pages of both kinds`, async () => {
      assert.deepEqual(lines(await read(`${pathOf(run)}?cursor=&${query}`)), expected);
      assert.deepEqual(lines(await read(`${pathOf(run)}?${query}`)), expected);
    });
  }

  it('is followed by reading the last five seconds again, and by leaving out what was read', async () => {
    const known = new Map((await read(`${pathOf(run)}?cursor=&limit=500`)).results.map((entry) => [entry.id, entry]));
    // Later than the newest, and before it: an entry of a transaction that took longer.
    await write(run, 26, 27);
    await write(run, 23, 23);
    const page = await read(`${pathOf(run)}?cursor=&limit=500&after=2025-06-02T09:00:20Z`);
    const fresh = { ...page, results: page.results.filter(({ id }) => !known.has(id)) };
    assert.deepEqual(lines(fresh), [27, 26, 23]);
    const { id } = run;
    await exports.db.raw(
      `delete from batch_export_logs where run_id = ? and (message in ('line 26', 'line 27') or id = ?)`,
      [id, fresh.results[2]!.id],
    );
  });

  it('continues where the search of one page ended, though nothing was found there', async () => {
    const logs = logStore(exports.db, { maxSearched: 7 });
    const filter = { batchExportId: one.id, runId: run.id, search: 'line 3' };
    const looked = await logs.listPage(filter, { limit: 11 });
    assert.equal(looked.length, 1);
    assert.equal(looked[0]!.lastSearched, true);
    const found: number[] = [];
    for await (const entries of logs.streamAll(filter, { max: 100, batchSize: 10 })) found.push(entries.length);
    assert.deepEqual(found, [1]);
  });

  for (const { what, query, status } of [
    { what: 'a cursor that nobody gave out', query: 'cursor=abc', status: 400 },
    { what: 'an attempt below one', query: 'attempt=0', status: 400 },
    { what: 'a text of 201 characters', query: `search=${'x'.repeat(201)}`, status: 400 },
    { what: 'another format', query: 'format=xml', status: 400 },
  ]) {
    it(`refuses ${what}`, async () => {
      const answer = await exports.request('GET', `${pathOf(run)}?${query}`);
      assert.deepEqual([answer.status, (answer.body as { attr: string }).attr], [status, query.split('=')[0]]);
    });
  }

  describe('as text', () => {
    it('has a line for each entry, the oldest first, by `format` and by the header', async () => {
      for (const { path, headers } of [
        { path: `${pathOf(run)}?format=text`, headers: {} },
        { path: pathOf(run), headers: { Accept: 'text/plain' } },
      ]) {
        const answer = await download(path, headers);
        assert.equal(answer.status, 200);
        assert.match(answer.headers.get('Content-Type')!, /^text\/plain; charset=utf-8/);
        assert.match(answer.headers.get('Content-Disposition')!, /^attachment; filename="run-[0-9a-f-]+\.log"$/);
        const all = (answer.body as string).trimEnd().split('\n');
        assert.equal(all.length, 25);
        assert.equal(all[0], '2025-06-02T09:00:01.000000Z INFO    #1 line 1');
        assert.equal(all[24], '2025-06-02T09:00:25.000000Z INFO    #5 line 25');
      }
    });

    it('takes the filters, and ends where there is nothing', async () => {
      const answer = await download(`${pathOf(run)}?format=text&level=error&attempt=2`);
      assert.equal(answer.body, '2025-06-02T09:00:10.000000Z ERROR   #2 line 10\n');
      assert.equal((await download(`${pathOf(run)}?format=text&search=nothing`)).body, '');
    });

    it('keeps an entry on its line, whatever it says', async () => {
      const other = await buildRun(exports, one, 12);
      const message = 'a\n2025-06-02T09:00:10.000000Z ERROR - forged\u2028b';
      await exports.world.engine.stores.logs.append({ batchExportId: one.id, runId: other.id, level: 'INFO', message });
      const { body } = await download(`${pathOf(other)}?format=text`);
      assert.equal((body as string).trimEnd().split(/[\n\u2028]/).length, 1);
    });

    it('is whole, however long it is', async () => {
      const { body } = await download(`${pathOf(many)}?format=text`);
      const all = (body as string).trimEnd().split('\n');
      assert.equal(all.length, MANY);
      assert.deepEqual(
        all.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1))),
        range(MANY, 1).toReversed(),
      );
    }).timeout(300_000);
  });

  describe(`of a run with ${MANY} lines`, () => {
    it('reads a page from the index, wherever it is', async () => {
      const [middle] = (await exports.db('batch_export_logs').where({ run_id: many.id, message: 'line 100000' })) as {
        id: string;
        timestamp: string;
      }[];
      const { rows } = await exports.db.raw<{ rows: { 'QUERY PLAN': string }[] }>(
        `explain select log.* from batch_export_logs as log where batch_export_id = ? and run_id = ?
           and (log.timestamp, log.id) < (?::timestamptz, ?::bigint) order by log.timestamp desc, log.id desc limit 51`,
        [one.id, many.id, middle!.timestamp, middle!.id],
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Scan using batch_export_logs_(run|newest)/);
      assert.doesNotMatch(plan, /Sort|Seq Scan/);
    });

    const queries: { what: string; query: string; first: number }[] = [
      { what: 'the newest', query: '', first: MANY },
      { what: 'in the middle', query: '&before=2025-06-03T12:46:41Z', first: 100_000 },
      { what: 'the errors', query: '&level=ERROR', first: MANY },
      { what: 'a text of the oldest', query: '&search=line%2017', first: 179_999 },
      { what: 'a text that is nowhere', query: '&search=nowhere', first: NaN },
    ];
    for (const { what, query, first } of queries) {
      it(`is read in half a second: ${what}`, async () => {
        const least = await leastMs(500, async () => {
          const startedMs = performance.now();
          const page = await read(`${pathOf(many)}?cursor=&limit=50${query}`);
          if (!Number.isNaN(first)) assert.equal(lines(page)[0], first);
          return performance.now() - startedMs;
        });
        assert.ok(least < 500, `${least} ms`);
      });
    }
  });
});
