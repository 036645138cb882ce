/** Fields of upstream's nodes that would change numbers but are not supported here, so they are refused rather than quietly ignored. */
import { refusal } from './refusal.ts';

/** Advice for doing without the field, and the value that changes nothing. */
type UnsupportedField = {
  fix: string;
  harmless?: unknown;
  /** `false` has an effect, too. */
  evenFalse?: true;
};
/** Fields by path; `[]` stands for each element of a list. */
type UnsupportedFields = Readonly<Record<string, UnsupportedField>>;

const PERSONS_ONLY = 'Only persons are counted: leave it out.';
const AS_THEY_ARE = 'Values are compared as they are: leave it out.';
const NO_BINS = 'Values are not grouped into bins: leave it out.';

const EVERYWHERE: UnsupportedFields = {
  'modifiers.personsOnEventsMode': {
    fix: 'Persons have their properties as of the event, and merged persons count as one: leave it out.',
    harmless: 'person_id_override_properties_on_events',
  },
  'modifiers.convertToProjectTimezone': {
    fix: 'Days are those of the project’s time zone: leave it out.',
    harmless: true,
    evenFalse: true,
  },
};

const INSIGHT: UnsupportedFields = {
  ...EVERYWHERE,
  aggregation_group_type_index: { fix: PERSONS_ONLY },
  samplingFactor: { fix: 'All events are counted: leave it out.', harmless: 1 },
  'dateRange.excludeIncompletePeriods': { fix: 'Let `date_to` be the end of the last period: "-1dEnd".' },
};

const SERIES: UnsupportedFields = {
  'series[].math_hogql': { fix: 'Use `math` with `math_property`.' },
  'series[].math_multiplier': { fix: 'Use a formula: `A * 100`.', harmless: 1 },
  'series[].math_group_type_index': { fix: PERSONS_ONLY },
  'series[].math_property_revenue_currency': { fix: 'Amounts are added as they are: leave it out.' },
};

const BREAKDOWN: UnsupportedFields = {
  'breakdownFilter.breakdown_group_type_index': { fix: 'Break down by a property of the event or of its person.' },
  'breakdownFilter.breakdown_histogram_bin_count': { fix: NO_BINS },
  'breakdownFilter.breakdown_normalize_url': { fix: AS_THEY_ARE },
  'breakdownFilter.breakdown_path_cleaning': { fix: AS_THEY_ARE },
  'breakdownFilter.breakdowns[].group_type_index': { fix: 'Break down by a property of the event or of its person.' },
  'breakdownFilter.breakdowns[].histogram_bin_count': { fix: NO_BINS },
  'breakdownFilter.breakdowns[].normalize_url': { fix: AS_THEY_ARE },
};

const NO_BREAKDOWN: UnsupportedFields = {
  'breakdownFilter.breakdown': { fix: 'Only a TrendsQuery is broken down: leave it out, or filter by the property.' },
  'breakdownFilter.breakdowns': { fix: 'Only a TrendsQuery is broken down: leave it out, or filter by the property.' },
};

const NO_COMPARISON: UnsupportedFields = {
  'compareFilter.compare': { fix: 'Only a TrendsQuery is compared: send a second query with the earlier `dateRange`.' },
};

const UNSUPPORTED: Readonly<Record<string, UnsupportedFields>> = {
  TrendsQuery: { ...INSIGHT, ...SERIES, ...BREAKDOWN, conversionGoal: { fix: 'Use a FunnelsQuery.' } },
  FunnelsQuery: {
    ...INSIGHT,
    ...SERIES,
    ...NO_BREAKDOWN,
    ...NO_COMPARISON,
    'series[].optionalInFunnel': { fix: 'Every step counts: leave it out.' },
    'funnelsFilter.exclusions': { fix: 'Leave it out.' },
    'funnelsFilter.funnelOrderType': { fix: 'Steps are ordered: use "ordered".', harmless: 'ordered' },
    'funnelsFilter.funnelVizType': { fix: 'Use "steps".', harmless: 'steps' },
    'funnelsFilter.funnelAggregateByHogQL': { fix: 'Persons are counted: leave it out.', harmless: 'person_id' },
    'funnelsFilter.customAggregationTarget': { fix: PERSONS_ONLY },
  },
  RetentionQuery: {
    ...INSIGHT,
    ...NO_BREAKDOWN,
    ...NO_COMPARISON,
    'retentionFilter.cumulative': { fix: 'Leave it out.' },
    'retentionFilter.minimumOccurrences': { fix: 'One occurrence is enough: leave it out.', harmless: 1 },
    'retentionFilter.timeWindowMode': {
      fix: 'Periods are those of the calendar: use "strict_calendar_dates".',
      harmless: 'strict_calendar_dates',
    },
    'retentionFilter.retentionReference': {
      fix: 'Returning persons are compared with the first value: use "total".',
      harmless: 'total',
    },
    'retentionFilter.retentionCustomBrackets': { fix: 'Use `period` and `totalIntervals`.' },
    'retentionFilter.aggregationType': { fix: 'Persons are counted: leave it out.', harmless: 'count' },
    'retentionFilter.customAggregationTarget': { fix: PERSONS_ONLY },
    'retentionFilter.targetEntity.kind': { fix: 'Use "EventsNode".', harmless: 'EventsNode' },
    'retentionFilter.returningEntity.kind': { fix: 'Use "EventsNode".', harmless: 'EventsNode' },
  },
  EventsQuery: {
    ...EVERYWHERE,
    source: { fix: 'Filter with `properties`, `event` and `where`.' },
    actionId: { fix: 'Filter with `event` and `properties`.' },
    actionSteps: { fix: 'Filter with `event` and `properties`.' },
    events: { fix: 'Filter with `event` or `where`.' },
  },
};

/** @throws InvalidInput naming the first unsupported field, and what to use instead */
export function refuseUnsupported(node: Readonly<Record<string, unknown>>): void {
  for (const [path, { fix, harmless, evenFalse }] of Object.entries(UNSUPPORTED[String(node['kind'])] ?? {})) {
    for (const [fieldPath, value] of valuesAt(node, path.split('.'))) {
      if (value === harmless || !(isGiven(value) || (evenFalse && value === false))) continue;
      throw refusal(fieldPath, `This is not supported. ${fix}`, 'not_supported');
    }
  }
}

/** Fields that only trends have; other queries refuse or ignore fields with these names. */
const TRENDS_ONLY = /\b(breakdown|compare)/;

/** Whether a query of this kind refuses or ignores the field, which is then never suggested. */
export function isRefused(kind: unknown, path: string): boolean {
  if (kind !== 'TrendsQuery' && TRENDS_ONLY.test(path)) return true;
  const fields = UNSUPPORTED[String(kind)] ?? {};
  const found = Object.entries(fields).find(([one]) => one.replaceAll('[]', '') === path)?.[1];
  return found !== undefined && found.harmless === undefined;
}

/** Values at the path, each with the expression by which JavaScript would reach it. */
function valuesAt(node: unknown, [name = '', ...rest]: readonly string[], prefix = ''): [string, unknown][] {
  const fieldName = name.replace('[]', '');
  const value = valueOf(node, fieldName);
  const parts: [string, unknown][] =
    fieldName === name ? [[fieldName, value]] : asList(value).map((element, n) => [`${fieldName}[${n}]`, element]);
  return parts.flatMap(([fieldPath, part]) =>
    rest.length === 0 ? [[prefix + fieldPath, part]] : valuesAt(part, rest, `${prefix}${fieldPath}.`),
  );
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function valueOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Whether a value has an effect: null, false and undefined have none. */
export function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  return !(Array.isArray(value) && value.length === 0);
}
