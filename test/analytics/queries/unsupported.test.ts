/** Fields that have an effect upstream and none here are refused, unless they say what is done anyway. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { refuseUnknown } from '../../../src/analytics/queries/parsing/known-fields.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';

const step = { kind: 'EventsNode', event: 'paid' };
const QUERIES = {
  trend: { kind: 'TrendsQuery', series: [{ ...step }, { ...step }] },
  funnel: { kind: 'FunnelsQuery', series: [{ ...step }, { ...step }] },
  retention: { kind: 'RetentionQuery', retentionFilter: {} },
  table: { kind: 'EventsQuery', select: ['event'] },
} as const;
type Kind = keyof typeof QUERIES;

const INSIGHTS: Kind[] = ['trend', 'funnel', 'retention'];
const ALL: Kind[] = [...INSIGHTS, 'table'];

/** Of which queries, a path, a value with an effect, and values without one; null and what is absent have none anywhere. */
const FIELDS: [Kind[], string, refused: unknown, harmless: unknown[]][] = [
  [ALL, 'modifiers.personsOnEventsMode', 'disabled', ['person_id_override_properties_on_events']],
  [ALL, 'modifiers.convertToProjectTimezone', false, [true]],
  [INSIGHTS, 'aggregation_group_type_index', 0, []],
  [INSIGHTS, 'samplingFactor', 0.1, [1]],
  [INSIGHTS, 'dateRange.excludeIncompletePeriods', true, [false]],
  [['trend', 'funnel'], 'series[1].math_hogql', 'count()', ['']],
  [['trend', 'funnel'], 'series[1].math_multiplier', 60, [1]],
  [['trend', 'funnel'], 'series[1].math_group_type_index', 0, []],
  [['trend', 'funnel'], 'series[1].math_property_revenue_currency', { static: 'EUR' }, []],
  [['trend'], 'conversionGoal', { customEventName: 'paid' }, []],
  [['trend'], 'breakdownFilter.breakdown_group_type_index', 0, []],
  [['trend'], 'breakdownFilter.breakdown_histogram_bin_count', 10, []],
  [['trend'], 'breakdownFilter.breakdown_normalize_url', true, [false]],
  [['trend'], 'breakdownFilter.breakdown_path_cleaning', true, [false]],
  [['funnel', 'retention'], 'breakdownFilter.breakdown', 'plan', []],
  [['funnel', 'retention'], 'breakdownFilter.breakdowns', [{ property: 'plan' }], [[]]],
  [['funnel', 'retention'], 'compareFilter.compare', true, [false]],
  [['funnel'], 'series[1].optionalInFunnel', true, [false]],
  [['funnel'], 'funnelsFilter.exclusions', [{ ...step, funnelFromStep: 0, funnelToStep: 1 }], [[]]],
  [['funnel'], 'funnelsFilter.funnelOrderType', 'unordered', ['ordered']],
  [['funnel'], 'funnelsFilter.funnelVizType', 'time_to_convert', ['steps']],
  [['funnel'], 'funnelsFilter.funnelAggregateByHogQL', 'properties.$session_id', ['person_id', '']],
  [['funnel'], 'funnelsFilter.customAggregationTarget', true, [false]],
  [['retention'], 'retentionFilter.cumulative', true, [false]],
  [['retention'], 'retentionFilter.minimumOccurrences', 2, [1]],
  [['retention'], 'retentionFilter.timeWindowMode', '24_hour_windows', ['strict_calendar_dates']],
  [['retention'], 'retentionFilter.retentionReference', 'previous', ['total']],
  [['retention'], 'retentionFilter.retentionCustomBrackets', [1, 3], [[]]],
  [['retention'], 'retentionFilter.aggregationType', 'sum', ['count']],
  [['retention'], 'retentionFilter.customAggregationTarget', true, [false]],
  [['retention'], 'retentionFilter.targetEntity.kind', 'ActionsNode', ['EventsNode']],
  [['retention'], 'retentionFilter.returningEntity.kind', 'ActionsNode', ['EventsNode']],
  [['table'], 'source', { kind: 'InsightActorsQuery' }, []],
  [['table'], 'actionId', 1, []],
  [['table'], 'actionSteps', [{ event: 'paid' }], [[]]],
  [['table'], 'events', ['paid'], [[]]],
];

/** Fields that upstream computes in other queries, or other charts, than the one that they stand in. */
const WITHOUT_EFFECT: [Kind, object][] = [
  ['trend', { series: [{ ...step, optionalInFunnel: true, limit: 10, orderBy: ['timestamp'] }] }],
  ['trend', { series: [{ ...step, math: 'dau', math_property_type: 'session_properties', math_property: 'x' }] }],
  ['trend', { compareFilter: { compare: false, compare_to: '-1y' } }],
  ['trend', { trendsFilter: { formula: '', formulas: [], formulaNodes: [], smoothingIntervals: 1 } }],
  ['trend', { trendsFilter: { display: 'BoldNumber', smoothingIntervals: 7 }, calendarHeatmapFilter: { dummy: 'x' } }],
  ['trend', { trendsFilter: { showMovingAverage: true, movingAverageIntervals: 3, metricSummary: 'average' } }],
  ['trend', { filterTestAccounts: true, modifiers: { debug: true, optimizeProjections: false } }],
  ['funnel', { interval: 'week', funnelsFilter: { funnelFromStep: 1, funnelToStep: 2, binCount: 5, useUdf: true } }],
  [
    'funnel',
    { funnelsFilter: { breakdownAttributionType: 'step', funnelStepReference: 'previous', layout: 'vertical' } },
  ],
  [
    'retention',
    { retentionFilter: { meanRetentionCalculation: 'weighted', display: 'ActionsBar', selectedInterval: 1 } },
  ],
  ['retention', { retentionFilter: { aggregationProperty: 'price', aggregationPropertyType: 'event' } }],
  ['table', { filterTestAccounts: true, where: [], orderBy: [], properties: [] }],
];

/** A copy in which the path leads to the value. */
function changed(query: object, path: string, value: unknown): unknown {
  const copy: unknown = structuredClone(query);
  const names = path.replace(/\[(\d+)\]/g, '.$1').split('.');
  const last = names.pop()!;
  let at = copy as Record<string, unknown>;
  for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>;
  at[last] = value;
  return copy;
}

describe('a field that is not computed', () => {
  for (const [kinds, path, refused, harmless] of FIELDS) {
    for (const kind of kinds) {
      const query = QUERIES[kind];
      it(`is refused by name in a ${kind}: ${path}`, () => {
        const given = changed(query, path, refused);
        assert.throws(
          () => parseQuery(given),
          (error) => {
            assert(error instanceof InvalidInput);
            assert(error.message.startsWith(`${path}: This is not supported. `), error.message);
            assert.deepEqual([error.attr, error.code], ['query', 'not_supported']);
            return true;
          },
        );
        refuseUnknown(given);
      });

      it(`may be sent in a ${kind} where it has no effect: ${path}`, () => {
        const parent = path.slice(0, path.lastIndexOf('.') + 1).replace(/\.$/, '');
        const around = parent.endsWith('Entity') ? changed(query, parent, {}) : query;
        for (const value of [...harmless, null, undefined]) {
          assert.deepEqual(parseQuery(changed(around as object, path, value)), parseQuery(around));
        }
      });
    }
  }

  it('is found in any of several breakdowns', () => {
    const breakdowns = [{ property: 'plan', type: 'event', histogram_bin_count: 3 }];
    const given = { ...QUERIES.trend, breakdownFilter: { breakdowns } };
    assert.throws(() => parseQuery(given), /^InvalidInput: breakdownFilter.breakdowns\[0\].histogram_bin_count: This/);
  });

  for (const [kind, rest] of WITHOUT_EFFECT) {
    it(`may be sent where it has no effect upstream: ${JSON.stringify(rest)}`, () => {
      const given = { ...QUERIES[kind], ...rest };
      refuseUnknown(given);
      parseQuery(given);
    });
  }
});
