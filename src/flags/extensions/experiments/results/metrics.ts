/** Parses metrics of experiments, in upstream's form: the share of persons with an event, the number of events, or a property's sum. */
import { randomUUID } from 'node:crypto';
import { InvalidInput } from '../../../../platform/errors.ts';
import { parseFilters } from '../../../../conditions/sql/filters.ts';
import type { Goal } from './comparison.ts';

/** A stored metric, including upstream's fields that have no effect here. */
export type Metric = Readonly<Record<string, unknown>> & { uuid: string };

/** A parsed metric: how to compute it. */
export type Measure = {
  uuid: string;
  name: string | null;
  /** `conversion`: 1 for a person with a matching event, else 0. `count`: number of events. `sum`: sum of a numeric property. */
  kind: 'conversion' | 'count' | 'sum';
  goal: Goal;
  /** Name of the event; null for any. */
  event: string | null;
  filters: ReturnType<typeof parseFilters>;
  /** Property to add up, for `sum` only. */
  property: string | null;
  /** How long after a person's first exposure events count; null: until the experiment ends. */
  windowSeconds: number | null;
};

const WINDOW_SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 } as const;
const MAX_WINDOW_SECONDS = 366 * WINDOW_SECONDS.day;
const MAX_METRICS = 20;
const MAX_TEXT = 400;

/** Fields of upstream's metrics that would change the numbers and are not supported here. */
const UNSUPPORTED = [
  'lower_bound_percentile',
  'upper_bound_percentile',
  'ignore_zeros',
  'threshold',
  'breakdownFilter',
];

/**
 * @param value value from the body; null for no metrics
 * @param attr the experiment's field, for errors
 * @returns the metrics, each with a `uuid`
 * @throws InvalidInput naming the metric and its fault
 */
export function parseMetrics(value: unknown, attr: 'metrics' | 'metrics_secondary'): Metric[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new InvalidInput('Metrics must be a list', attr);
  if (value.length > MAX_METRICS) throw new InvalidInput(`There may be at most ${MAX_METRICS} metrics`, attr);
  return value.map((one: unknown, index) => {
    try {
      const metric = { ...objectOf(one, 'it'), uuid: (one as { uuid?: unknown }).uuid ?? randomUUID() };
      parseMetric(metric);
      return metric as Metric;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      throw new InvalidInput(`Invalid metric at index ${index}: ${error.message}`, attr, error.code);
    }
  });
}

/** @throws InvalidInput for a metric that is not supported here */
export function parseMetric(metric: Readonly<Record<string, unknown>>): Measure {
  if (metric['kind'] !== 'ExperimentMetric') throw metricError("metric kind must be 'ExperimentMetric'");
  const unsupported = UNSUPPORTED.find((name) => isGiven(metric[name]));
  if (unsupported) throw metricError(`'${unsupported}' is not supported`);
  const { goal = 'increase' } = metric;
  if (goal !== 'increase' && goal !== 'decrease') throw metricError("'goal' must be 'increase' or 'decrease'");
  const { node, kind } = parseSource(metric);
  return {
    uuid: textOf(metric['uuid'], 'uuid') ?? '',
    name: textOf(metric['name'], 'name'),
    kind,
    goal,
    event: textOf(node['event'], 'event'),
    filters: filtersOf(node['properties']),
    property: kind === 'sum' ? propertyOf(node['math_property']) : null,
    windowSeconds: parseWindow(metric['conversion_window'], metric['conversion_window_unit']),
  };
}

type Node = Readonly<Record<string, unknown>>;

function parseSource(metric: Node): { node: Node; kind: Measure['kind'] } {
  const type = metric['metric_type'];
  if (type === 'funnel') return { node: parseFunnelStep(metric['series']), kind: 'conversion' };
  if (type !== 'mean') throw metricError(`metric_type must be 'funnel' or 'mean', others are not supported`);
  const node = eventsNode(metric['source'], 'source');
  const math = node['math'] ?? 'total';
  if (math === 'total') return { node, kind: 'count' };
  if (math === 'sum') return { node, kind: 'sum' };
  throw metricError("'math' of the source must be 'total' or 'sum', others are not supported");
}

/** Returns the only step of a funnel after the exposure, which is implied, as upstream does. */
function parseFunnelStep(series: unknown): Node {
  if (!Array.isArray(series) || series.length === 0) {
    throw metricError(
      'funnel metrics require at least one step. The experiment exposure event is added as the initial step automatically.',
    );
  }
  if (series.length > 1) throw metricError('funnels of more than one step after the exposure are not supported');
  return eventsNode(series[0], 'series');
}

function eventsNode(value: unknown, name: string): Node {
  const node = objectOf(value, `'${name}'`);
  if (node['kind'] === 'EventsNode') return node;
  throw metricError(`'${name}' must be of kind 'EventsNode', others are not supported`);
}

function filtersOf(value: unknown) {
  try {
    return parseFilters(value, 'events');
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw metricError(`properties: ${error.message}`, error.code);
  }
}

function propertyOf(value: unknown): string {
  const property = textOf(value, 'math_property');
  if (property === null) throw metricError("'math_property' must name the property that is summed");
  return property;
}

function parseWindow(value: unknown, unit: unknown): number | null {
  if (!isGiven(value)) return null;
  const name = Object.keys(WINDOW_SECONDS).find((candidate) => candidate === (unit ?? 'day')) as
    keyof typeof WINDOW_SECONDS | undefined;
  if (!name) throw metricError(`'conversion_window_unit' must be one of: ${Object.keys(WINDOW_SECONDS).join(', ')}`);
  const seconds = typeof value === 'number' ? value * WINDOW_SECONDS[name] : NaN;
  if (Number.isInteger(value) && seconds > 0 && seconds <= MAX_WINDOW_SECONDS) return seconds;
  throw metricError("'conversion_window' must be a whole number above 0, and of 366 days at most");
}

function textOf(value: unknown, name: string): string | null {
  if (!isGiven(value)) return null;
  if (typeof value === 'string' && value !== '' && value.length <= MAX_TEXT) return value;
  throw metricError(`'${name}' must be a text of 1 to ${MAX_TEXT} characters`);
}

function objectOf(value: unknown, name: string): Node {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Node;
  throw metricError(`${name} must be an object`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function metricError(detail: string, code?: string): InvalidInput {
  return new InvalidInput(detail, null, code);
}
