import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { withDashboardFilters } from '../../../src/analytics/queries/parsing/dashboard-filters.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';

const step = (rest: object = {}) => ({ kind: 'EventsNode', event: 'paid', ...rest });
const trends = (rest: object = {}) => ({ kind: 'TrendsQuery', series: [step()], ...rest });
const funnel = (rest: object = {}) => ({ kind: 'FunnelsQuery', series: [step(), step()], ...rest });
const retention = (filter: object = {}) => ({ kind: 'RetentionQuery', retentionFilter: filter });
const table = (rest: object = {}) => ({ kind: 'EventsQuery', select: ['event'], ...rest });
const byPlan = { key: 'plan', type: 'person', operator: 'exact', value: 'free' };

/** A query, and what its refusal says: the member first. */
const REFUSED: [string, unknown, RegExp][] = [
  ['text', 'select 1', /^Query must be a valid JSON object$/],
  ['null', null, /^Query must be a valid JSON object$/],
  ['a list', [], /^Query must be a valid JSON object$/],
  ['no kind', {}, /^kind: This is not a supported kind of query. Use one of: TrendsQuery, /],
  ['SQL', { kind: 'HogQLQuery', query: 'select 1' }, /^kind: "HogQLQuery" is not a supported/],
  ['a name of every object', { kind: 'constructor' }, /^kind: "constructor"/],
  ['a chart of events', { kind: 'InsightVizNode', source: table() }, /^source.kind: "EventsQuery" is not/],
  ['a table of a trend', { kind: 'DataTableNode', source: trends() }, /^source.kind: "TrendsQuery".*EventsQuery/],
  ['a chart of nothing', { kind: 'InsightVizNode' }, /^source.kind: This is not/],
  ['no series', { kind: 'TrendsQuery' }, /^series: This field is required/],
  ['none in the series', trends({ series: [] }), /^series: Ensure this field has at least 1/],
  ['too many series', trends({ series: Array.from({ length: 21 }, () => step()) }), /^series: .* no more than 20/],
  [
    'an action',
    trends({ series: [{ kind: 'ActionsNode', id: 1 }] }),
    /^series\[0\].kind: "ActionsNode" .* Use "EventsNode"\.$/,
  ],
  [
    'another math',
    trends({ series: [step({ math: 'weekly_active' })] }),
    /^series\[0\].math: .*Use one of: total, dau, sum/,
  ],
  ['a sum of nothing', trends({ series: [step({ math: 'sum' })] }), /^series\[0\].math_property: .*name it/],
  [
    'a sum over sessions',
    trends({ series: [step({ math: 'sum', math_property: 'x', math_property_type: 'session_properties' })] }),
    /^series\[0\].math_property_type: .*person_properties/,
  ],
  ['a formula of no such series', trends({ trendsFilter: { formula: 'A+B' } }), /^trendsFilter.formula: .*series "B"/],
  [
    'a second formula that is none',
    trends({ trendsFilter: { formulaNodes: [{ formula: 'A' }, { formula: 'A(1)' }] } }),
    /^trendsFilter.formulaNodes\[1\].formula: "\(" is not expected/,
  ],
  ['smoothing by nothing', trends({ trendsFilter: { smoothingIntervals: 0 } }), /^trendsFilter.smoothingIntervals: /],
  ...['2024-01-01', 'mStart', '-1mStart', '1w', 'w', 'week', '-0d'].map((compare_to): [string, unknown, RegExp] => [
    `a comparison with ${compare_to}`,
    trends({ compareFilter: { compare: true, compare_to } }),
    /^compareFilter.compare_to: Give how far the comparison range lies before this one: "-7d", "-4w", "-1m", "-1y"\.$/,
  ]),
  ['another interval', trends({ interval: 'minute' }), /^interval: .*hour, day, week, month/],
  ['another display', trends({ trendsFilter: { display: 'Radar' } }), /^trendsFilter.display: .*BoldNumber/],
  [
    'a cumulated average',
    trends({
      series: [step({ math: 'avg', math_property: 'x' })],
      trendsFilter: { display: 'ActionsLineGraphCumulative' },
    }),
    /^series\[0\].math: Only these can be cumulative: total, dau, sum/,
  ],
  [
    'a cumulated line that is smoothed',
    trends({ trendsFilter: { display: 'ActionsLineGraphCumulative', smoothingIntervals: 3 } }),
    /^trendsFilter.smoothingIntervals: Cumulative/,
  ],
  [
    'two breakdowns',
    trends({ breakdownFilter: { breakdowns: [{ property: 'a' }, { property: 'b' }] } }),
    /^breakdownFilter.breakdowns: .*no more than 1/,
  ],
  [
    'cohorts',
    trends({ breakdownFilter: { breakdown: 'x', breakdown_type: 'cohort' } }),
    /breakdown_type: .*event, person/,
  ],
  ['many values', trends({ breakdownFilter: { breakdown: 'x', breakdown_limit: 101 } }), /breakdown_limit: .*100/],
  [
    'a date that is none',
    trends({ dateRange: { date_from: '2024-02-30' } }),
    /^dateRange.date_from: "2024-02-30" is not a date/,
  ],
  ['SQL in a date', trends({ dateRange: { date_to: "now'; drop" } }), /^dateRange.date_to: .* is not a date/],
  ['a date of the future', trends({ dateRange: { date_to: '+7d' } }), /^dateRange.date_to: /],
  ['a filter without a type', trends({ properties: [{ key: 'x', value: 1 }] }), /^properties\[0\].type: /],
  [
    'a filter by cohort',
    trends({ properties: [{ key: 'id', type: 'cohort', value: 1 }] }),
    /^properties\[0\]: .*'person'/,
  ],
  [
    'a filter by what is no operator',
    trends({ properties: { type: 'AND', values: [{ type: 'OR', values: [{ ...byPlan, operator: '=' }] }] } }),
    /^properties.values\[0\].values\[0\]: "=" is not an operator/,
  ],
  ['a group of another kind', trends({ properties: { type: 'XOR', values: [] } }), /^properties.type: Must be "AND"/],
  [
    'deep groups',
    trends({
      properties: Array.from({ length: 9 }).reduce<object>((inner) => ({ type: 'AND', values: [inner] }), byPlan),
    }),
    /nested 4 deep/,
  ],
  [
    'a pattern that runs away',
    trends({ properties: [{ ...byPlan, operator: 'regex', value: '(a{999}){999}' }] }),
    /^properties\[0\]: /,
  ],
  ['NUL', trends({ series: [step({ event: 'a\0' })] }), /characters that cannot be stored/],
  ['half a character', trends({ series: [step({ event: '\ud800' })] }), /characters that cannot be stored/],
  ['one step', funnel({ series: [step()] }), /^series: .*at least 2/],
  ['no window', funnel({ funnelsFilter: { funnelWindowInterval: 0 } }), /^funnelsFilter.funnelWindowInterval: /],
  ['another unit', funnel({ funnelsFilter: { funnelWindowIntervalUnit: "day'" } }), /Unit: .*second, minute/],
  ['a sum in a funnel', funnel({ series: [step(), step({ math: 'max', math_property: 'x' })] }), /^series\[1\].math: /],
  ['too many periods', retention({ totalIntervals: 101 }), /^retentionFilter.totalIntervals: .*100/],
  ['another period', retention({ period: 'Year' }), /^retentionFilter.period: .*Hour, Day, Week, Month/],
  [
    'an action that returns',
    retention({ returningEntity: { id: 3, type: 'actions' } }),
    /^retentionFilter.returningEntity/,
  ],
  ['no columns', { kind: 'EventsQuery' }, /^select: This field is required/],
  ['an aggregate', table({ select: ['count()'] }), /^select\[0\]: "count\(\)" is no column. Columns are: uuid, /],
  ['another table', table({ select: ['(select 1)'] }), /^select\[0\]: /],
  ['a quote in a name', table({ select: ["properties.x' || y"] }), /^select\[0\]: /],
  ['a secret column', table({ select: ['row_bytes'] }), /^select\[0\]: /],
  ['a column of every object', table({ select: ['toString'] }), /^select\[0\]: /],
  ['an order by SQL', table({ orderBy: ['1; drop table events'] }), /^orderBy\[0\]: /],
  ['an order by everything', table({ orderBy: ['* DESC'] }), /^orderBy\[0\]: /],
  ['an expression that is none', table({ where: ['event ='] }), /^where\[0\]: /],
  ['too many rows', table({ limit: 1001 }), /^limit: .*1000/],
  ['a person that is none', table({ personId: 'x' }), /^personId: Must be a valid UUID/],
];

const refusalOf = (read: () => unknown): InvalidInput => {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  return assert.fail('was not refused');
};

describe('a query', () => {
  for (const [name, query, message] of REFUSED) {
    it(`is refused: ${name}`, () => {
      const { message: refusal, attr } = refusalOf(() => parseQuery(query));
      assert.match(refusal, message);
      assert.equal(attr, 'query');
    });
  }

  it('is read with what upstream leaves out, and with what only says how it looks', () => {
    const looks = {
      version: 2,
      samplingFactor: null,
      filterTestAccounts: false,
      breakdownFilter: null,
      trendsFilter: { display: null, showLegend: true },
      properties: { type: 'AND', values: [{ type: 'AND', values: [byPlan] }] },
    };
    const parsed = parseQuery({ kind: 'InsightVizNode', full: true, source: trends(looks) });
    assert(parsed.kind === 'TrendsQuery');
    const { interval, shape, breakdown, filters } = parsed;
    assert.deepEqual([interval, shape, breakdown], ['day', 'intervals', null]);
    assert.deepEqual(filters, { every: [{ every: [{ filter: byPlan }] }] });
  });

  it('may be any that the documentation shows', () => {
    const page = readFileSync(new URL('../../../docs/insights.md', import.meta.url), 'utf8');
    const shown = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => parseQuery(JSON.parse(text!)));
    const kinds = ['TrendsQuery', 'TrendsQuery', 'FunnelsQuery', 'RetentionQuery', 'EventsQuery'];
    assert.deepEqual(
      shown.map(({ kind }) => kind),
      kinds,
    );
  });

  it('is not changed by being read', () => {
    const query = { kind: 'InsightVizNode', source: trends({ trendsFilter: {}, breakdownFilter: {} }) };
    const before = structuredClone(query);
    parseQuery(query);
    withDashboardFilters(query, { date_from: '-1d', properties: [byPlan], breakdown_filter: { breakdown: 'x' } });
    assert.deepEqual(query, before);
  });
});

describe('the overlay of a dashboard', () => {
  const own = trends({ dateRange: { date_from: '-30d', date_to: '-3d' }, properties: [byPlan] });

  it('is nothing when it says nothing', () => {
    assert.deepEqual(withDashboardFilters(own, {}), parseQuery(own));
    const empty = { date_from: null, date_to: null, properties: [], breakdown_filter: null };
    assert.deepEqual(withDashboardFilters(own, empty), parseQuery(own));
  });

  it('replaces dates, and the end with the beginning', () => {
    const { range } = withDashboardFilters(own, { date_from: '-7d' });
    assert.deepEqual(range, parseQuery(trends({ dateRange: { date_from: '-7d' } })).range);
    const later = withDashboardFilters(own, { date_to: '-1d' });
    assert.deepEqual(later.range, parseQuery(trends({ dateRange: { date_from: '-30d', date_to: '-1d' } })).range);
    const rows = withDashboardFilters(table({ after: '-1h', before: '-5h' }), { date_from: 'mStart' });
    assert.deepEqual(rows.range, parseQuery(table({ dateRange: { date_from: 'mStart' } })).range);
  });

  it('adds its properties to those of the query', () => {
    const inParis = { key: 'city', type: 'event', operator: 'exact', value: 'Paris' };
    const { filters } = withDashboardFilters(own, { properties: [inParis] });
    assert.deepEqual(filters, { every: [{ every: [{ filter: byPlan }] }, { every: [{ filter: inParis }] }] });
    const alone = withDashboardFilters(trends(), { properties: [inParis] });
    assert.deepEqual(alone.filters, { every: [{ filter: inParis }] });
  });

  it('breaks down what can be', () => {
    const filters = { breakdown_filter: { breakdown: 'city', breakdown_type: 'person' } };
    const broken = withDashboardFilters(own, filters);
    assert(broken.kind === 'TrendsQuery');
    assert.equal(broken.breakdown?.property, 'city');
    assert.equal(withDashboardFilters(funnel(), filters).kind, 'FunnelsQuery');
  });

  it('is refused like a query: it was stored unchecked', () => {
    assert.match(refusalOf(() => withDashboardFilters(own, { date_from: 'soon' })).message, /^dateRange.date_from: /);
    assert.match(refusalOf(() => withDashboardFilters(own, { date_from: 7 })).message, /^dateRange.date_from: /);
    assert.match(refusalOf(() => withDashboardFilters(own, { properties: 'x' })).message, /^properties/);
  });
});
