/** Fifty random queries of each run of the same seed: their numbers are those of plain JavaScript over the stored rows. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NONE, OTHER } from '../../../src/analytics/queries/computing/trend-lines.ts';
import type {
  FunnelStepResult,
  RetentionResult,
  TrendResult,
} from '../../../src/analytics/queries/computing/result.ts';
import { startInsightWorld, type InsightWorld, type SentEvent } from '../../support/analytics/insight-world.ts';
import { chartOf, type ChartQuery } from '../../support/analytics/chart-oracle.ts';
import {
  funnelOf,
  isMatch,
  retentionOf,
  type Filter,
  type Node,
  type StoredRow,
} from '../../support/analytics/query-oracle.ts';

const SEED = 20240310;
const QUERIES = 50;
const EVENTS = 1000;

/** Clocks are changed within both: in Havana at midnight, so that one day has no midnight and one has two. */
const SEASONS = [
  ['2024-02-20', '2024-04-10'],
  ['2024-10-20', '2024-11-12'],
] as const;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'America/Havana'] as const;
const PEOPLE = Array.from({ length: 24 }, (_, i) => (i % 6 === 0 ? `o'${i}"\\ü; drop` : `person-${i}`));
const EVENT_NAMES = ['viewed', 'signed up', `paid 'cash'`, '$pageview'] as const;
const VALUES = ['Chrome', 'chrome', 'Fire"fox', "O'Hara", '', 'ü', 5, true, null] as const;
const AMOUNTS = [0, 1, 2.5, -3, 40, '7', '2.25', 'many', null] as const;

const anyEvent = fc
  .record({
    event: fc.constantFrom(...EVENT_NAMES),
    distinct_id: fc.constantFrom(...PEOPLE),
    season: fc.constantFrom(...SEASONS),
    part: fc.integer({ min: 0, max: 9999 }),
    browser: fc.option(fc.constantFrom(...VALUES), { nil: undefined }),
    amount: fc.option(fc.constantFrom(...AMOUNTS), { nil: undefined }),
    plan: fc.option(fc.constantFrom('free', 'Paid', 3), { nil: undefined, freq: 2 }),
  })
  .map(({ event, distinct_id, season, part, browser, amount, plan }): SentEvent => {
    const [start, end] = season.map((date) => Date.parse(date)) as [number, number];
    const timestamp = new Date(start + Math.floor(((end - start) * part) / 10_000 / 60_000) * 60_000).toISOString();
    const properties = {
      ...(browser !== undefined && { browser }),
      ...(amount !== undefined && { amount }),
      ...(plan !== undefined && { $set: { plan } }),
    };
    return { event, distinct_id, timestamp, properties };
  });

const anyFilter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    key: fc.constant('browser'),
    type: fc.constant('event' as const),
    operator: fc.constantFrom('exact', 'is_not'),
    value: fc.oneof(fc.constantFrom('Chrome', "o'hara", 5), fc.constant(['Fire"fox', 'ü'])),
  }),
  fc.record({
    key: fc.constantFrom('browser', 'amount'),
    type: fc.constant('event' as const),
    operator: fc.constantFrom('is_set', 'is_not_set'),
  }),
  fc.record({
    key: fc.constant('amount'),
    type: fc.constant('event' as const),
    operator: fc.constantFrom('gt', 'lt'),
    value: fc.constantFrom(0, 2, 7),
  }),
  fc.record({
    key: fc.constant('plan'),
    type: fc.constant('person' as const),
    operator: fc.constantFrom('exact', 'icontains'),
    value: fc.constantFrom('paid', 'free', 'f'),
  }),
);
const anyFilters = fc.array(anyFilter, { maxLength: 1 });
const anyEntity: fc.Arbitrary<Node> = fc.record({
  event: fc.constantFrom(...EVENT_NAMES, null),
  properties: anyFilters,
});
const later = (date: string, count: number) =>
  new Date(Date.parse(date) + count * 86_400_000).toISOString().slice(0, 10);
const anyDates = fc
  .record({
    timeZone: fc.constantFrom(...ZONES),
    season: fc.constantFrom(...SEASONS),
    skipped: fc.integer({ min: 0, max: 20 }),
    days: fc.integer({ min: 0, max: 30 }),
  })
  .map(({ timeZone, season, skipped, days }) => {
    const from = later(season[0], skipped);
    return { timeZone, from, to: later(from, days) };
  });

const anyTrends = fc.record({
  kind: fc.constant('trends' as const),
  shape: fc.constantFrom('intervals', 'intervals', 'cumulative', 'total'),
  interval: fc.constantFrom('hour', 'day', 'day', 'week', 'month'),
  entities: fc.array(anyEntity, { minLength: 1, maxLength: 3 }),
  maths: fc.array(fc.constantFrom('total', 'dau', 'dau', 'sum', 'avg', 'min', 'max', 'median', 'p90'), {
    minLength: 3,
    maxLength: 3,
  }),
  breakdown: fc.option(
    fc.constantFrom(
      { key: 'browser', type: 'event', limit: 3 } as const,
      { key: 'browser', type: 'event', limit: 25 } as const,
      { key: 'plan', type: 'person', limit: 2 } as const,
    ),
    { nil: undefined },
  ),
  smoothing: fc.constantFrom(1, 1, 3),
  formula: fc.option(
    fc.constantFrom(
      { text: 'A * 2 - 1', of: ([a]: readonly number[]) => a! * 2 - 1 },
      { text: '(a + 3) / A * 1e2', of: ([a]: readonly number[]) => (a === 0 ? 0 : (a! + 3) / a!) * 100 },
      { text: 'B / A', of: ([a, b]: readonly number[]) => (a === 0 ? 0 : b! / a!) },
    ),
    { freq: 2 },
  ),
  isCompared: fc.boolean(),
  properties: anyFilters,
  dates: anyDates,
});
const anyFunnel = fc.record({
  kind: fc.constant('funnel' as const),
  steps: fc.array(anyEntity, { minLength: 2, maxLength: 4 }),
  window: fc.constantFrom([6, 'hour', 6 * 3_600_000], [3, 'day', 3 * 86_400_000], [1, 'week', 7 * 86_400_000]),
  properties: anyFilters,
  dates: anyDates,
});
const anyRetention = fc.record({
  kind: fc.constant('retention' as const),
  target: anyEntity,
  returning: anyEntity,
  isFirstTime: fc.boolean(),
  interval: fc.constantFrom('day', 'week', 'month', 'hour'),
  count: fc.integer({ min: 1, max: 8 }),
  properties: anyFilters,
  dates: anyDates,
});
const anyTable = fc.record({
  kind: fc.constant('table' as const),
  entity: anyEntity,
  limit: fc.integer({ min: 1, max: 40 }),
  offset: fc.integer({ min: 0, max: 30 }),
  isAscending: fc.boolean(),
});
const anyQuery = fc.oneof(
  { arbitrary: anyTrends, weight: 5 },
  { arbitrary: anyFunnel, weight: 2 },
  anyRetention,
  anyTable,
);

type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;

const node = ({ event, properties = [] }: Node, rest: object = {}) => ({
  kind: 'EventsNode',
  event,
  properties,
  ...rest,
});
const entity = ({ event, properties }: Node) => ({ id: event, type: 'events', properties });
const dateRange = ({ from, to }: { from: string; to: string }) => ({ date_from: from, date_to: to });

describe('random queries', () => {
  let world: InsightWorld;
  let rows: StoredRow[];
  let answered = 0;

  before(async () => {
    world = await startInsightWorld();
    const events = fc.sample(anyEvent, { seed: SEED, numRuns: EVENTS });
    await world.send(events);
    await world.send(events.slice(0, 50), world.theirs);
    // Pairs of persons become one.
    const merges = [1, 2, 3].map((i) => ({
      event: '$identify',
      distinct_id: PEOPLE[i]!,
      timestamp: '2024-11-20T00:00:00Z',
      properties: { $anon_distinct_id: PEOPLE[i + 6]! },
    }));
    await world.send(merges);
    rows = await world.rows();
  });
  after(() => world.close());

  function assertEqual(found: unknown, expected: unknown): void {
    assert.deepEqual(found, expected);
    if (/[1-9]/.test(JSON.stringify(expected))) answered++;
  }

  async function checkTrends(given: Of<typeof anyTrends>): Promise<void> {
    const { shape, interval, entities, maths, breakdown, isCompared, properties, dates } = given;
    const formula = given.formula?.text.includes('B') && entities.length < 2 ? null : given.formula;
    const smoothing = shape === 'cumulative' ? 1 : given.smoothing;
    const query: ChartQuery = {
      series: entities.map((entity, i) => {
        const math = shape === 'cumulative' ? (['total', 'dau', 'sum'] as const)[i]! : maths[i]!;
        return { ...entity, math, ...(math !== 'total' && math !== 'dau' && { math_property: 'amount' }) };
      }),
      interval,
      shape,
      breakdown,
      smoothing,
      formula: formula && formula.of,
      isCompared,
      properties,
      dates,
    };
    const display = { intervals: 'ActionsBar', cumulative: 'ActionsLineGraphCumulative', total: 'BoldNumber' }[shape];
    const { results } = await world.run({
      kind: 'InsightVizNode',
      source: {
        kind: 'TrendsQuery',
        series: query.series.map(({ math, math_property, ...rest }) => node(rest, { math, math_property })),
        interval,
        properties,
        dateRange: dateRange(dates),
        trendsFilter: { display, smoothingIntervals: smoothing, formula: formula?.text },
        compareFilter: { compare: isCompared },
        ...(breakdown && {
          breakdownFilter: {
            breakdown: breakdown.key,
            breakdown_type: breakdown.type,
            breakdown_limit: breakdown.limit,
          },
        }),
      },
    });
    const found = (results as TrendResult[]).map(
      ({ action, breakdown_value: value, compare_label: period, ...one }) => ({
        series: action?.order ?? 0,
        value: value === undefined ? null : value === NONE ? 'none' : value === OTHER ? 'other' : `=${value}`,
        numbers: one.aggregated_value === undefined ? one.data : [one.aggregated_value],
        period: period ?? null,
      }),
    );
    assertEqual(found, chartOf(rows, query));
  }

  async function checkFunnel(given: Of<typeof anyFunnel>): Promise<void> {
    const { steps, properties, dates } = given;
    const [count, unit, windowMs] = given.window as [number, string, number];
    const { results } = await world.run({
      kind: 'FunnelsQuery',
      series: steps.map((one) => node(one)),
      properties,
      dateRange: dateRange(dates),
      funnelsFilter: { funnelWindowInterval: count, funnelWindowIntervalUnit: unit },
    });
    const found = (results as FunnelStepResult[]).map((step) => step.count);
    assertEqual(found, funnelOf(rows, { steps, windowMs, properties, dates }));
  }

  async function checkRetention(given: Of<typeof anyRetention>): Promise<void> {
    const { target, returning, isFirstTime, interval, count, properties, dates } = given;
    const { results } = await world.run({
      kind: 'RetentionQuery',
      properties,
      dateRange: { date_to: dates.to },
      retentionFilter: {
        retentionType: isFirstTime ? 'retention_first_time' : 'retention_recurring',
        period: `${interval[0]!.toUpperCase()}${interval.slice(1)}`,
        totalIntervals: count,
        targetEntity: entity(target),
        returningEntity: entity(returning),
      },
    });
    const found = (results as RetentionResult[]).map(({ values }) => values.map((one) => one.count));
    assertEqual(found, retentionOf(rows, given));
  }

  async function checkTable(given: Of<typeof anyTable>): Promise<void> {
    const { entity, limit, offset, isAscending } = given;
    const { results, hasMore } = await world.run({
      kind: 'DataTableNode',
      source: {
        kind: 'EventsQuery',
        select: ['uuid', 'event', 'person_id', 'properties.amount'],
        event: entity.event,
        properties: entity.properties,
        after: 'all',
        orderBy: [isAscending ? 'timestamp ASC' : 'timestamp DESC'],
        limit,
        offset,
      },
    });
    const matching = rows
      .filter((row) => (entity.event === null || row.event === entity.event) && isMatch(row, entity.properties))
      .toSorted((a, b) => (isAscending ? a.at - b.at : b.at - a.at) || (a.uuid < b.uuid ? 1 : -1));
    const page = matching.slice(offset, offset + limit);
    const cells = page.map(({ uuid, event, person, properties }) => [
      uuid,
      event,
      person,
      properties['amount'] ?? null,
    ]);
    assertEqual([results, hasMore], [cells, matching.length > offset + limit]);
  }

  for (const [index, query] of fc.sample(anyQuery, { seed: SEED, numRuns: QUERIES }).entries()) {
    it(`${index + 1}: ${query.kind}`, async () => {
      if ('dates' in query) await world.setTimeZone(query.dates.timeZone);
      try {
        if (query.kind === 'trends') await checkTrends(query);
        else if (query.kind === 'funnel') await checkFunnel(query);
        else if (query.kind === 'retention') await checkRetention(query);
        else await checkTable(query);
      } catch (error) {
        throw new Error(JSON.stringify(query), { cause: error });
      }
    });
  }

  it('are about something', () => assert(answered > 40, `${answered}`));
});
