/** Numbers that queries count, by hand and by plain SQL. `random.test.ts` compares many more. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { FunnelStepResult, TrendResult } from '../../../src/analytics/queries/computing/result.ts';
import { NONE, OTHER } from '../../../src/analytics/queries/computing/trend-lines.ts';
import { startInsightWorld, type InsightWorld, type SentEvent } from '../../support/analytics/insight-world.ts';

const JUNE = { dateRange: { date_from: '2024-06-01', date_to: '2024-06-03' } };

const at = (event: string, distinct_id: string, time: string, properties: object = {}): SentEvent => ({
  event,
  distinct_id,
  timestamp: `2024-06-${time}Z`,
  properties,
});
const step = (event: string | null, rest: object = {}) => ({ kind: 'EventsNode', event, ...rest });
const trends = (series: object[], rest: object = {}) => ({ kind: 'TrendsQuery', ...JUNE, series, ...rest });
const table = (rest: object) => ({
  kind: 'EventsQuery',
  select: ['event'],
  after: '2024-06-01',
  before: '2024-06-04',
  ...rest,
});
const bold = { trendsFilter: { display: 'BoldNumber' } };

const ofPrice = (math: string) => step('viewed', { math, math_property: 'price' });
const byBrowser = (rest: object) => trends([step('viewed')], { breakdownFilter: { breakdown: 'browser', ...rest } });
const browser = (value: unknown, operator = 'exact') => ({ key: 'browser', type: 'event', operator, value });

describe('a query counts', () => {
  let world: InsightWorld;

  const lines = async (query: object) => (await world.run(query)).results as TrendResult[];
  const data = async (query: object) => (await lines(query)).map((line) => line.data);
  const total = async (query: object) => (await lines(query)).map((line) => line.aggregated_value);
  const steps = async (query: object) => (await world.run(query)).results as FunnelStepResult[];
  const rows = async (query: object) => (await world.run(table(query))).results as unknown[][];
  const sql = async (text: string) =>
    (await world.pool.query<{ n: number }>(text, [world.ours.projectId])).rows.map(({ n }) => n);

  before(async () => {
    world = await startInsightWorld();
    await world.setTimeZone('Europe/Berlin');
    await world.send([
      // Days begin at 22:00 in UTC.
      at('viewed', 'anna', '01T00:00:00', { browser: 'Chrome', price: 2 }),
      at('viewed', 'anna', '01T10:00:00', { browser: 'Chrome', price: '3.5', $set: { plan: 'paid' } }),
      at('viewed', 'bert', '01T21:59:59', { browser: 'Firefox', price: 'free' }),
      at('viewed', 'bert', '01T22:00:00', { browser: 'Firefox' }),
      at('viewed', 'cleo', '02T12:00:00', { browser: null, price: -1 }),
      at('viewed', "o'; drop table events; --", '03T12:00:00', { browser: "'; --", price: true }),
      at('paid', 'anna', '02T10:00:00', { price: 100 }),
      at('paid', 'bert', '03T21:59:59'),
      at('paid', 'bert', '03T22:00:00'),
      at('paid', 'cleo', '01T00:00:00'),
    ]);
    await world.send([at('viewed', 'anna', '02T10:00:00', { browser: 'Chrome' })], world.theirs);
  });
  after(() => world.close());

  it('events by the days of the project, and none of others', async () => {
    assert.deepEqual(await data(trends([step('viewed'), step('paid'), step(null), step('nothing')])), [
      [3, 2, 1],
      [1, 1, 1],
      [4, 3, 2],
      [0, 0, 0],
    ]);
  });

  it('as plain SQL does', async () => {
    const perDay = await sql(`select count(*)::int as n from events where project_id = $1 and event = 'viewed'
      and ("timestamp" at time zone 'Europe/Berlin')::date between '2024-06-01' and '2024-06-03'
      group by ("timestamp" at time zone 'Europe/Berlin')::date order by ("timestamp" at time zone 'Europe/Berlin')::date`);
    assert.deepEqual(await data(trends([step('viewed')])), [perDay]);
    const people =
      await sql(`select count(distinct distinct_id)::int as n from events where project_id = $1 and event = 'viewed'
      and "timestamp" >= '2024-05-31 22:00Z' and "timestamp" < '2024-06-03 22:00Z' and properties ->> 'browser' in ('Chrome', 'Firefox')`);
    const properties = [{ key: 'browser', type: 'event', operator: 'exact', value: ['chrome', 'firefox'] }];
    assert.deepEqual(await total(trends([step('viewed', { math: 'dau', properties })], bold)), people);
  });

  it('persons once, however often they come', async () => {
    assert.deepEqual(await data(trends([step('viewed', { math: 'dau' })])), [[2, 2, 1]]);
    assert.deepEqual(await total(trends([step('viewed', { math: 'dau' })], bold)), [4]);
    const display = { trendsFilter: { display: 'ActionsLineGraphCumulative' } };
    assert.deepEqual(await data(trends([step('viewed', { math: 'dau' }), step('viewed')], display)), [
      [2, 3, 4],
      [3, 5, 6],
    ]);
  });

  it('numbers of a property, and nothing else in it', async () => {
    assert.deepEqual(await data(trends(['sum', 'avg', 'min', 'max'].map(ofPrice))), [
      [5.5, -1, 0],
      [2.75, -1, 0],
      [2, -1, 0],
      [3.5, -1, 0],
    ]);
    assert.deepEqual(await total(trends([ofPrice('sum')], bold)), [4.5]);
  });

  it('by property, the most frequent values by themselves', async () => {
    const series = (await lines(byBrowser({}))).map(({ label, breakdown_value, data: of }) => [
      label,
      breakdown_value,
      of,
    ]);
    assert.deepEqual(series, [
      ['Chrome', 'Chrome', [2, 0, 0]],
      ['Firefox', 'Firefox', [1, 1, 0]],
      ["'; --", "'; --", [0, 0, 1]],
      ['None', NONE, [0, 1, 0]],
    ]);
    const few = await world.run(byBrowser({ breakdown_limit: 1 }));
    assert.equal(few.hasMore, true);
    const values = (few.results as TrendResult[]).map(({ breakdown_value: value, data: of }) => [value, of]);
    assert.deepEqual(values, [
      ['Chrome', [2, 0, 0]],
      [OTHER, [1, 2, 1]],
    ]);
    const hidden = await world.run(byBrowser({ breakdown_limit: 1, breakdown_hide_other_aggregation: true }));
    assert.deepEqual([hidden.results.length, hidden.hasMore], [1, true]);
  });

  it('by a property of the person, as the event left it', async () => {
    const breakdownFilter = { breakdowns: [{ property: 'plan', type: 'person' }] };
    const series = await lines(trends([step('viewed'), step('paid')], { breakdownFilter }));
    assert.deepEqual(
      series.map(({ label, data: of }) => [label, of]),
      [
        ['viewed - None', [2, 2, 1]],
        ['viewed - paid', [1, 0, 0]],
        ['paid - None', [1, 0, 1]],
        ['paid - paid', [0, 1, 0]],
      ],
    );
  });

  it('events that all filters of the query and its series let through', async () => {
    const either = { type: 'OR', values: [browser('firefox'), browser("'; --")] };
    const group = { type: 'AND', values: [either, { type: 'AND', values: [browser('Fire', 'icontains')] }] };
    assert.deepEqual(await data(trends([step('viewed')], { properties: either })), [[1, 1, 1]]);
    assert.deepEqual(await data(trends([step('viewed')], { properties: group })), [[1, 1, 0]]);
    const priced = { key: 'price', type: 'event', operator: 'is_set' };
    assert.deepEqual(await data(trends([step('viewed', { properties: [priced] })], { properties: group })), [
      [1, 0, 0],
    ]);
    const set = (operator: string) => trends([step('viewed')], { properties: [browser(undefined, operator)] });
    assert.deepEqual([await data(set('is_set')), await data(set('is_not_set'))], [[[3, 1, 1]], [[0, 1, 0]]]);
    const expression = { type: 'hogql', key: "properties.browser = 'Firefox' and event = 'viewed'" };
    assert.deepEqual(await data(trends([step(null)], { properties: [expression] })), [[1, 1, 0]]);
  });

  it('persons that were merged since as one, and persons that were deleted as before', async () => {
    await world.send([
      at('joined', 'phone', '02T08:00:00'),
      at('joined', 'laptop', '02T09:00:00'),
      at('joined', 'gone', '02T09:00:00'),
      at('joined', 'gone', '02T10:00:00'),
    ]);
    const people = () => total(trends([step('joined', { math: 'dau' })], bold));
    assert.deepEqual(await people(), [3]);
    await world.send([at('$identify', 'laptop', '02T11:00:00', { $anon_distinct_id: 'phone' })]);
    assert.deepEqual(await people(), [2]);
    const series = [step('joined'), step('joined')];
    assert.deepEqual(
      (await steps({ kind: 'FunnelsQuery', ...JUNE, series })).map(({ count }) => count),
      [2, 2],
    );
    const [{ person_id: gone }] = await world.db('person_distinct_ids').where({ distinct_id: 'gone' });
    await world.pool.query('select delete_persons($1, $2)', [world.ours.projectId, [gone]]);
    assert.deepEqual(await people(), [2]);
  });

  it('persons who came to each step of a funnel, and how long they took', async () => {
    await world.send([
      at('one', 'quick', '01T10:00:00'),
      at('two', 'quick', '01T10:00:10'),
      at('three', 'quick', '01T10:01:10'),
      at('one', 'slow', '01T10:00:00'),
      at('two', 'slow', '01T10:00:30'),
      at('three', 'slow', '01T11:00:01'),
      // Only from its second entry on there is time enough.
      at('one', 'again', '01T08:00:00'),
      at('one', 'again', '01T10:00:00'),
      at('two', 'again', '01T10:00:20'),
      at('three', 'again', '01T10:00:50'),
      at('three', 'backwards', '01T10:00:00'),
      at('two', 'backwards', '01T10:00:01'),
      at('one', 'backwards', '01T10:00:02'),
      at('one', 'too early', '01T00:00:00'),
    ]);
    const found = await steps({
      kind: 'FunnelsQuery',
      ...JUNE,
      series: [step('one'), step('two', { custom_name: 'Then' }), step('three')],
      funnelsFilter: { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'hour' },
    });
    const figures = found.map((one) => [
      one.name,
      one.custom_name,
      one.count,
      one.average_conversion_time,
      one.median_conversion_time,
    ]);
    assert.deepEqual(figures, [
      ['one', null, 5, null, null],
      ['two', 'Then', 3, 20, 20],
      ['three', null, 2, 45, 45],
    ]);
  });

  it('an event as one step only', async () => {
    await world.send([at('once', 'x', '01T10:00:00'), at('once', 'y', '01T10:00:00'), at('once', 'y', '01T10:00:00')]);
    const series = [step('once'), step('once')];
    const counts = (await steps({ kind: 'FunnelsQuery', ...JUNE, series })).map(({ count }) => count);
    assert.deepEqual(counts, [2, 1]);
  });

  it('rows of a table: the requested ones, the newest first, with a hint at more', async () => {
    const query = table({ event: 'viewed', select: ['timestamp', 'properties.browser -- Browser'], limit: 2 });
    const { results, columns, types, hasMore } = await world.run(query);
    assert.deepEqual(results, [
      ['2024-06-03T12:00:00.000000Z', "'; --"],
      ['2024-06-02T12:00:00.000000Z', null],
    ]);
    assert.deepEqual(
      [columns, types, hasMore],
      [['timestamp', 'properties.browser -- Browser'], ['DateTime64', 'JSON'], true],
    );
    const rest = await world.run({ ...query, offset: 2, limit: 100 });
    assert.deepEqual([rest.results.length, rest.hasMore], [4, false]);
  });

  it('rows by any column, and by expressions', async () => {
    const prices = await rows({ event: 'viewed', select: ['properties.price'], orderBy: ['properties.price ASC'] });
    assert.deepEqual(prices.flat(), ['3.5', 'free', -1, 2, true, null]);
    const where = ["event = 'paid'", 'properties.price > 5'];
    assert.deepEqual(await rows({ where, select: ['distinct_id', 'properties.`price`'] }), [['anna', 100]]);
    const [[whole, person, personId]] = (await rows({
      where,
      select: ['*', 'person', 'person_id', 'person.properties.plan'],
    })) as [[Record<string, unknown>, Record<string, unknown>, string]];
    assert.deepEqual(
      [whole['event'], whole['team_id'], whole['timestamp'], whole['properties']],
      ['paid', world.ours.projectId, '2024-06-02T10:00:00.000000Z', { price: 100 }],
    );
    assert.deepEqual([person['uuid'], person['distinct_id']], [personId, 'anna']);
    const ofAnna = await rows({ personId, event: 'viewed', select: ['distinct_id'] });
    assert.deepEqual(ofAnna, [['anna'], ['anna']]);
    assert.deepEqual(await rows({ personId: randomUUID() }), []);
  });

  it('nothing of what names are made of', async () => {
    const names = [`x' or '1'='1`, `x\\' or 1=1 --`, '$1', '%', '?', '${1}', '`', '"', "'; drop table events; --"];
    for (const name of names) {
      const filter = { key: name, type: 'event', operator: 'exact', value: name };
      const series = [step(name, { math: 'sum', math_property: name, properties: [filter] })];
      const query = trends(series, {
        ...bold,
        breakdownFilter: { breakdown: name, breakdown_type: 'person' },
        properties: [filter],
      });
      assert.deepEqual(await lines(query), [], name);
      const select = name.includes('`') ? ['event'] : [`properties.\`${name}\``];
      assert.deepEqual(await rows({ event: name, select }), [], name);
    }
    assert.equal((await rows({ event: 'viewed' })).length, 6);
  });

  it('sums beyond all numbers not at all', async () => {
    await world.send([at('huge', 'a', '01T10:00:00', { n: 1.7e308 }), at('huge', 'a', '01T10:00:00', { n: 1.7e308 })]);
    const query = trends([step('huge', { math: 'sum', math_property: 'n' })]);
    await assert.rejects(world.run(query), /values of these events cannot be computed/);
  });
});
