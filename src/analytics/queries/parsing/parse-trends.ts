/** Parses a TrendsQuery from JSON to a form that can be computed. */
import type { FilterBudget } from '../../../conditions/sql/filters.ts';
import { parseFormula } from './formula.ts';
import { agoOf } from './moments.ts';
import type { Breakdown, Comparison, Formula, ParsedTrends } from './parsed.ts';
import { refusal } from './refusal.ts';
import { CUMULATIVE_DISPLAY, TOTAL_DISPLAYS, type BreakdownFilter, type TrendsQuery } from './schema.ts';
import { scopeOf } from './scope.ts';
import { seriesOf } from './series.ts';

const DEFAULT_BREAKDOWN_LIMIT = 25;

/** @param budget shared by all filters of the query @throws InvalidInput naming the unsupported field */
export function parseTrends(node: TrendsQuery, budget: FilterBudget): ParsedTrends {
  const shape = shapeOf(node);
  const series = node.series.map((entry, index) => seriesOf(entry, index, budget));
  const smoothing = node.trendsFilter?.smoothingIntervals ?? 1;
  if (shape === 'cumulative') refuseUnlessCumulative(series, smoothing);
  return {
    kind: 'TrendsQuery',
    series,
    interval: node.interval ?? 'day',
    shape,
    breakdown: breakdownOf(node.breakdownFilter),
    smoothing: shape === 'total' ? 1 : smoothing,
    formulas: formulasOf(node.trendsFilter, series.length),
    comparison: comparisonOf(node.compareFilter),
    ...scopeOf(node, budget),
  };
}

function shapeOf({ trendsFilter }: TrendsQuery): ParsedTrends['shape'] {
  const display = trendsFilter?.display ?? 'ActionsLineGraph';
  if (TOTAL_DISPLAYS.some((candidate) => candidate === display)) return 'total';
  return display === CUMULATIVE_DISPLAY ? 'cumulative' : 'intervals';
}

function refuseUnlessCumulative(series: ParsedTrends['series'], smoothing: number): void {
  const cumulativeMaths = ['total', 'dau', 'sum'];
  const wrong = series.findIndex(({ math }) => !cumulativeMaths.includes(math));
  if (wrong >= 0)
    throw refusal(
      `series[${wrong}].math`,
      `Only these can be cumulative: ${cumulativeMaths.join(', ')}.`,
      'not_supported',
    );
  if (smoothing === 1) return;
  throw refusal('trendsFilter.smoothingIntervals', 'Cumulative lines are not smoothed: leave it out.', 'not_supported');
}

function breakdownOf(given: BreakdownFilter | null | undefined): Breakdown | null {
  const firstBreakdown = given?.breakdowns?.[0];
  const property = firstBreakdown?.property ?? given?.breakdown;
  if (property === null || property === undefined) return null;
  return {
    type: firstBreakdown?.type ?? given?.breakdown_type ?? 'event',
    property,
    limit: given?.breakdown_limit ?? DEFAULT_BREAKDOWN_LIMIT,
    hidesOther: given?.breakdown_hide_other_aggregation ?? false,
  };
}

/** Returns the formulas of the first given of three fields: `formulaNodes`, `formulas` and the oldest, `formula`. As upstream. */
function formulasOf(given: TrendsQuery['trendsFilter'], count: number): Formula[] {
  const { formulaNodes, formulas, formula } = given ?? {};
  if (formulaNodes?.length) {
    return formulaNodes.map((node, n) => {
      return formulaOf(node.formula, node.custom_name, { count, path: `formulaNodes[${n}].formula` });
    });
  }
  if (formulas?.length) return formulas.map((text, n) => formulaOf(text, null, { count, path: `formulas[${n}]` }));
  return formula ? [formulaOf(formula, null, { count, path: 'formula' })] : [];
}

function formulaOf(
  text: string,
  name: string | null | undefined,
  { count, path }: { count: number; path: string },
): Formula {
  return { text, name: name || null, compute: parseFormula(text, count, `trendsFilter.${path}`) };
}

function comparisonOf(given: TrendsQuery['compareFilter']): Comparison | null {
  if (!given?.compare) return null;
  if (!given.compare_to) return { ago: null };
  return { ago: agoOf(given.compare_to, 'compareFilter.compare_to') };
}
