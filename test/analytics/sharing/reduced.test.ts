/** The JSON that strangers get: no more than is drawn. */
import assert from 'node:assert/strict';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { InsightBody } from '../../../src/analytics/insights/schema.ts';
import { table } from '../../../src/analytics/sharing/charts/table.ts';
import { publicDashboard, publicInsight } from '../../../src/analytics/sharing/reduced.ts';
import type { ShareSettings } from '../../../src/analytics/sharing/settings.ts';
import type { DashboardBody } from '../../../src/analytics/dashboards/schema.ts';

const EVENTS = { kind: 'DataTableNode', source: { kind: 'EventsQuery' } };
const trends = (display?: string) => ({
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', ...(display !== undefined && { trendsFilter: { display } }) },
});

function reduced(insight: object, settings: ShareSettings = {}, showsDescription = true) {
  const whole = { description: 'How', last_refresh: '2025-06-02T08:00:00Z', hasMore: false, ...insight };
  return publicInsight(whole as unknown as InsightBody, { dashboards: [], showsDescription, settings });
}
const resultOf = (insight: object) => reduced(insight).result as Record<string, unknown>[];

const series = (label: string, others: object = {}) => ({
  label,
  labels: ['1-Jun-2025', '2-Jun-2025'],
  days: ['2025-06-01', '2025-06-02'],
  data: [1, 2],
  count: 3,
  breakdown_value: 'secret',
  action: { id: 'secret_event', name: 'secret_event', custom_name: label },
  ...others,
});

describe('a table for strangers', () => {
  for (const { rows, hasMore } of [
    { rows: 100, hasMore: false },
    { rows: 101, hasMore: true },
  ]) {
    it(`of ${rows} rows and 40 columns is cut to what is drawn`, () => {
      const columns = Array.from({ length: 40 }, (_, index) => `c${index}`);
      const result = Array.from({ length: rows }, () => columns);
      const shown = reduced({ query: EVENTS, result, columns, types: columns });
      const shownRows = shown.result as string[][];
      const widths = new Set([shown.columns?.length, ...shownRows.map((row) => row.length)]);
      assert.deepEqual([shownRows.length, [...widths], shown.types, shown.hasMore], [100, [30], null, hasMore]);
    });
  }

  const properties = { email: 'u0@example.com', note: 'x'.repeat(400) };
  for (const [what, cell, says] of [
    ['a person', { uuid: '1', distinct_id: 'u0', properties: { email: 'u0@example.com' } }, 'u0'],
    ['a named person', { uuid: '1', distinct_id: 'u0', properties: { name: 'Ada', email: 'a@example.com' } }, 'Ada'],
    ['what is only like a person', { distinct_id: 'u0', properties: null }, 'u0'],
    ['properties', properties, `${JSON.stringify(properties).slice(0, 300)}…`],
    [
      'an event',
      { event: 'paid', distinct_id: 'u0', properties: {} },
      '{"event":"paid","distinct_id":"u0","properties":{}}',
    ],
    ['a list', [1, 'a'], '[1,"a"]'],
    ['a long text', `${'x'.repeat(299)}😀😀`, `${'x'.repeat(299)}�…`],
    ['an instant', '2025-06-02T08:00:00.123Z', '2025-06-02 08:00:00'],
    ['a boolean', true, 'true'],
  ] as const) {
    it(`reads ${what} as the page shows it`, () => {
      const [[shownCell]] = reduced({ query: EVENTS, result: [[cell]], columns: ['a'] }).result as [[unknown]];
      assert.equal(shownCell, says);
      const html = renderToString(h('div', null, table({ name: 'Events', header: ['a'], rows: [[shownCell]] })));
      assert.equal(/<td>(.*?)<\/td>/.exec(html)?.[1], says.replaceAll('"', '&quot;'));
    });
  }

  it('has numbers as numbers, and nothing as null', () => {
    const { result } = reduced({ query: EVENTS, result: [[1.25, null]], columns: ['a', 'b'] });
    assert.deepEqual(result, [[1.25, null]]);
  });
});

describe('a chart for strangers', () => {
  it('is reduced to what is drawn of each series, step and cohort', () => {
    const drawn = { label: 'Visits', labels: ['1-Jun-2025', '2-Jun-2025'], data: [1, 2], count: 3 };
    assert.deepEqual(resultOf({ query: trends(), result: [series('Visits')] }), [drawn]);
    const step = { action_id: 'secret_event', type: 'events', order: 0, median_conversion_time: 3 };
    const kept = { count: 2, average_conversion_time: 4 };
    assert.deepEqual(
      resultOf({
        query: { kind: 'FunnelsQuery' },
        result: [{ ...step, ...kept, name: 'secret_event', custom_name: 'Paid' }],
      }),
      [{ ...kept, name: 'Paid' }],
    );
    const cohort = { label: 'Day 0', date: '2025-06-01T22:00:00Z', values: [{ count: 1, label: 'Day 0' }] };
    const retained = { ...cohort, people_url: 'secret', values: [{ ...cohort.values[0], people: ['secret'] }] };
    assert.deepEqual(resultOf({ query: { kind: 'RetentionQuery' }, result: [retained] }), [cohort]);
  });

  it('of a single number is that number, and its earlier value', () => {
    const labels = ['Visits', 'Orders'];
    const result = ['current', 'previous'].flatMap((compare_label) =>
      labels.map((one) => series(one, { compare_label })),
    );
    const shownSeries = resultOf({ query: trends('BoldNumber'), result });
    assert.deepEqual(
      shownSeries.map(({ label, compare_label }) => [label, compare_label]),
      [
        ['Visits', 'current'],
        ['Visits', 'previous'],
      ],
    );
  });

  for (const { display, named } of [
    { display: 'ActionsLineGraph', named: 29 },
    { display: 'ActionsPie', named: 25 },
    { display: 'ActionsTable', named: 100 },
  ]) {
    it(`names ${named} series, as ${display} does, and counts the others`, () => {
      const result = Array.from({ length: 101 }, (_, n) => series(`Series ${n}`));
      const shownSeries = resultOf({ query: trends(display), result });
      assert.equal(shownSeries.length, 101);
      assert.equal(shownSeries.filter(({ label }) => label !== '').length, named);
      assert.deepEqual(shownSeries.at(-1), { label: '', labels: [], data: [], count: 3 });
    });
  }

  it('contains nothing of the previous range that is longer than this one', () => {
    const before = series('Visits', { compare_label: 'previous', data: [7, 8, 9], labels: ['a', 'b', 'c'] });
    const [, previousSeries] = resultOf({ query: trends(), result: [series('Visits'), before] });
    assert.deepEqual(
      [previousSeries?.['data'], previousSeries?.['labels']],
      [
        [7, 8],
        ['a', 'b'],
      ],
    );
  });

  it('has no result where an error is shown in its place, and no range and zone that are not shown', () => {
    const error = { type: 'server_error', message: 'column "secret" does not exist' };
    const query = trends();
    const shown = reduced({
      query,
      error,
      result: [series('Visits')],
      timezone: 'Asia/Tokyo',
      resolved_date_range: {},
    });
    assert.deepEqual([shown.result, shown.timezone, shown.resolved_date_range], [null, null, null]);
    assert.equal(shown.error?.message, 'This could not be computed.');
  });

  it('has no name that was derived of events where people gave one', () => {
    const derived_name = 'secret_event count';
    assert.equal(reduced({ query: trends(), name: 'Visits', derived_name }).derived_name, null);
    assert.equal(reduced({ query: trends(), name: '', derived_name }).derived_name, derived_name);
  });
});

/** The parts that may be hidden: the descriptions of both, the date, and the colour. */
function hidable(settings: ShareSettings, show_description: boolean | null) {
  const insight = { query: trends(), description: 'How', last_refresh: '2025-06-02T08:00:00Z' };
  const tile = { id: 1, layouts: {}, color: 'url(x)', show_description, insight, text: null, button_tile: null };
  const dashboard = { id: 1, name: 'Coffee', description: 'Why', tiles: [tile] };
  const shared = publicDashboard(dashboard as unknown as DashboardBody, settings);
  const [{ insight: of, color } = { insight: null, color: '' }] = shared.tiles;
  return [shared.description, of?.description, of?.last_refresh ?? null, color];
}

describe('settings of a link', () => {
  const AT = '2025-06-02T08:00:00Z';

  for (const [what, settings, shows, expected] of [
    ['nothing', {}, null, ['Why', 'How', AT, null]],
    ['no header', { noHeader: true }, null, ['', 'How', AT, null]],
    ['no details', { hideExtraDetails: true }, null, ['', '', null, null]],
    ['no description of a tile', {}, false, ['Why', '', AT, null]],
  ] as const) {
    it(`that ask for ${what} hold in JSON too`, () => assert.deepEqual(hidable(settings, shows), expected));
  }
});
