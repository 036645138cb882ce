/** Trends: what happened in each interval, or in all of them together. */
import type { Ask } from './asking.ts';
import { resolvedDates } from './dates.ts';
import type { Dates } from './intervals.ts';
import type { ParsedTrends, Series } from './parsed.ts';
import { refusal } from './refusal.ts';
import type { TrendResult } from './result.ts';
import type { Interval } from './schema.ts';
import { rangeValues } from './selecting.ts';
import { trendsSql, type TrendRow } from './trends-sql.ts';

/** As upstream names them in `breakdown_value`. */
export const OTHER = '$$_posthog_breakdown_other_$$';
export const NONE = '$$_posthog_breakdown_null_$$';
/** Of a whole answer. */
const MAX_POINTS = 100_000;

type Trends = { results: TrendResult[]; hasMore: boolean; dates: Dates };

/** @throws InvalidInput for a range that ends before it begins or has too many intervals, and for more values than an answer may have */
export async function trends(ask: Ask, projectId: number, query: ParsedTrends, now: number): Promise<Trends> {
  const interval = query.shape === 'total' ? null : query.interval;
  const dates = await resolvedDates(ask, projectId, query.range, { interval, now });
  refuseLarge(query, dates);
  const values = [...rangeValues(projectId, dates), ...(interval === null ? [] : [dates.starts])];
  const rows = await ask<TrendRow>(trendsSql(query, { timeZone: dates.timeZone, now }), values);
  const lines = query.series.flatMap((_, n) => linesOf(query, n, rows));
  return {
    results: lines
      .filter(({ isOther }) => !isOther || !query.breakdown?.hidesOther)
      .map((line) => resultOf(query, line, dates)),
    hasMore: lines.some(({ isOther }) => isOther),
    dates,
  };
}

function refuseLarge({ series, breakdown }: ParsedTrends, { starts }: Dates): void {
  const points = series.length * (breakdown ? breakdown.limit + 1 : 1) * starts.length;
  if (points <= MAX_POINTS) return;
  const fix = 'Use fewer series, a smaller breakdown_limit, or a longer interval.';
  throw refusal('series', `All lines may have ${MAX_POINTS} values together, these have ${points}. ${fix}`);
}

/** The rows of one series with one breakdown value. */
type Line = { n: number; rows: TrendRow[]; breakdown: string | null; isOther: boolean };

/** In the order of their totals, the others last. Without a breakdown there is always one line. */
function linesOf({ breakdown }: ParsedTrends, n: number, rows: readonly TrendRow[]): Line[] {
  const own = rows.filter((row) => row.n === n);
  if (!breakdown) return [{ n, rows: own, breakdown: null, isOther: false }];
  const byPlace = Map.groupBy(own, ({ place }) => place ?? Infinity);
  return [...byPlace]
    .sort(([a], [b]) => a - b)
    .map(([place, found]) => ({ n, rows: found, breakdown: found[0]!.breakdown, isOther: place === Infinity }));
}

function resultOf(query: ParsedTrends, line: Line, dates: Dates): TrendResult {
  const { series, interval, shape, breakdown } = query;
  const one = series[line.n]!;
  const name = nameOf(one);
  const shown = line.isOther ? 'Other' : (line.breakdown ?? 'None');
  const common = {
    label: !breakdown ? name : series.length > 1 ? `${name} - ${shown}` : shown,
    ...(breakdown && { breakdown_value: line.isOther ? OTHER : (line.breakdown ?? NONE) }),
    action: actionOf(one, line.n),
  };
  if (shape === 'total') {
    return { ...common, count: 0, data: [], days: [], labels: [], aggregated_value: line.rows[0]?.value ?? 0 };
  }
  const amounts = dates.starts.map(() => 0);
  for (const { bucket, value } of line.rows) amounts[bucket - 1] = value;
  const data = shape === 'cumulative' ? cumulated(amounts) : amounts;
  return {
    ...common,
    count: shape === 'cumulative' ? data.at(-1)! : data.reduce((sum, value) => sum + value, 0),
    data,
    days: dates.walls.map((wall) => (interval === 'hour' ? wall : wall.slice(0, 10))),
    labels: dates.walls.map((wall) => labelOf(wall, interval)),
  };
}

/** What a series is called where nobody named it. */
export function nameOf({ customName, event, name }: Series): string {
  return customName ?? event ?? name ?? 'All events';
}

function actionOf({ event, name, customName, math, property }: Series, order: number): TrendResult['action'] {
  return {
    id: event,
    type: 'events',
    order,
    name: event ?? name ?? 'All events',
    custom_name: customName,
    math,
    math_property: property,
  };
}

function cumulated(amounts: readonly number[]): number[] {
  let sum = 0;
  return amounts.map((amount) => (sum += amount));
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** As upstream: `1-Jun-2024`, `1-Jun 08:00`, `Jun 2024`. */
function labelOf(wall: string, interval: Interval): string {
  const [year = '', month = '', day = ''] = wall.slice(0, 10).split('-');
  const short = MONTHS[Number(month) - 1];
  if (interval === 'month') return `${short} ${year}`;
  return interval === 'hour' ? `${Number(day)}-${short} ${wall.slice(11, 16)}` : `${Number(day)}-${short}-${year}`;
}
