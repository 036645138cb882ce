/** Fields that are misspelt, or stand in the wrong place, give no wrong numbers. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { refuseUnknown } from '../../../src/analytics/queries/parsing/known-fields.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import {
  EventsQuery,
  FunnelsQuery,
  RetentionQuery,
  TrendsQuery,
} from '../../../src/analytics/queries/parsing/schema.ts';

const step = (rest: object = {}) => ({ kind: 'EventsNode', event: 'paid', ...rest });
const trends = (rest: object = {}) => ({ kind: 'TrendsQuery', series: [step()], ...rest });
const chart = (source: object, rest: object = {}) => ({ kind: 'InsightVizNode', source, ...rest });
const retention = (filter: object) => ({ kind: 'RetentionQuery', retentionFilter: filter });

const REFUSED: [string, unknown, string, string | undefined][] = [
  ['a name in lower case', trends({ daterange: { date_from: '-1d' } }), 'daterange', 'dateRange'],
  ['a name in camel case', trends({ dateRange: { dateFrom: '-1d' } }), 'dateRange.dateFrom', 'date_from'],
  ['one letter too many', trends({ series: [step(), step({ maths: 'dau' })] }), 'series[1].maths', 'math'],
  ['one letter too few', { kind: 'TrendsQuery', serie: [step()] }, 'serie', 'series'],
  ['a breakdown beside the series', trends({ breakdown: 'plan' }), 'breakdown', 'breakdownFilter.breakdown'],
  ['a formula beside the series', trends({ formula: 'A+B' }), 'formula', 'trendsFilter.formula'],
  ['dates around a chart', chart(trends(), { dateRange: { date_from: '-1d' } }), 'dateRange', 'source.dateRange'],
  ['in a chart', chart(trends({ intervall: 'hour' })), 'intervall', 'interval'],
  [
    'in a breakdown',
    trends({ breakdownFilter: { breakdownLimits: 3 } }),
    'breakdownFilter.breakdownLimits',
    'breakdown_limit',
  ],
  [
    'in one of several breakdowns',
    trends({ breakdownFilter: { breakdowns: [{ propertie: 'x' }] } }),
    'breakdownFilter.breakdowns[0].propertie',
    'property',
  ],
  [
    'in a formula',
    trends({ trendsFilter: { formulaNodes: [{ formula: 'A', customname: 'x' }] } }),
    'trendsFilter.formulaNodes[0].customname',
    'custom_name',
  ],
  ['in a funnel', { kind: 'FunnelsQuery', series: [], funnelFilter: { a: 1 } }, 'funnelFilter', 'funnelsFilter'],
  ['in an entity', retention({ targetEntity: { event: 'paid' } }), 'retentionFilter.targetEntity.event', undefined],
  ['in a table', { kind: 'EventsQuery', select: ['event'], afer: '-1h' }, 'afer', 'after'],
  [
    'what trends have, in a retention',
    { ...retention({}), trendsFilter: { display: 'BoldNumber' } },
    'trendsFilter',
    undefined,
  ],
  ['a breakdown, where there is none', { ...retention({}), breakdown: 'plan' }, 'breakdown', undefined],
  ['around one that has none', chart(retention({}), { breakdown: 'plan' }), 'breakdown', undefined],
  ['like one that is refused', trends({ conversionGoals: { a: 1 } }), 'conversionGoals', undefined],
  [
    'like one that is refused in a part',
    trends({ series: [step({ math_multipliers: 2, math_hog: 'x' })] }),
    'series[0].math_multipliers',
    'math_multiplier',
  ],
  ['like no other', trends({ xyzzy: 0 }), 'xyzzy', undefined],
];

describe('a field that upstream does not have', () => {
  for (const [name, query, path, meant] of REFUSED) {
    it(`is refused: ${name}`, () => {
      const hint = meant === undefined ? '' : ` Did you mean \`${meant}\`?`;
      assert.throws(
        () => refuseUnknown(query),
        new InvalidInput(`${path}: There is no such field.${hint}`, 'query', 'unknown_member'),
      );
    });
  }

  for (const kind of ['ActionsNode', 'DataWarehouseNode', 7]) {
    it(`is not looked for in a series of another kind, which is what is refused: ${kind}`, () => {
      const given = trends({ series: [{ kind, id: 1, table_name: 'x' }] });
      refuseUnknown(given);
      assert.throws(() => parseQuery(given), /^InvalidInput: series\[0\]\.kind: .*Use "EventsNode"\.$/);
    });
  }

  it('is passed over in what was stored before', () => {
    assert.deepEqual(parseQuery(trends({ daterange: 1 })), parseQuery(trends()));
  });
});

describe('a field that upstream has', () => {
  for (const compareFilter of [{ compare_to: '-1y' }, { compare: null, compare_to: '-1y' }]) {
    it(`is refused where it waits for another: ${JSON.stringify(compareFilter)}`, () => {
      const given = trends({ compareFilter });
      assert.throws(
        () => refuseUnknown(given),
        new InvalidInput('compareFilter.compare_to: It does nothing without `compare: true`.', 'query', 'required'),
      );
      assert.deepEqual(parseQuery(given), parseQuery(trends()), 'as it was stored before');
      assert.throws(
        () => refuseUnknown({ ...retention({}), compareFilter }),
        /compare_to: Only a TrendsQuery is compared/,
      );
    });
  }

  it('may be sent where it changes nothing', () => {
    const query = trends({
      version: 2,
      tags: { scene: 'x', response: {}, modifiers: { a: 1 }, dataColorTheme: 3, samplingFactor: null },
      filterTestAccounts: true,
      aggregation_group_type_index: null,
      newHere: null,
      series: [step({ name: 'paid', custom_name: 'Paid' })],
      trendsFilter: { showLegend: true, showWhateverComesNext: true, goalLines: [{}], yAxisScaleType: 'linear' },
    });
    refuseUnknown(chart(query, { full: true, showHeader: true, hidePersonsModal: true }));
    refuseUnknown({ kind: 'DataTableNode', source: { kind: 'EventsQuery', select: [] }, showReload: true });
  });

  it('is each one that is computed', () => {
    for (const { properties } of [TrendsQuery, FunnelsQuery, RetentionQuery, EventsQuery]) {
      refuseUnknown({
        ...Object.fromEntries(Object.keys(properties).map((name) => [name, 1])),
        kind: properties.kind.const,
      });
    }
  });

  it('is left alone where the kind of query is none', () => {
    for (const query of [
      null,
      [],
      'x',
      { kind: 'HogQLQuery', query: 'select 1' },
      chart({ kind: 'PathsQuery', a: 1 }),
    ]) {
      refuseUnknown(query);
    }
  });
});
