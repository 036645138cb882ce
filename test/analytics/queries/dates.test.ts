/** Ranges and their intervals, by the clock of the project's time zone. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import type { RetentionResult, TrendResult } from '../../../src/analytics/queries/computing/result.ts';
import { startInsightWorld, type InsightWorld } from '../../support/analytics/insight-world.ts';

/** A Wednesday. In Berlin it is 14:30, in New York 08:30, in Kolkata 18:00. */
const NOW = '2024-06-12T12:30:00Z';

type Asked = { zone?: string; from?: string | null; to?: string | null; interval?: string; explicit?: boolean };

/** The question, then the first instant and the last one, and what the intervals are called if that matters. */
const RANGES: [string, Asked, from: string, to: string, days?: string[]][] = [
  ['nothing: the last seven days and today', {}, '2024-06-05T00:00', '2024-06-12T23:59'],
  ['days', { from: '-2d' }, '2024-06-10T00:00', '2024-06-12T23:59', ['2024-06-10', '2024-06-11', '2024-06-12']],
  ['yesterday', { from: '-1d', to: '-1d' }, '2024-06-11T00:00', '2024-06-11T23:59', ['2024-06-11']],
  ['yesterday by its edges', { from: '-1dStart', to: '-1dEnd' }, '2024-06-11T00:00', '2024-06-11T23:59'],
  ['today', { from: 'dStart' }, '2024-06-12T00:00', '2024-06-12T23:59', ['2024-06-12']],
  ['this month', { from: 'mStart' }, '2024-06-01T00:00', '2024-06-12T23:59'],
  ['last month', { from: '-1mStart', to: '-1mEnd' }, '2024-05-01T00:00', '2024-05-31T23:59'],
  ['this quarter', { from: 'qStart' }, '2024-04-01T00:00', '2024-06-12T23:59'],
  ['this year', { from: 'yStart' }, '2024-01-01T00:00', '2024-06-12T23:59'],
  ['this week', { from: 'wStart' }, '2024-06-09T00:00', '2024-06-12T23:59'],
  ['months', { from: '-1m' }, '2024-05-12T00:00', '2024-06-12T23:59'],
  [
    'hours',
    { from: '-2h', interval: 'hour' },
    '2024-06-12T10:00',
    '2024-06-12T12:59',
    ['10', '11', '12'].map((hour) => `2024-06-12 ${hour}:00:00`),
  ],
  ['hours of days', { from: '-24h' }, '2024-06-11T12:00', '2024-06-12T23:59', ['2024-06-11', '2024-06-12']],
  ['dates: the last one is whole', { from: '2024-06-01', to: '2024-06-02' }, '2024-06-01T00:00', '2024-06-02T23:59'],
  [
    'one date by hours',
    { from: '2024-06-01', to: '2024-06-01', interval: 'hour' },
    '2024-06-01T00:00',
    '2024-06-01T23:59',
  ],
  [
    'moments',
    { from: '2024-06-01T10:15:00', to: '2024-06-02T08:00:00Z', explicit: true },
    '2024-06-01T10:15',
    '2024-06-02T07:59',
    ['2024-06-01', '2024-06-02'],
  ],
  [
    'whole weeks, from Sunday',
    { from: '2024-06-05', to: '2024-06-10', interval: 'week' },
    '2024-06-02T00:00',
    '2024-06-10T23:59',
    ['2024-06-02', '2024-06-09'],
  ],
  [
    'whole months',
    { from: '2024-05-31', to: '2024-06-01', interval: 'month' },
    '2024-05-01T00:00',
    '2024-06-01T23:59',
    ['2024-05-01', '2024-06-01'],
  ],
  [
    'another zone',
    { zone: 'America/New_York', from: 'dStart' },
    '2024-06-12T04:00',
    '2024-06-13T03:59',
    ['2024-06-12'],
  ],
  [
    'a zone of half hours',
    { zone: 'Asia/Kolkata', from: '-1h', interval: 'hour' },
    '2024-06-12T11:30',
    '2024-06-12T13:29',
    ['2024-06-12 17:00:00', '2024-06-12 18:00:00'],
  ],
  [
    'an instant in another zone',
    { zone: 'Asia/Kolkata', from: '2024-06-01T20:00:00Z', to: '2024-06-02' },
    '2024-06-01T18:30',
    '2024-06-02T18:29',
    ['2024-06-02'],
  ],
  [
    'a day of 23 hours',
    { zone: 'Europe/Berlin', from: '2024-03-31', to: '2024-03-31' },
    '2024-03-30T23:00',
    '2024-03-31T21:59',
    ['2024-03-31'],
  ],
  [
    'a day of 25 hours',
    { zone: 'Europe/Berlin', from: '2024-10-27', to: '2024-10-27' },
    '2024-10-26T22:00',
    '2024-10-27T22:59',
    ['2024-10-27'],
  ],
  [
    'a day without a midnight',
    { zone: 'America/Havana', from: '2024-03-10', to: '2024-03-10' },
    '2024-03-10T05:00',
    '2024-03-11T03:59',
    ['2024-03-10'],
  ],
  [
    'a day with two midnights',
    { zone: 'America/Havana', from: '2024-11-03', to: '2024-11-03' },
    '2024-11-03T04:00',
    '2024-11-04T04:59',
    ['2024-11-03'],
  ],
];

const REFUSED: [string, Asked, RegExp][] = [
  ['that ends before it begins', { from: '2024-06-02', to: '2024-06-01' }, /^dateRange: It ends before it begins/],
  ['of too many hours', { from: '-1y', interval: 'hour' }, /^dateRange: .*2000 intervals of one hour.*longer interval/],
  ['of too many days', { from: '-10y' }, /^dateRange: .*2000 intervals of one day/],
  [
    'of too many months',
    { from: '1971-01-01', to: '8000-01-01', interval: 'month' },
    /of one month\. Use a shorter range/,
  ],
  ['before all clocks', { from: '-9999y' }, /1970 to 9000/],
];

describe('a range of dates', () => {
  let world: InsightWorld;

  before(async () => {
    world = await startInsightWorld();
  });
  after(() => world.close());

  async function queryDates({ zone = 'UTC', from = null, to = null, interval = 'day', explicit = false }: Asked) {
    await world.setTimeZone(zone);
    const dateRange = { date_from: from, date_to: to, explicitDate: explicit };
    return world.run({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], dateRange, interval }, NOW);
  }

  for (const [name, dateRange, from, to, days] of RANGES) {
    it(`may be ${name}`, async () => {
      const { resolved_date_range: range, results, timezone } = await queryDates(dateRange);
      assert.deepEqual([range.date_from.slice(0, 16), range.date_to.slice(0, 16)], [from, to]);
      assert.equal(timezone, dateRange.zone ?? 'UTC');
      if (days) assert.deepEqual((results as TrendResult[])[0]!.days, days);
    });
  }

  for (const [name, dateRange, message] of REFUSED) {
    it(`may not be one ${name}`, async () => {
      await assert.rejects(
        queryDates(dateRange),
        (error) => error instanceof InvalidInput && message.test(error.message),
      );
    });
  }

  it('names an hour that occurs twice twice', async () => {
    const dateRange = { zone: 'Europe/Berlin', from: '2024-10-27', to: '2024-10-27', interval: 'hour' };
    const [line] = (await queryDates(dateRange)).results as TrendResult[];
    assert.equal(line!.days.length, 25);
    assert.deepEqual(
      line!.days.slice(1, 5),
      ['01', '02', '02', '03'].map((hour) => `2024-10-27 ${hour}:00:00`),
    );
    assert.deepEqual(line!.labels.slice(0, 2), ['27-Oct 00:00', '27-Oct 01:00']);
  });

  it('begins, for all, with the first event', async () => {
    await world.send([
      { event: 'first', distinct_id: 'a', timestamp: '2024-06-09T23:30:00Z' },
      { event: 'of a wrong clock', distinct_id: 'a', timestamp: '2001-01-01T00:00:00Z' },
    ]);
    await world.send([{ event: 'theirs', distinct_id: 'a', timestamp: '2024-01-01T00:00:00Z' }], world.theirs);
    const [line] = (await queryDates({ zone: 'Europe/Berlin', from: 'all' })).results as TrendResult[];
    assert.deepEqual(line!.days, ['2024-06-10', '2024-06-11', '2024-06-12']);
    assert.deepEqual(line!.data, [1, 0, 0]);
  });

  it('of retention is the requested number of periods up to the last date', async () => {
    await world.setTimeZone('America/New_York');
    const retentionFilter = { period: 'Month', totalIntervals: 3 };
    const { results } = await world.run(
      { kind: 'RetentionQuery', retentionFilter, dateRange: { date_from: '-7d' } },
      NOW,
    );
    assert.deepEqual(
      (results as RetentionResult[]).map(({ label, date, values }) => [label, date.slice(0, 13), values.length]),
      [
        ['Month 0', '2024-04-01T04', 3],
        ['Month 1', '2024-05-01T04', 2],
        ['Month 2', '2024-06-01T04', 1],
      ],
    );
  });
});
