/** Charts of the lines that `query-oracle.ts` counts: smoothed, as formulas, and compared with the previous range. Also in plain JavaScript. */
import { intervalsOf, trendsOf, type Dates, type Line, type StoredRow, type TrendsQuery } from './query-oracle.ts';

export type ChartQuery = TrendsQuery & {
  smoothing: number;
  /** The formula over the numbers of the series. */
  formula: ((numbers: readonly number[]) => number) | null;
  isCompared: boolean;
};
export type Shown = Line & { period: 'current' | 'previous' | null };

export function chartOf(rows: readonly StoredRow[], query: ChartQuery): Shown[] {
  const shown = (dates: Dates, period: Shown['period']) =>
    linesOf(rows, { ...query, dates }).map((line) => ({ ...line, period }));
  if (!query.isCompared) return shown(query.dates, null);
  return [...shown(query.dates, 'current'), ...shown(previousDates(query), 'previous')];
}

function linesOf(rows: readonly StoredRow[], query: ChartQuery): Line[] {
  const { formula, shape, smoothing } = query;
  const counted = trendsOf(rows, { ...query, isJoint: formula !== null });
  const lines =
    shape === 'intervals'
      ? counted.map((line) => ({ ...line, numbers: movingAverages(line.numbers, smoothing) }))
      : counted;
  if (!formula) return lines;
  const joined = [...Map.groupBy(lines, ({ value }) => value)].map(([value, own]) => {
    const of = (at: number) => query.series.map((_, n) => own.find(({ series }) => series === n)?.numbers[at] ?? 0);
    return { series: 0, value, numbers: own[0]!.numbers.map((_, at) => formula(of(at))) };
  });
  return joined.toSorted((a, b) => rank(a) - rank(b) || sumOf(b.numbers) - sumOf(a.numbers));
}

function movingAverages(numbers: readonly number[], width: number): number[] {
  if (width === 1) return [...numbers];
  return numbers.map((_, at) => {
    const window = numbers.slice(0, at + 1).slice(-width);
    return Math.floor(sumOf(window) / window.length);
  });
}

const rank = ({ value }: Line) => ['none', 'other'].indexOf(value ?? '');
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** The same number of days, weeks or months, ending on the day before the range. */
function previousDates({ dates, interval, shape }: ChartQuery): Dates {
  const byDay = shape === 'total' || interval === 'day' || interval === 'hour';
  const names = intervalsOf(dates, byDay ? 'day' : interval);
  const first = new Date(`${names[0]!}${interval === 'month' && !byDay ? '-01' : ''}T00:00:00Z`);
  const from = new Date(first);
  if (byDay) from.setUTCDate(from.getUTCDate() - names.length);
  else if (interval === 'week') from.setUTCDate(from.getUTCDate() - 7 * names.length);
  else from.setUTCMonth(from.getUTCMonth() - names.length);
  const to = new Date(first.getTime() - 1);
  return { ...dates, from: from.toISOString().slice(0, 10), to: to.toISOString().slice(0, 10) };
}
