/**
 * Translates `filters`, the older description of insights, to queries: trends, funnels and retention. Keeps fields that change
 * numbers, so the query parser refuses unsupported ones, and drops fields that only style a chart.
 * Wire format: PostHog, `posthog/hogql_queries/legacy_compatibility/filter_to_query.py`.
 */
import { InvalidInput } from '../../platform/errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Legacy names of fields, with their names in the query. */
const TRENDS = {
  display: 'display',
  formula: 'formula',
  formulas: 'formulas',
  smoothing_intervals: 'smoothingIntervals',
} as const;
const FUNNELS = {
  funnel_window_interval: 'funnelWindowInterval',
  funnel_window_interval_unit: 'funnelWindowIntervalUnit',
  funnel_order_type: 'funnelOrderType',
  funnel_viz_type: 'funnelVizType',
  exclusions: 'exclusions',
  funnel_from_step: 'funnelFromStep',
  funnel_to_step: 'funnelToStep',
  funnel_aggregate_by_hogql: 'funnelAggregateByHogQL',
} as const;
const RETENTION = {
  retention_type: 'retentionType',
  total_intervals: 'totalIntervals',
  period: 'period',
  retention_reference: 'retentionReference',
  cumulative: 'cumulative',
  minimum_occurrences: 'minimumOccurrences',
} as const;
const BREAKDOWN = [
  'breakdown',
  'breakdowns',
  'breakdown_type',
  'breakdown_limit',
  'breakdown_hide_other_aggregation',
  'breakdown_group_type_index',
  'breakdown_histogram_bin_count',
  'breakdown_normalize_url',
];
const SERIES = [
  'math',
  'math_property',
  'math_property_type',
  'math_hogql',
  'math_group_type_index',
  'optionalInFunnel',
  'properties',
  'custom_name',
  'name',
];

/** @throws InvalidInput for unknown kinds of insights, and for series that are not supported */
export function queryOfFilters(filters: Fields): Record<string, unknown> {
  refuseUnsupportedSeries(filters);
  const { insight = 'TRENDS' } = filters;
  return { kind: 'InsightVizNode', source: { ...sourceOf(insight, filters), ...scopeOf(filters) } };
}

function refuseUnsupportedSeries(filters: Fields): void {
  for (const kind of ['actions', 'data_warehouse', 'new_entity', 'groups']) {
    const list = filters[kind];
    if (!Array.isArray(list) || list.length === 0) continue;
    throw new InvalidInput(`${kind}: Only \`events\` are counted. Leave it out.`, 'filters', 'not_supported');
  }
}

function sourceOf(insight: unknown, filters: Fields): Fields {
  switch (insight) {
    case 'TRENDS':
      return {
        kind: 'TrendsQuery',
        series: seriesOf(filters['events']),
        ...renameFields(filters, { interval: 'interval' }),
        trendsFilter: renameFields(filters, TRENDS),
        breakdownFilter: pickFields(filters, BREAKDOWN),
        ...(filters['compare'] === true && {
          compareFilter: { compare: true, ...renameFields(filters, { compare_to: 'compare_to' }) },
        }),
      };
    case 'FUNNELS':
      return {
        kind: 'FunnelsQuery',
        series: seriesOf(filters['events']),
        funnelsFilter: { ...windowOf(filters), ...renameFields(filters, FUNNELS) },
        breakdownFilter: pickFields(filters, BREAKDOWN),
      };
    case 'RETENTION':
      return {
        kind: 'RetentionQuery',
        retentionFilter: {
          ...renameFields(filters, RETENTION),
          targetEntity: entityOf(filters['target_entity']),
          returningEntity: entityOf(filters['returning_entity']),
        },
        breakdownFilter: pickFields(filters, BREAKDOWN),
      };
    default:
      throw new InvalidInput(
        `insight: There is no "${String(insight).slice(0, 100)}". Use one of: TRENDS, FUNNELS, RETENTION; or a \`query\`.`,
        'filters',
        'not_supported',
      );
  }
}

/** Translates the fields that all kinds of legacy filters have. */
function scopeOf(filters: Fields): Fields {
  return {
    ...renameFields(filters, {
      properties: 'properties',
      aggregation_group_type_index: 'aggregation_group_type_index',
      sampling_factor: 'samplingFactor',
    }),
    dateRange: renameFields(filters, { date_from: 'date_from', date_to: 'date_to', explicit_date: 'explicitDate' }),
  };
}

/** Returns the series, sorted by their field `order`. */
function seriesOf(events: unknown): Fields[] {
  if (!Array.isArray(events)) return [];
  const order = (event: Fields) => Number(event['order'] ?? 0);
  return (events as unknown[])
    .map((event) => (typeof event === 'object' && event !== null ? (event as Fields) : {}))
    .toSorted((a, b) => order(a) - order(b))
    .map((event) => ({ kind: 'EventsNode', event: event['id'] ?? null, ...pickFields(event, SERIES) }));
}

function entityOf(entity: unknown): Fields | null {
  return typeof entity === 'object' && entity !== null
    ? pickFields(entity as Fields, ['id', 'type', 'properties'])
    : null;
}

/** Reads the oldest form of the window: a number of days. */
function windowOf({ funnel_window_days: days }: Fields): Fields {
  return days === undefined || days === null
    ? {}
    : { funnelWindowInterval: Number(days), funnelWindowIntervalUnit: 'day' };
}

function pickFields(fields: Fields, names: readonly string[]): Fields {
  return renameFields(fields, Object.fromEntries(names.map((name) => [name, name])));
}

function renameFields(fields: Fields, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => {
      const value = fields[from];
      return value === undefined || value === null || value === '' ? [] : [[to, value]];
    }),
  );
}
