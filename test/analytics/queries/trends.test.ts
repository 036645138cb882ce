/** Trends beside what happened before, as formulas, and smoothed; `random.test.ts` compares many more. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import type { TrendResult } from '../../../src/analytics/queries/computing/result.ts';
import { NONE, OTHER } from '../../../src/analytics/queries/computing/trend-lines.ts';
import { startInsightWorld, type InsightWorld } from '../../support/analytics/insight-world.ts';

/** A Wednesday. */
const NOW = '2024-06-12T12:30:00Z';

type Asked = {
  from?: string;
  to?: string;
  interval?: string;
  ago?: string;
  zone?: string;
  total?: boolean;
  explicit?: boolean;
  now?: string;
};

/** The question, and the first and the last minute of the range that it is compared with. */
const COMPARED: [string, Asked, from: string, to: string][] = [
  ['nothing: weekdays meet', {}, '2024-05-29T00:00', '2024-06-05T23:59'],
  ['two weeks', { from: '-14d' }, '2024-05-15T00:00', '2024-05-29T23:59'],
  ['weeks', { from: '-2w' }, '2024-05-15T00:00', '2024-05-29T23:59'],
  ['some days and today', { from: '-2d' }, '2024-06-07T00:00', '2024-06-09T23:59'],
  ['today', { from: 'dStart' }, '2024-06-11T00:00', '2024-06-11T23:59'],
  ['today by hours', { from: 'dStart', interval: 'hour' }, '2024-06-11T00:00', '2024-06-11T23:59'],
  ['some hours', { from: '-6h', interval: 'hour' }, '2024-06-12T00:00', '2024-06-12T06:59'],
  ['a day of hours', { from: '-24h', interval: 'hour' }, '2024-06-10T12:00', '2024-06-11T12:59'],
  ['days by hours', { from: '-2d', interval: 'hour' }, '2024-06-07T00:00', '2024-06-09T12:59'],
  ['this week, with the whole one before', { from: 'wStart' }, '2024-06-02T00:00', '2024-06-08T23:59'],
  ['this month', { from: 'mStart' }, '2024-05-01T00:00', '2024-05-31T23:59'],
  ['this quarter by weeks', { from: 'qStart', interval: 'week' }, '2023-12-31T00:00', '2024-03-30T23:59'],
  ['this year', { from: 'yStart' }, '2023-01-01T00:00', '2023-12-31T23:59'],
  ['this month until yesterday', { from: 'mStart', to: '-1d' }, '2024-05-21T00:00', '2024-05-31T23:59'],
  ['last month', { from: '-1mStart', to: '-1mEnd' }, '2024-03-31T00:00', '2024-04-30T23:59'],
  ['dates', { from: '2024-06-04', to: '2024-06-06' }, '2024-06-01T00:00', '2024-06-03T23:59'],
  ['whole weeks', { from: '2024-06-05', to: '2024-06-10', interval: 'week' }, '2024-05-19T00:00', '2024-06-01T23:59'],
  ['whole months', { from: '2024-02-10', to: '2024-03-05', interval: 'month' }, '2023-12-01T00:00', '2024-01-31T23:59'],
  [
    'moments',
    { from: '2024-06-01T10:00:00', to: '2024-06-02T13:30:00', explicit: true },
    '2024-05-31T06:30',
    '2024-06-01T09:59',
  ],
  ['a year ago', { from: '-7d', ago: '-1y' }, '2023-06-05T00:00', '2023-06-12T23:59'],
  ['months ago', { from: '2024-03-31', to: '2024-03-31', ago: '-1m' }, '2024-02-29T00:00', '2024-02-29T23:59'],
  ['hours ago', { from: '-2h', interval: 'hour', ago: '-24h' }, '2024-06-11T10:00', '2024-06-11T12:59'],
  ['a total until the same moment', { from: '-7d', total: true }, '2024-05-29T00:00', '2024-06-05T12:29'],
  ['a total of this month', { from: 'mStart', total: true }, '2024-05-01T00:00', '2024-05-12T12:29'],
  [
    'a total of a month longer than the one before',
    { from: 'mStart', total: true, now: '2024-03-31T12:30:00Z' },
    '2024-02-01T00:00',
    '2024-02-29T23:59',
  ],
  [
    'a total that is over',
    { from: '2024-06-04', to: '2024-06-06', total: true },
    '2024-06-01T00:00',
    '2024-06-03T23:59',
  ],
  [
    'over a day of 23 hours',
    { from: '2024-04-01', to: '2024-04-02', zone: 'Europe/Berlin' },
    '2024-03-29T23:00',
    '2024-03-31T21:59',
  ],
];

const viewed = { kind: 'EventsNode', event: 'viewed' };
const bought = { kind: 'EventsNode', event: 'bought' };
const ofProperty = (math: string, math_property: string, math_property_type?: string) => ({
  ...viewed,
  math,
  math_property,
  math_property_type,
});

const eventsOn = (event: string, count: number, day: string, properties: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    event,
    distinct_id: `${event}${n}`,
    timestamp: `2024-06-${day}T10:0${n}:00Z`,
    properties: { ...properties, price: n, $set: { age: 20 + n } },
  }));

const percent = (part: number, whole: number) => (part / whole) * 100;
const valuesOf = (results: readonly TrendResult[]) =>
  results.map(({ label, breakdown_value, data }) => [label, breakdown_value, data]);

describe('trends', () => {
  let world: InsightWorld;

  before(async () => {
    world = await startInsightWorld();
    await world.send([
      ...eventsOn('viewed', 4, '01', { plan: 'free' }),
      ...eventsOn('viewed', 1, '02', { plan: 'paid' }),
      ...eventsOn('viewed', 5, '03', { plan: 'paid' }),
      ...eventsOn('viewed', 2, '03'),
      ...eventsOn('viewed', 1, '04', { plan: 'rare' }),
      ...eventsOn('bought', 1, '01', { plan: 'free' }),
      ...eventsOn('bought', 2, '03', { plan: 'paid' }),
      ...eventsOn('bought', 1, '04', { plan: 'new' }),
    ]);
  });
  after(() => world.close());

  const ask = (series: object[], rest: object, now = NOW) =>
    world.run(
      { kind: 'TrendsQuery', series, dateRange: { date_from: '2024-06-03', date_to: '2024-06-04' }, ...rest },
      now,
    );
  const lines = async (series: object[], rest: object) => (await ask(series, rest)).results as TrendResult[];

  describe('are compared with', () => {
    for (const [name, { zone = 'UTC', total = false, ago, ...dates }, from, to] of COMPARED) {
      it(name, async () => {
        await world.setTimeZone(zone);
        const query = {
          dateRange: { date_from: dates.from, date_to: dates.to, explicitDate: dates.explicit },
          interval: dates.interval,
          compareFilter: { compare: true, compare_to: ago },
          trendsFilter: { display: total ? 'BoldNumber' : 'ActionsBar' },
        };
        const { resolved_compare_date_range: range } = await ask([viewed], query, dates.now);
        assert.deepEqual([range?.date_from.slice(0, 16), range?.date_to.slice(0, 16)], [from, to]);
        await world.setTimeZone('UTC');
      });
    }
  });

  it('list the present range first, then the one before, each with its own days', async () => {
    const series = await lines([viewed, bought], { compareFilter: { compare: true } });
    assert.deepEqual(
      series.map(({ label, compare, compare_label: period, days, data, action }) => [
        label,
        compare,
        period,
        days,
        data,
        action?.order,
      ]),
      [
        ['viewed', true, 'current', ['2024-06-03', '2024-06-04'], [7, 1], 0],
        ['bought', true, 'current', ['2024-06-03', '2024-06-04'], [2, 1], 1],
        ['viewed', true, 'previous', ['2024-06-01', '2024-06-02'], [4, 1], 0],
        ['bought', true, 'previous', ['2024-06-01', '2024-06-02'], [1, 0], 1],
      ],
    );
    const [alone] = await lines([viewed], {});
    assert(!('compare' in alone!) && !('compare_label' in alone!));
  });

  it('are shown as formulas instead of their series', async () => {
    const formulaNodes = [{ formula: 'B / A * 100', custom_name: 'Bought %' }, { formula: '-a' }];
    const formula = 'A';
    const series = await lines([viewed, bought], {
      trendsFilter: { formulaNodes, formula },
      compareFilter: { compare: true },
    });
    assert.deepEqual(
      series.map(({ label, action, compare_label: period, data, count }) => [label, action, period, data, count]),
      [
        ['Bought %', null, 'current', [percent(2, 7), 100], percent(2, 7) + 100],
        ['Formula (-a)', null, 'current', [-7, -1], -8],
        ['Bought %', null, 'previous', [25, 0], 25],
        ['Formula (-a)', null, 'previous', [-4, -1], -5],
      ],
    );
    const [total] = await lines([viewed, bought], { trendsFilter: { formulas: ['A + B'], display: 'BoldNumber' } });
    assert.deepEqual([total?.aggregated_value, total?.data], [11, []]);
  });

  it('divide what has the same value of a breakdown, the largest first', async () => {
    const formulaQuery = {
      trendsFilter: { formula: 'A - B' },
      dateRange: { date_from: '2024-06-01', date_to: '2024-06-04' },
    };
    assert.deepEqual(
      valuesOf(await lines([viewed, bought], { ...formulaQuery, breakdownFilter: { breakdown: 'plan' } })),
      [
        ['paid', 'paid', [0, 1, 3, 0]],
        ['free', 'free', [3, 0, 0, 0]],
        ['rare', 'rare', [0, 0, 0, 1]],
        ['new', 'new', [0, 0, 0, -1]],
        ['None', NONE, [0, 0, 2, 0]],
      ],
    );
    const two = { ...formulaQuery, breakdownFilter: { breakdown: 'plan', breakdown_limit: 2 } };
    const answer = await ask([viewed, bought], { ...two, trendsFilter: { formulas: ['A - B', 'A'] } });
    assert.deepEqual(valuesOf(answer.results as TrendResult[]), [
      ['Formula (A - B) - paid', 'paid', [0, 1, 3, 0]],
      ['Formula (A - B) - free', 'free', [3, 0, 0, 0]],
      ['Formula (A - B) - Other', OTHER, [0, 0, 2, 0]],
      ['Formula (A) - paid', 'paid', [0, 1, 5, 0]],
      ['Formula (A) - free', 'free', [4, 0, 0, 0]],
      ['Formula (A) - Other', OTHER, [0, 0, 2, 1]],
    ]);
    assert.equal(answer.hasMore, true);
    // Each series has most of another value: the same one stands alone in both.
    const dateRange = { date_from: '2024-06-04', date_to: '2024-06-04' };
    const one = { ...formulaQuery, dateRange, breakdownFilter: { breakdown: 'plan', breakdown_limit: 1 } };
    assert.deepEqual(valuesOf(await lines([viewed, bought], one)), [
      ['new', 'new', [-1]],
      ['Other', OTHER, [1]],
    ]);
  });

  it('are means of some intervals, rounded down', async () => {
    const dateRange = { date_from: '2024-06-01', date_to: '2024-06-04' };
    const [line] = await lines([viewed], { dateRange, trendsFilter: { smoothingIntervals: 3 } });
    assert.deepEqual([line?.data, line?.count], [[4, 2, 4, 3], 13]);
  });

  it('take numbers of persons, and the middle ones', async () => {
    const series = [
      ofProperty('max', 'age', 'person_properties'),
      ofProperty('max', 'age', 'event_properties'),
      ofProperty('sum', 'price', 'numerical_event_properties'),
      ofProperty('median', 'price'),
      ofProperty('p75', 'price'),
      ofProperty('p99', 'nothing'),
    ];
    const dateRange = { date_from: '2024-06-01', date_to: '2024-06-01' };
    assert.deepEqual(
      (await lines(series, { dateRange })).map(({ data }) => data[0]),
      [23, 0, 6, 1.5, 2.25, 0],
    );
  });

  it('say which formula has no number', async () => {
    // The last one has no total.
    for (const formula of ['1e308 * A * A', '(-A) ** 0.5', 'B - 1e999', 'A * 0 + 1e308']) {
      await assert.rejects(lines([viewed, bought], { trendsFilter: { formula } }), (error) => {
        return error instanceof InvalidInput && error.message.startsWith(`"Formula (${formula})" has values`);
      });
    }
  });

  it('are limited in number, counting each formula of each value', async () => {
    const hourlyByPlan = { interval: 'hour', breakdownFilter: { breakdown: 'plan', breakdown_limit: 100 } };
    const hours = { dateRange: { date_from: '2024-06-01', date_to: '2024-06-20' } };
    const trendsFilter = { formulas: ['A', 'A * 2', 'A * 3'] };
    assert.ok(await lines([viewed], { ...hourlyByPlan, ...hours }));
    await assert.rejects(
      lines([viewed], { ...hourlyByPlan, ...hours, trendsFilter }),
      /may have 100000 .*these have 145440/,
    );
  });
});
