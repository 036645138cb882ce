/** Insights as older clients describe them. */
import assert from 'node:assert/strict';
import { queryOfFilters } from '../../../src/analytics/insights/legacy-filters.ts';
import { parseQuery } from '../../../src/analytics/queries/parsing/parse.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';

const viewed = { id: 'viewed', name: 'viewed', type: 'events', order: 1, math: 'dau' };
const paid = { id: 'paid', type: 'events', order: 0, properties: [{ key: 'plan', value: 'pro', type: 'event' }] };

const CASES = [
  {
    title: 'trends, which they are when nothing is said',
    filters: {
      events: [viewed, paid],
      date_from: '-30d',
      interval: 'week',
      display: 'ActionsBar',
      breakdown: 'browser',
    },
    source: {
      kind: 'TrendsQuery',
      series: [
        { kind: 'EventsNode', event: 'paid', properties: paid.properties },
        { kind: 'EventsNode', event: 'viewed', math: 'dau', name: 'viewed' },
      ],
      interval: 'week',
      trendsFilter: { display: 'ActionsBar' },
      breakdownFilter: { breakdown: 'browser' },
      dateRange: { date_from: '-30d' },
    },
  },
  {
    title: 'a formula, smoothed and beside last year',
    filters: {
      events: [{ ...viewed, math: 'sum', math_property: 'age', math_property_type: 'person_properties' }],
      formula: 'A*2',
      smoothing_intervals: 7,
      compare: true,
      compare_to: '-1y',
    },
    source: {
      kind: 'TrendsQuery',
      series: [
        {
          kind: 'EventsNode',
          event: 'viewed',
          math: 'sum',
          math_property: 'age',
          math_property_type: 'person_properties',
          name: 'viewed',
        },
      ],
      trendsFilter: { formula: 'A*2', smoothingIntervals: 7 },
      breakdownFilter: {},
      compareFilter: { compare: true, compare_to: '-1y' },
      dateRange: {},
    },
  },
  {
    title: 'a funnel, its window in days',
    filters: { insight: 'FUNNELS', events: [paid, viewed], funnel_window_days: 3, funnel_viz_type: 'steps' },
    source: {
      kind: 'FunnelsQuery',
      series: [
        { kind: 'EventsNode', event: 'paid', properties: paid.properties },
        { kind: 'EventsNode', event: 'viewed', math: 'dau', name: 'viewed' },
      ],
      funnelsFilter: { funnelWindowInterval: 3, funnelWindowIntervalUnit: 'day', funnelVizType: 'steps' },
      breakdownFilter: {},
      dateRange: {},
    },
  },
  {
    title: 'retention',
    filters: {
      insight: 'RETENTION',
      target_entity: { id: 'viewed', type: 'events', order: 0 },
      total_intervals: 4,
      period: 'Week',
      retention_type: 'retention_first_time',
    },
    source: {
      kind: 'RetentionQuery',
      retentionFilter: {
        retentionType: 'retention_first_time',
        totalIntervals: 4,
        period: 'Week',
        targetEntity: { id: 'viewed', type: 'events' },
        returningEntity: null,
      },
      breakdownFilter: {},
      dateRange: {},
    },
  },
];

describe('legacy filters', () => {
  for (const { title, filters, source } of CASES) {
    it(`become ${title}`, () => {
      const query = queryOfFilters(filters);
      assert.deepEqual(query, { kind: 'InsightVizNode', source });
      parseQuery(query);
    });
  }

  const REFUSED = [
    { filters: { insight: 'PATHS' }, detail: /^insight: There is no "PATHS"/ },
    { filters: { insight: 'STICKINESS', events: [viewed] }, detail: /^insight: There is no "STICKINESS"/ },
    { filters: { actions: [{ id: 1 }] }, detail: /^actions: Only `events` are counted/ },
    { filters: { events: [viewed], formula: 'A+B' }, detail: /^trendsFilter.formula: There is no series "B"/ },
    { filters: { events: [{ ...viewed, math: 'unique_session' }] }, detail: /math: "unique_session" is not a valid/ },
    {
      filters: { insight: 'FUNNELS', events: [paid, viewed], funnel_aggregate_by_hogql: 'properties.$session_id' },
      detail: /^funnelsFilter.funnelAggregateByHogQL: This is not supported/,
    },
    { filters: { insight: 'RETENTION', cumulative: true }, detail: /^retentionFilter.cumulative: This is not/ },
    { filters: { insight: 'RETENTION', retention_reference: 'previous' }, detail: /retentionReference: This is not/ },
    { filters: { events: [] }, detail: /series/ },
  ];
  for (const { filters, detail } of REFUSED) {
    it(`are refused for ${JSON.stringify(filters)}`, () => {
      assert.throws(
        () => parseQuery(queryOfFilters(filters)),
        (error: unknown) => error instanceof InvalidInput && detail.test(error.message),
      );
    });
  }
});
