/** Turns rows into the lines of a chart. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Dates } from '../dates/intervals.ts';
import type { ParsedTrends, Series } from '../parsing/parsed.ts';
import type { TrendResult } from './result.ts';
import type { Interval } from '../parsing/schema.ts';
import { nameOf } from '../parsing/series.ts';
import type { TrendRow } from './trends-sql.ts';

/** Upstream's names in `breakdown_value`. */
export const OTHER = '$$_posthog_breakdown_other_$$';
export const NONE = '$$_posthog_breakdown_null_$$';

/** One line or one value: `numbers` has one entry for each interval, or a single one for the whole range. */
export type Line = {
  /** Index of the series, or of the formula among the formulas. */
  n: number;
  /** `breakdown_value`; null: there is no breakdown. */
  value: string | null;
  numbers: readonly number[];
};

/**
 * Returns the lines of all series in turn, sorted by their totals, "other" last. Without a breakdown each series has one line.
 * @param count how many intervals there are
 */
export function linesOf(query: ParsedTrends, rows: readonly TrendRow[], count: number): Line[] {
  const byLine = Map.groupBy(rows, ({ n, rank }) => `${n} ${rank ?? Infinity}`);
  return query.series.flatMap((_, n): Line[] => {
    const ranks = query.breakdown ? ranksOf(n, rows) : [1];
    return ranks.map((rank) => {
      const ownRows = byLine.get(`${n} ${rank}`) ?? [];
      return { n, value: query.breakdown && valueOf(rank, ownRows), numbers: numbersOf(query, ownRows, count) };
    });
  });
}

function ranksOf(n: number, rows: readonly TrendRow[]): number[] {
  const ranks = rows.filter((row) => row.n === n).map(({ rank }) => rank ?? Infinity);
  return [...new Set(ranks)].toSorted((a, b) => a - b);
}

function valueOf(rank: number, rows: readonly TrendRow[]): string {
  return rank === Infinity ? OTHER : (rows[0]?.breakdown ?? NONE);
}

function numbersOf({ shape, smoothing }: ParsedTrends, rows: readonly TrendRow[], count: number): number[] {
  if (shape === 'total') return [rows[0]?.value ?? 0];
  const amounts = Array.from({ length: count }, () => 0);
  for (const { bucket, value } of rows) amounts[bucket - 1] = value;
  if (shape === 'cumulative') return cumulate(amounts);
  return smoothing > 1 ? smooth(amounts, smoothing) : amounts;
}

function cumulate(amounts: readonly number[]): number[] {
  let sum = 0;
  return amounts.map((amount) => (sum += amount));
}

/** Moving average as upstream (`trends_query_builder.py`): the first ones over fewer values, all rounded down. */
function smooth(amounts: readonly number[], width: number): number[] {
  return amounts.map((_, at) => {
    const neighbors = amounts.slice(Math.max(0, at + 1 - width), at + 1);
    return Math.floor(neighbors.reduce((sum, amount) => sum + amount, 0) / neighbors.length);
  });
}

/**
 * @param subject the line's name and action, and whether there are no other series
 * @throws InvalidInput for values, or a total of them, beyond the range of numbers, because JSON has no infinity
 */
export function resultOf(
  query: ParsedTrends,
  { value, numbers }: Line,
  dates: Dates,
  subject: { name: string; isOnlySeries: boolean; action: TrendResult['action'] },
): TrendResult {
  const { interval, shape } = query;
  const { name, isOnlySeries, action } = subject;
  const valueLabel = value === OTHER ? 'Other' : value === NONE ? 'None' : value;
  const count = shape === 'cumulative' ? numbers.at(-1)! : numbers.reduce((sum, number) => sum + number, 0);
  if (![count, ...numbers].every(Number.isFinite)) {
    throw new InvalidInput(`"${name}" has values that no number can hold.`, 'query');
  }
  const common = {
    label: valueLabel === null ? name : isOnlySeries ? valueLabel : `${name} - ${valueLabel}`,
    ...(value !== null && { breakdown_value: value }),
    action,
  };
  if (shape === 'total') {
    return { ...common, count: 0, data: [], days: [], labels: [], aggregated_value: numbers[0]! };
  }
  return {
    ...common,
    count,
    data: [...numbers],
    days: dates.walls.map((wall) => (interval === 'hour' ? wall : wall.slice(0, 10))),
    labels: dates.walls.map((wall) => labelOf(wall, interval)),
  };
}

export function seriesResult(query: ParsedTrends, line: Line, dates: Dates): TrendResult {
  const series = query.series[line.n]!;
  const subject = { name: nameOf(series), isOnlySeries: query.series.length === 1, action: actionOf(series, line.n) };
  return resultOf(query, line, dates, subject);
}

function actionOf({ event, name, customName, math, property }: Series, order: number): TrendResult['action'] {
  return {
    id: event,
    type: 'events',
    order,
    name: event ?? name ?? 'All events',
    custom_name: customName,
    math,
    math_property: property?.name ?? null,
  };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Label as upstream: `1-Jun-2024`, `1-Jun 08:00`, `Jun 2024`. */
function labelOf(wall: string, interval: Interval): string {
  const [year = '', month = '', day = ''] = wall.slice(0, 10).split('-');
  const short = MONTHS[Number(month) - 1];
  if (interval === 'month') return `${short} ${year}`;
  return interval === 'hour' ? `${Number(day)}-${short} ${wall.slice(11, 16)}` : `${Number(day)}-${short}-${year}`;
}
