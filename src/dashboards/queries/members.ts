/**
 * The names of members that upstream's nodes have (PostHog, frontend/src/queries/schema). Who writes another means one of them: dropped
 * quietly, it would give wrong numbers. `unsupported.ts` refuses those of them that are not computed here.
 */
import { nearestName } from '../../http/nearest-name.ts';
import { fieldsOf } from './parse.ts';
import { refusal } from './refusal.ts';
import { isGiven } from './unsupported.ts';

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
  RetentionQuery: names(INSIGHT, 'retentionFilter breakdownFilter'),
  EventsQuery: names(
    NODE,
    'source select where properties fixedProperties filterTestAccounts event events limit offset',
    'actionId actionSteps personId before after orderBy dateRange',
  ),
};

/** Of every query: what its members consist of. */
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

/** Upstream gets more of them with every version, and none of them counts. */
const LOOKS = /^(show|hide|hidden)[A-Z]/;

/**
 * Of what somebody writes now: what was stored before stays as it is.
 * @param given a query, bare or with what is around it; none of a known kind is left to `parseQuery`
 * @throws InvalidInput for the first member that no such node has, naming it and the one that is most alike
 */
export function refuseUnknown(given: unknown): void {
  const node = fieldsOf(given);
  const known = membersOf(node);
  if (known === undefined) return;
  if (node['kind'] === 'EventsQuery' || !known.has('source')) {
    refuseIn(node, known);
    return;
  }
  const source = fieldsOf(node['source']);
  const inside = membersOf(source);
  refuseOthers(node, { known, elsewhere: inside ? [...inside].map((name) => `source.${name}`) : [] });
  if (inside) refuseIn(source, inside);
}

function refuseIn(query: Fields, known: Names): void {
  const parts = Object.entries(PARTS).filter(([path]) => known.has(path.split('.')[0]!));
  const elsewhere = parts.flatMap(([path, inside]) => [...inside].map((name) => `${path}.${name}`));
  refuseOthers(query, { known, elsewhere });
  for (const [path, inside] of parts) {
    const part = path.split('.').reduce((around: unknown, name) => fieldsOf(around)[name], query);
    if (!Array.isArray(part)) refuseOthers(fieldsOf(part), { known: inside, prefix: `${path}.` });
    else part.forEach((one, n) => refuseOthers(fieldsOf(one), { known: inside, prefix: `${path}[${n}].` }));
  }
}

/** @param node `elsewhere`: paths of members that people look for in the wrong place */
function refuseOthers(
  fields: Fields,
  { known, prefix = '', elsewhere = [] }: { known: Names; prefix?: string; elsewhere?: readonly string[] },
): void {
  const other = Object.keys(fields).find((name) => !known.has(name) && !LOOKS.test(name) && isGiven(fields[name]));
  if (other === undefined) return;
  const like = nearestName(other, [...known, ...elsewhere]);
  const hint = like === undefined ? '' : ` Did you mean \`${like}\`?`;
  throw refusal(`${prefix}${other.slice(0, 100)}`, `There is no such member.${hint}`, 'unknown_member');
}

function membersOf({ kind }: Fields): Names | undefined {
  return typeof kind === 'string' && Object.hasOwn(NODES, kind) ? NODES[kind] : undefined;
}

function names(...texts: readonly string[]): Names {
  return new Set(texts.flatMap((text) => text.split(' ')));
}
