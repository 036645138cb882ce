/** Members of upstream's nodes that would change numbers, and are not computed here: refused rather than quietly ignored. */
import { refusal } from './refusal.ts';

/** What to do without the member, and the value that changes nothing. */
type Unsupported = { fix: string; harmless?: unknown };

const EVERY: Record<string, Unsupported> = {
  aggregation_group_type_index: { fix: 'Only persons are counted: leave it out.' },
  samplingFactor: { fix: 'All events are counted: leave it out.', harmless: 1 },
};

const SERIES: Record<string, Unsupported> = {
  math_hogql: { fix: 'Use `math` with `math_property`.' },
  math_multiplier: { fix: 'Leave it out.', harmless: 1 },
  math_group_type_index: { fix: 'Only persons are counted: leave it out.' },
  optionalInFunnel: { fix: 'Every step counts: leave it out.' },
};

const BREAKDOWN: Record<string, Unsupported> = {
  breakdown_group_type_index: { fix: 'Break down by a property of the event or of its person.' },
  breakdown_histogram_bin_count: { fix: 'Values are not grouped into bins: leave it out.' },
  breakdown_normalize_url: { fix: 'Values are compared as they are: leave it out.' },
  breakdown_path_cleaning: { fix: 'Values are compared as they are: leave it out.' },
};

const NO_BREAKDOWN: Record<string, Unsupported> = {
  'breakdownFilter.breakdown': { fix: 'Only a TrendsQuery is broken down: leave it out, or filter by the property.' },
  'breakdownFilter.breakdowns': { fix: 'Only a TrendsQuery is broken down: leave it out, or filter by the property.' },
};

const UNSUPPORTED: Record<string, Record<string, Unsupported>> = {
  TrendsQuery: {
    ...EVERY,
    conversionGoal: { fix: 'Use a FunnelsQuery.' },
    'compareFilter.compare': { fix: 'Ask once more with the former `dateRange`.' },
    'trendsFilter.formula': { fix: 'Ask for the series it is made of.' },
    'trendsFilter.formulas': { fix: 'Ask for the series they are made of.' },
    'trendsFilter.formulaNodes': { fix: 'Ask for the series they are made of.' },
    'trendsFilter.smoothingIntervals': { fix: 'Use a longer `interval`.', harmless: 1 },
    ...inside('breakdownFilter', BREAKDOWN),
  },
  FunnelsQuery: {
    ...EVERY,
    ...NO_BREAKDOWN,
    'funnelsFilter.exclusions': { fix: 'Leave it out.' },
    'funnelsFilter.funnelOrderType': { fix: 'Steps are ordered: use "ordered".', harmless: 'ordered' },
    'funnelsFilter.funnelVizType': { fix: 'Use "steps".', harmless: 'steps' },
    'funnelsFilter.funnelAggregateByHogQL': { fix: 'Persons are counted: leave it out.', harmless: 'person_id' },
    'funnelsFilter.funnelFromStep': { fix: 'All steps are answered: leave it out.' },
    'funnelsFilter.funnelToStep': { fix: 'All steps are answered: leave it out.' },
  },
  RetentionQuery: {
    ...EVERY,
    ...NO_BREAKDOWN,
    'retentionFilter.cumulative': { fix: 'Leave it out.' },
    'retentionFilter.minimumOccurrences': { fix: 'Once is enough: leave it out.', harmless: 1 },
    'retentionFilter.retentionCustomBrackets': { fix: 'Use `period` and `totalIntervals`.' },
    'retentionFilter.aggregationType': { fix: 'Persons are counted: leave it out.', harmless: 'count' },
  },
  EventsQuery: {
    source: { fix: 'Filter with `properties`, `event` and `where`.' },
    actionId: { fix: 'Filter with `event` and `properties`.' },
    actionSteps: { fix: 'Filter with `event` and `properties`.' },
    events: { fix: 'Filter with `event` or `where`.' },
  },
};

function inside(parent: string, members: Record<string, Unsupported>): Record<string, Unsupported> {
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [`${parent}.${name}`, one]));
}

/** @throws InvalidInput for the first member that asks for what is not computed, naming it and what to do instead */
export function refuseUnsupported(node: Readonly<Record<string, unknown>>): void {
  refuseIn(node, UNSUPPORTED[String(node['kind'])] ?? {}, '');
  const { series } = node;
  if (!Array.isArray(series)) return;
  for (const [index, one] of series.entries()) refuseIn(one, SERIES, `series[${index}].`);
}

function refuseIn(node: unknown, members: Record<string, Unsupported>, prefix: string): void {
  for (const [path, { fix, harmless }] of Object.entries(members)) {
    const value = path.split('.').reduce(memberOf, node);
    if (!isGiven(value) || value === harmless) continue;
    throw refusal(`${prefix}${path}`, `This is not supported. ${fix}`, 'not_supported');
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** null, false and nothing ask for nothing. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}
