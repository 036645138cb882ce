/** Computes trends: counts in each interval or over the whole range, with formulas, and with an earlier range to compare. */
import type { RunSql } from '../query-connection.ts';
import { resolveComparedDates, resolveDates } from '../dates/dates.ts';
import { formulaResults } from './formula-lines.ts';
import type { Dates } from '../dates/intervals.ts';
import type { ParsedTrends } from '../parsing/parsed.ts';
import { refusal } from '../parsing/refusal.ts';
import type { TrendResult } from './result.ts';
import { rangeValues } from './selecting.ts';
import { linesOf, OTHER, seriesResult } from './trend-lines.ts';
import { trendsSql, type TrendRow } from './trends-sql.ts';

/** Limit for a whole answer. */
const MAX_POINTS = 100_000;

type Trends = { results: TrendResult[]; hasMore: boolean; dates: Dates; comparedWith?: Dates };

/**
 * Returns the results of the range, then the results of the range that it is compared with.
 * @throws InvalidInput for a range that ends before it begins or has too many intervals, for more values than an answer may have, and for
 *   values that no number can hold
 */
export async function trends(runSql: RunSql, projectId: number, query: ParsedTrends, now: number): Promise<Trends> {
  const { range, comparison, breakdown } = query;
  const options = { interval: query.shape === 'total' ? null : query.interval, now };
  const { current, previous } = comparison
    ? await resolveComparedDates(runSql, projectId, range, { ...options, comparison })
    : { current: await resolveDates(runSql, projectId, range, options) };
  refuseTooManyPoints(query, current.starts.length + (previous?.starts.length ?? 0));

  async function computeResults(dates: Dates): Promise<TrendResult[]> {
    const values = [...rangeValues(projectId, dates), ...(options.interval === null ? [] : [dates.starts])];
    const rows = await runSql<TrendRow>(trendsSql(query, { timeZone: dates.timeZone, now }), values);
    const lines = linesOf(query, rows, dates.starts.length);
    if (query.formulas.length > 0) return formulaResults(query, lines, dates);
    return lines.map((line) => seriesResult(query, line, dates));
  }
  const labelled = labelResults(await computeResults(current), previous && 'current');
  if (previous) labelled.push(...labelResults(await computeResults(previous), 'previous'));
  return {
    results: breakdown?.hidesOther ? labelled.filter((trendResult) => !isOther(trendResult)) : labelled,
    hasMore: labelled.some(isOther),
    dates: current,
    ...(previous && { comparedWith: previous }),
  };
}

function isOther({ breakdown_value: value }: TrendResult): boolean {
  return value === OTHER;
}

function labelResults(results: TrendResult[], label: TrendResult['compare_label']): TrendResult[] {
  return label === undefined ? results : results.map((result) => ({ ...result, compare: true, compare_label: label }));
}

function refuseTooManyPoints({ series, formulas, breakdown }: ParsedTrends, intervals: number): void {
  const lines = Math.max(series.length, formulas.length);
  const points = lines * (breakdown ? breakdown.limit + 1 : 1) * intervals;
  if (points <= MAX_POINTS) return;
  const fix = 'Use fewer series or formulas, a smaller breakdown_limit, or a longer interval.';
  throw refusal('series', `All lines may have ${MAX_POINTS} values together, these have ${points}. ${fix}`);
}
