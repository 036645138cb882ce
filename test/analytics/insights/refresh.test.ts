/** When a result is computed, how long it is fresh, what it is called, and what lies over its query. */
import assert from 'node:assert/strict';
import { freshnessOf } from '../../../src/analytics/insights/results/freshness.ts';
import { overlayOf, overridesOf } from '../../../src/analytics/insights/results/overlay.ts';
import { canonicalJson, queryHash } from '../../../src/analytics/insights/results/query-key.ts';
import { actionFor, refreshOf } from '../../../src/analytics/insights/results/refresh.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { RIGHTS_OF_PROJECT_KEY } from '../../../src/people/access/rights.ts';

const trends = (more: object = {}) => ({
  kind: 'TrendsQuery',
  series: [{ kind: 'EventsNode', event: 'viewed' }],
  ...more,
});

/** A range that ends just now is one of now. */
const LONG_AGO = -120_000;

/** For how many minutes a result is fresh whose range ends then. */
function minutes(interval: string, end = 200, counts = [3]): number {
  const results = counts.map((count) => ({ count, label: '', data: [count], days: [], labels: [] })) as never;
  return (freshnessOf(parseQuery(trends({ interval })), { results, computedAt: 100, end }).freshUntil - 100) / 60_000;
}

function hash(query: unknown, timezone = 'UTC'): string {
  return queryHash(parseQuery(query), { timezone }).toString('hex');
}

describe('`refresh`', () => {
  const MODES = [
    ['true', 'force_blocking'],
    ['1', 'force_blocking'],
    ['YES', 'force_blocking'],
    ['', 'force_blocking'],
    ['false', 'cache'],
    ['0', 'cache'],
    ['no', 'cache'],
    ['maybe', 'cache'],
    ['constructor', 'cache'],
    ['blocking', 'blocking'],
    ['force_cache', 'force_cache'],
    ['async', 'async'],
    ['lazy_async', 'async'],
    ['force_async', 'force_async'],
    ['force_blocking', 'force_blocking'],
    [undefined, 'async'],
  ] as const;
  for (const [text, mode] of MODES) {
    it(`is ${mode} when it says ${text === undefined ? 'nothing' : `"${text}"`}`, () => {
      assert.equal(refreshOf(text), mode);
    });
  }

  const ACTIONS = [
    ['force_cache', 'show', 'show', 'show'],
    ['cache', 'compute', 'show', 'show'],
    ['async', 'compute', 'show', 'show and compute'],
    ['blocking', 'compute', 'show', 'compute'],
    ['force_async', 'compute', 'show and compute', 'show and compute'],
    ['force_blocking', 'compute', 'compute', 'compute'],
  ] as const;
  for (const [mode, missing, fresh, old] of ACTIONS) {
    it(`${mode}: of what is missing ${missing}, fresh ${fresh}, old ${old}`, () => {
      const actions = [undefined, { isOld: false }, { isOld: true }].map((known) => actionFor(mode, known));
      assert.deepEqual(actions, [missing, fresh, old]);
    });
  }
});

describe('a result', () => {
  it('is fresh for longer the wider its intervals are, and for an hour when they are over', () => {
    assert.deepEqual(
      ['hour', 'day', 'week', 'month'].map((interval) => minutes(interval)),
      [2, 10, 60, 60],
    );
    assert.equal(minutes('hour', LONG_AGO), 60);
  });

  it('that is empty is soon computed again, because events may have just begun', () => {
    assert.equal(minutes('month', LONG_AGO, [0, 0]) * 60, 10);
    assert.equal(minutes('month', LONG_AGO, []) * 60, 10);
    assert.equal(minutes('month', LONG_AGO, [0, 1]), 60);
  });

  it('is the same for the same question however it is written or drawn', () => {
    const hashOfTrends = hash(trends());
    assert.equal(hash({ kind: 'InsightVizNode', source: trends({ interval: 'day' }) }), hashOfTrends);
    assert.equal(hash(trends({ trendsFilter: { display: 'ActionsBar' } })), hashOfTrends);
    assert.notEqual(hash(trends({ interval: 'week' })), hashOfTrends);
    assert.notEqual(hash(trends({ trendsFilter: { display: 'BoldNumber' } })), hashOfTrends);
    assert.notEqual(hash(trends(), 'Asia/Tokyo'), hashOfTrends);
    assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }], a: null }), '{"a":null,"b":[{"c":2,"d":1}]}');
  });
});

describe('the overlay of a query', () => {
  const dashboard = { filters: { date_from: '-7d', properties: [1] }, variables: { a: 1 } };

  it('is what the dashboard says, and what the address says over it', () => {
    assert.deepEqual(overlayOf(dashboard, { filters_overrides: {} }), dashboard);
    assert.deepEqual(overlayOf(dashboard, undefined, { filters: { date_from: '-1d' }, variables: { b: 2 } }), {
      filters: { date_from: '-1d', properties: [1] },
      variables: { a: 1, b: 2 },
    });
  });

  it('is what its tile says instead', () => {
    const tile = { filters_overrides: { date_from: '-2d' } };
    assert.deepEqual(overlayOf(dashboard, tile, { filters: { date_to: '-1d' } }).filters, { date_from: '-2d' });
    assert.deepEqual(overlayOf(dashboard, tile, { tileFilters: { date_to: '-1d' } }).filters, {
      date_from: '-2d',
      date_to: '-1d',
    });
  });

  for (const name of ['filters_override', 'variables_override', 'tile_filters_override'] as const) {
    it(`is refused when ${name} is no JSON object`, () => {
      for (const text of ['{', '[]', 'null', '"text"']) {
        const refused = new InvalidInput(`Invalid JSON passed in ${name} parameter`, name);
        assert.throws(() => overridesOf({ [name]: text }, { rights: RIGHTS_OF_PROJECT_KEY }), refused);
      }
    });
  }
});
