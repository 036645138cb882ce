/**
 * The names of fields that upstream's nodes have (PostHog, frontend/src/queries/schema). Misspelt fields are refused, because dropping
 * them quietly would give wrong numbers. `unsupported.ts` refuses known fields that are not computed here.
 */
import { nearestName } from '../../../platform/http/nearest-name.ts';
import { fieldsOf } from './parse.ts';
import { refusal } from './refusal.ts';
import { isGiven, isRefused } from './unsupported.ts';

type Fields = Readonly<Record<string, unknown>>;
type Names = ReadonlySet<string>;

const NODE = 'kind version response tags modifiers';
const INSIGHT = `${NODE} dateRange filterTestAccounts properties aggregation_group_type_index samplingFactor dataColorTheme`;
const ON_AXES = 'goalLines legendPosition resultCustomizations resultCustomizationBy';

const NODES: Readonly<Record<string, Names>> = {
  InsightVizNode: names(NODE, 'source full embedded suppressSessionAnalysisWarning vizSpecificOptions'),
  DataTableNode: names(
    NODE,
    'source full embedded columns pinnedColumns defaultColumns context contextKey expandable propertiesViaUrl allowSorting',
  ),
  TrendsQuery: names(
    INSIGHT,
    'series interval trendsFilter breakdownFilter compareFilter conversionGoal calendarHeatmapFilter',
  ),
  FunnelsQuery: names(INSIGHT, 'series interval funnelsFilter breakdownFilter compareFilter'),
  RetentionQuery: names(INSIGHT, 'retentionFilter breakdownFilter compareFilter'),
  EventsQuery: names(
    NODE,
    'source select where properties fixedProperties filterTestAccounts event events limit offset',
    'actionId actionSteps personId before after orderBy dateRange',
  ),
};

/** Known fields of the nested objects in every query. */
const PARTS: Readonly<Record<string, Names>> = {
  dateRange: names('date_from date_to explicitDate excludeIncompletePeriods'),
  compareFilter: names('compare compare_to'),
  series: names(
    NODE,
    'name custom_name properties fixedProperties event limit orderBy optionalInFunnel math math_multiplier math_property math_property_type',
    'math_property_revenue_currency math_hogql math_group_type_index',
  ),
  breakdownFilter: names(
    'breakdown breakdowns breakdown_type breakdown_limit breakdown_hide_other_aggregation breakdown_group_type_index',
    'breakdown_histogram_bin_count breakdown_normalize_url breakdown_path_cleaning',
  ),
  'breakdownFilter.breakdowns': names('property type group_type_index histogram_bin_count normalize_url'),
  trendsFilter: names(
    ON_AXES,
    'display formula formulas formulaNodes smoothingIntervals breakdown_histogram_bin_count yAxisScaleType xAxisLabel',
    'yAxisLabel aggregationAxisFormat aggregationAxisPrefix aggregationAxisPostfix decimalPlaces minDecimalPlaces',
    'stackBreakdownValues confidenceLevel movingAverageIntervals detailedResultsAggregationType excludeBoxPlotOutliers',
    'metricColorByDirection metricSummary metricChangeIncreaseColor metricChangeDecreaseColor metricLineIncreaseColor',
    'metricLineDecreaseColor',
  ),
  funnelsFilter: names(
    ON_AXES,
    'exclusions layout binCount breakdownAttributionType breakdownAttributionValue breakdownSorting useUdf',
    'customAggregationTarget funnelAggregateByHogQL funnelFromStep funnelToStep funnelOrderType funnelVizType',
    'funnelWindowInterval funnelWindowIntervalUnit funnelStepReference',
  ),
  retentionFilter: names(
    ON_AXES,
    'retentionType retentionReference totalIntervals minimumOccurrences targetEntity returningEntity period cumulative',
    'timeWindowMode retentionCustomBrackets aggregationType aggregationProperty aggregationPropertyType',
    'customAggregationTarget meanRetentionCalculation display dashboardDisplay selectedInterval cohortLabelStartIndex',
  ),
  'trendsFilter.formulaNodes': names('formula custom_name'),
  'retentionFilter.targetEntity': names('id type kind order uuid name custom_name properties'),
  'retentionFilter.returningEntity': names('id type kind order uuid name custom_name properties'),
};

/** Fields that only change how a chart looks; upstream adds more with every version. */
const PRESENTATIONAL = /^(show|hide|hidden)[A-Z]/;

/**
 * Refuses unknown fields in a query that a client sends now; stored queries stay as they are.
 * @param value a query, bare or inside another node; a query of an unknown kind is left to `parseQuery`
 * @throws InvalidInput for the first unknown field, naming it and the most similar known one; also for a field that does nothing without
 * another
 */
export function refuseUnknown(value: unknown): void {
  const node = fieldsOf(value);
  const known = knownFieldsOf(node);
  if (known === undefined) return;
  if (node['kind'] === 'EventsQuery' || !known.has('source')) {
    refuseIn(node, known);
    return;
  }
  const source = fieldsOf(node['source']);
  const sourceFields = knownFieldsOf(source);
  const elsewhere = sourceFields ? [...sourceFields].map((name) => `source.${name}`) : [];
  refuseOthers(node, { kind: source['kind'], known, elsewhere });
  if (sourceFields) refuseIn(source, sourceFields);
}

function refuseIn(query: Fields, known: Names): void {
  const { kind } = query;
  const parts = Object.entries(PARTS).filter(([path]) => known.has(path.split('.')[0]!));
  const elsewhere = parts.flatMap(([path, partFields]) => [...partFields].map((name) => `${path}.${name}`));
  refuseOthers(query, { kind, known, elsewhere });
  for (const [path, partFields] of parts) {
    const part = path.split('.').reduce((parent: unknown, name) => fieldsOf(parent)[name], query);
    const refuse = (node: unknown, prefix: string) => {
      if (partFields.has('kind') && isOfAnotherKind(node)) return;
      refuseOthers(fieldsOf(node), { kind, known: partFields, prefix });
    };
    if (Array.isArray(part)) part.forEach((element, n) => refuse(element, `${path}[${n}].`));
    else refuse(part, `${path}.`);
  }
  refuseLoneCompareTo(query);
}

/** @param elsewhere paths of fields in other parts of the query, to be suggested */
function refuseOthers(
  fields: Fields,
  {
    kind,
    known,
    prefix = '',
    elsewhere = [],
  }: { kind: unknown; known: Names; prefix?: string; elsewhere?: readonly string[] },
): void {
  const other = Object.keys(fields).find(
    (name) => !known.has(name) && !PRESENTATIONAL.test(name) && isGiven(fields[name]),
  );
  if (other === undefined) return;
  const like = nearestName(other, [...known, ...elsewhere]);
  const path = `${prefix}${like}`.replace(/\[\d+\]|^source\./, '');
  const hint = like === undefined || isRefused(kind, path) ? '' : ` Did you mean \`${like}\`?`;
  throw refusal(`${prefix}${other.slice(0, 100)}`, `There is no such field.${hint}`, 'unknown_member');
}

/** Parts of another kind have other fields, and `parseQuery` refuses them for their kind. */
function isOfAnotherKind(part: unknown): boolean {
  const { kind } = fieldsOf(part);
  return isGiven(kind) && kind !== 'EventsNode';
}

/** Refuses `compare_to` alone, because the client would miss the comparison. User interfaces keep it with `compare: false` on purpose. */
function refuseLoneCompareTo({ kind, compareFilter }: Fields): void {
  const { compare, compare_to: compareTo } = fieldsOf(compareFilter);
  if (!isGiven(compareTo) || typeof compare === 'boolean') return;
  const fix = kind === 'TrendsQuery' ? 'It does nothing without `compare: true`.' : 'Only a TrendsQuery is compared.';
  throw refusal('compareFilter.compare_to', fix, 'required');
}

function knownFieldsOf({ kind }: Fields): Names | undefined {
  return typeof kind === 'string' && Object.hasOwn(NODES, kind) ? NODES[kind] : undefined;
}

function names(...texts: readonly string[]): Names {
  return new Set(texts.flatMap((text) => text.split(' ')));
}
