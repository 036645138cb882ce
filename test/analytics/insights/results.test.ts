/** Results over a real event store: computed once, kept, shown while they are good, and computed anew. */
import assert from 'node:assert/strict';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import type { Compute } from '../../../src/analytics/insights/results/computing.ts';
import { NO_OVERLAY, type Overlay } from '../../../src/analytics/insights/results/overlay.ts';
import type { Refresh } from '../../../src/analytics/insights/results/refresh.ts';
import type { InsightResult } from '../../../src/analytics/insights/results/result.ts';
import { resultStore } from '../../../src/analytics/insights/results/results.store.ts';
import { createResults, type Results, type ResultsOptions } from '../../../src/analytics/insights/results/results.ts';
import { runQuery } from '../../../src/analytics/queries/computing/run.ts';
import { Unavailable } from '../../../src/platform/errors.ts';
import type { RawAccess } from '../../../src/people/access/raw-data.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { startInsightWorld, type InsightWorld } from '../../support/analytics/insight-world.ts';
import { sleepInTurns } from '../../support/until.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const OPEN: RawAccess = { refusal: () => undefined };

function numberOf(event: string) {
  return { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event }], trendsFilter: { display: 'BoldNumber' } };
}

describe('results of insights', () => {
  let world: InsightWorld;
  let db: Knex;
  let otherDb: Knex;
  let results: Results;
  /** The results of another process of the same service. */
  let elsewhere: Results;
  let computed = 0;
  let hold: Promise<void> | undefined;
  /** When the first computation of a test has begun. */
  let begun = Promise.withResolvers<void>();
  let failure: Error | undefined;
  let now = Date.now();
  let askedCount = 0;
  const logged: string[] = [];

  const compute: Compute = async (project, query) => {
    computed += 1;
    begun.resolve();
    await hold;
    if (failure) throw failure;
    return runQuery(world.pool, project, query, { now });
  };

  function start(over: Knex, more: Partial<ResultsOptions> = {}): Results {
    const log = createLogger({ LOG_LEVEL: 'debug' }, 'test', { write: (line) => logged.push(line) });
    return createResults({ cache: resultStore(over), compute, log, now: () => now, ...more });
  }

  before(async () => {
    world = await startInsightWorld();
    db = createKnex({ url: world.databaseUrl, applicationName: 'test' });
    otherDb = createKnex({ url: world.databaseUrl, applicationName: 'test' });
    results = start(db);
    elsewhere = start(otherDb);
  });

  after(async () => {
    await results.close();
    await elsewhere.close();
    await Promise.all([db.destroy(), otherDb.destroy()]);
    await world.close();
  });

  beforeEach(() => {
    [computed, hold, failure] = [0, undefined, undefined];
    now = Date.now();
    begun = Promise.withResolvers();
    logged.length = 0;
  });

  /** A question that nobody has asked before. */
  function question(): string {
    return `viewed ${(askedCount += 1)}`;
  }

  async function readResult(
    event: string,
    refresh: Refresh,
    { from = results, overlay = NO_OVERLAY }: { from?: Results; overlay?: Overlay } = {},
  ): Promise<InsightResult & { value: number | undefined }> {
    const project = { id: world.ours.projectId };
    const [result] = await from.getResults(project, [{ insight: { query: numberOf(event) }, overlay }], refresh, OPEN);
    const rows = result!.result as { aggregated_value: number }[] | null;
    return { ...result!, value: rows?.[0]?.aggregated_value };
  }

  async function send(event: string): Promise<void> {
    await world.send([{ event, distinct_id: 'someone', timestamp: new Date(Date.now() - MINUTE).toISOString() }]);
  }

  it('are computed by the first look, and shown to the next', async () => {
    const event = question();
    await send(event);
    const first = await readResult(event, 'cache');
    assert.deepEqual([first.value, first.is_cached, first.error, computed], [1, false, null, 1]);
    const second = await readResult(event, 'cache');
    assert.deepEqual({ ...second, is_cached: false }, first);
    assert.deepEqual([second.is_cached, computed], [true, 1]);
    assert.equal(first.last_refresh, new Date(now).toISOString().replace('Z', '000Z'));
    assert.ok(first.cache_target_age! > first.last_refresh!);
  });

  it('are not computed where only the cache is read', async () => {
    const shown = await readResult(question(), 'force_cache');
    assert.deepEqual([shown.result, shown.is_cached, shown.last_refresh, computed], [null, false, null, 0]);
    assert.match(shown.filters_hash!, /^[0-9a-f]{64}$/);
  });

  it('are nothing where there is no query', async () => {
    const [none] = await results.getResults(
      { id: world.ours.projectId },
      [{ insight: { query: null }, overlay: NO_OVERLAY }],
      'force_blocking',
      OPEN,
    );
    assert.deepEqual([none!.result, none!.error, computed], [null, null, 0]);
  });

  const OLD = [
    { refresh: 'force_cache', value: 1, computations: 0 },
    { refresh: 'cache', value: 1, computations: 0 },
    { refresh: 'async', value: 1, computations: 1 },
    { refresh: 'force_async', value: 1, computations: 1 },
    { refresh: 'blocking', value: 2, computations: 1 },
    { refresh: 'force_blocking', value: 2, computations: 1 },
  ] as const;
  for (const { refresh, value, computations } of OLD) {
    it(`${refresh}: an old one is ${computations === 0 ? 'shown' : value === 1 ? 'shown, and computed behind it' : 'computed'}`, async () => {
      const event = question();
      await send(event);
      await readResult(event, 'cache');
      await send(event);
      now += 11 * MINUTE;
      const shown = await readResult(event, refresh);
      const isBehind = computations === 1 && value === 1;
      assert.deepEqual([shown.value, shown.query_status?.complete], [value, isBehind ? false : undefined]);
      await results.close();
      assert.equal(computed, 1 + computations);
      assert.equal((await readResult(event, 'force_cache')).value, 1 + computations);
    });
  }

  it('are computed again after a clock that was a day ahead has been set back', async () => {
    const event = question();
    await send(event);
    const today = now;
    now += DAY;
    await readResult(event, 'cache');
    now = today + 2 * MINUTE;
    const shown = await readResult(event, 'blocking');
    assert.deepEqual([shown.value, shown.last_refresh! < new Date(today + DAY).toISOString(), computed], [1, true, 2]);
    await readResult(event, 'blocking');
    assert.equal(computed, 2);
  });

  it('are computed once however many ask, also in other processes', async () => {
    const event = question();
    const gate = Promise.withResolvers<void>();
    hold = gate.promise;
    const looks = [results, results, elsewhere, elsewhere, results].map((from) =>
      readResult(event, 'blocking', { from }),
    );
    await sleepInTurns(50);
    gate.resolve();
    const shown = await Promise.all(looks);
    assert.equal(computed, 1);
    assert.equal(new Set(shown.map(({ last_refresh }) => last_refresh)).size, 1);
  });

  it('that are forced while one is computed begin after it, and once for all', async () => {
    const event = question();
    const gate = Promise.withResolvers<void>();
    hold = gate.promise;
    const first = readResult(event, 'cache');
    await begun.promise;
    const forced = [readResult(event, 'force_blocking'), readResult(event, 'force_blocking')];
    await sleepInTurns(200);
    assert.equal(computed, 1);
    gate.resolve();
    await first;
    await Promise.all(forced);
    assert.equal(computed, 2);
  });

  it('say what failed: the others are answered', async () => {
    const [good, bad] = [question(), question()];
    await readResult(good, 'cache');
    failure = new Error('relation "secret" is not there');
    const project = { id: world.ours.projectId };
    const asking = [good, bad].map((event) => ({ insight: { query: numberOf(event) }, overlay: NO_OVERLAY }));
    const [shown, failed] = await results.getResults(project, asking, 'cache', OPEN);
    assert.equal(shown!.error, null);
    assert.deepEqual(failed!.error, { type: 'server_error', message: 'The result could not be computed.' });
    assert.equal(failed!.query_status?.error_message, 'The result could not be computed.');
    assert.match(logged.join(''), /could not be computed/);

    failure = undefined;
    assert.equal((await readResult(bad, 'cache')).error, null);
  });

  for (const refresh of ['force_cache', 'force_blocking'] as const) {
    it(`${refresh}: are 16 MB together, even if the same is requested repeatedly`, async () => {
      const text = 'x'.repeat(5 * 1024 * 1024);
      const large = start(db, {
        compute: async (project, query) => ({ ...(await compute(project, query)), results: [[text]] }),
      });
      const [event, other] = [question(), question()];
      for (const one of [event, other]) await readResult(one, 'cache', { from: large });
      const asking = [event, event, other, event, other].map((one) => ({
        insight: { query: numberOf(one) },
        overlay: NO_OVERLAY,
      }));
      const shown = await large.getResults({ id: world.ours.projectId }, asking, refresh, OPEN);
      const lengthsOrErrors = shown.map(({ result, error }) => error?.type ?? (result as string[][])[0]![0]!.length);
      const fits = text.length;
      assert.deepEqual(
        lengthsOrErrors.toSorted((a, b) => String(a).localeCompare(String(b))),
        [fits, fits, fits, 'too_large', 'too_large'],
      );
      assert(shown.every(({ result, error }) => (result === null) === (error !== null)));
      await large.close();
    });
  }

  it('that cannot be renewed are shown as they were, with the reason', async () => {
    const event = question();
    await send(event);
    await readResult(event, 'cache');
    failure = new Unavailable('It took too long.');
    const shown = await readResult(event, 'force_blocking');
    assert.deepEqual(
      [shown.value, shown.is_cached, shown.error],
      [1, true, { type: 'timeout', message: 'It took too long.' }],
    );
  });

  it('that took too long are not computed again for every viewer', async () => {
    const event = question();
    failure = new Unavailable('It took too long.');
    await readResult(event, 'cache');
    failure = undefined;
    assert.equal((await readResult(event, 'blocking')).error?.message, 'It took too long.');
    assert.equal(computed, 1);
    assert.equal((await readResult(event, 'force_blocking')).value, 0);
    assert.equal((await readResult(event, 'blocking')).error, null);
  });

  it('that take longer than anybody waits are there afterwards', async () => {
    const event = question();
    const gate = Promise.withResolvers<void>();
    hold = gate.promise;
    const hasty = start(db, { maxWaitMs: 20 });
    const late = await readResult(event, 'cache', { from: hasty });
    assert.deepEqual([late.result, late.error?.type], [null, 'timeout']);
    gate.resolve();
    await hasty.close();
    assert.equal((await readResult(event, 'force_cache')).value, 0);
  });

  const MINUTES_FRESH = [
    { named: 'no end', dates: {}, minutes: 1 },
    { named: 'an end just now', dates: { before: () => now - 1 }, minutes: 1 },
    { named: 'an end some time ago', dates: { before: () => now - 2 * MINUTE }, minutes: 60 },
  ];
  for (const { named, dates, minutes } of MINUTES_FRESH) {
    it(`of a table that names ${named} are fresh for ${minutes} min`, async () => {
      const event = question();
      const timestamp = new Date(now - 5 * MINUTE).toISOString();
      await world.send([{ event, distinct_id: 'someone', timestamp }]);
      const before = dates.before && new Date(dates.before()).toISOString();
      const query = { kind: 'EventsQuery', select: ['event'], event, ...(before && { before }) };
      const asking = [{ insight: { query }, overlay: NO_OVERLAY }];
      const [shown] = await results.getResults({ id: world.ours.projectId }, asking, 'cache', OPEN);
      assert.deepEqual(shown!.result, [[event]]);
      assert.equal(Date.parse(shown!.cache_target_age!) - Date.parse(shown!.last_refresh!), minutes * MINUTE);
    });
  }

  it('are others when something lies over the query, and none when that is nonsense', async () => {
    const event = question();
    await send(event);
    const past: Overlay = { filters: { date_from: '2020-01-01', date_to: '2020-01-31' }, variables: {} };
    assert.equal((await readResult(event, 'cache')).value, 1);
    assert.equal((await readResult(event, 'cache', { overlay: past })).value, 0);
    const nonsense: Overlay = { filters: { date_from: 'whenever' }, variables: {} };
    assert.equal((await readResult(event, 'cache', { overlay: nonsense })).error?.type, 'validation_error');
  });

  it('are others when days end elsewhere', async () => {
    const event = question();
    const { filters_hash: before } = await readResult(event, 'cache');
    await world.setTimeZone('Asia/Tokyo');
    const { filters_hash: after, timezone } = await readResult(event, 'cache');
    await world.setTimeZone('UTC');
    assert.notEqual(after, before);
    assert.equal(timezone, 'Asia/Tokyo');
  });

  it('are removed when they are old', async () => {
    const event = question();
    const { last_refresh } = await readResult(event, 'cache');
    const cache = resultStore(db);
    await cache.sweep(last_refresh!);
    assert.equal((await readResult(event, 'force_cache')).is_cached, true);
    assert.ok((await cache.sweep(new Date(now + 1).toISOString())) > 0);
    assert.equal((await readResult(event, 'force_cache')).is_cached, false);
  });
});
