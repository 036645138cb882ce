/** Charts of the lines that `query-oracle.ts` counts: smoothed, as formulas, beside the range before. In plain JavaScript, too. */
import { intervalsOf, trendsOf, type Dates, type Line, type StoredRow, type TrendsAsked } from './query-oracle.ts';

export type ChartAsked = TrendsAsked & {
  smoothing: number;
  /** The formula over the numbers of the series. */
  formula: ((numbers: readonly number[]) => number) | null;
  isCompared: boolean;
};
export type Shown = Line & { period: 'current' | 'previous' | null };

export function chartOf(rows: readonly StoredRow[], asked: ChartAsked): Shown[] {
  const shown = (dates: Dates, period: Shown['period']) =>
    linesOf(rows, { ...asked, dates }).map((line) => ({ ...line, period }));
  if (!asked.isCompared) return shown(asked.dates, null);
  return [...shown(asked.dates, 'current'), ...shown(previousDates(asked), 'previous')];
}

function linesOf(rows: readonly StoredRow[], asked: ChartAsked): Line[] {
  const { formula, shape, smoothing } = asked;
  const counted = trendsOf(rows, { ...asked, isJoint: formula !== null });
  const lines =
    shape === 'intervals'
      ? counted.map((line) => ({ ...line, numbers: movingAverages(line.numbers, smoothing) }))
      : counted;
  if (!formula) return lines;
  const joined = [...Map.groupBy(lines, ({ value }) => value)].map(([value, own]) => {
    const of = (at: number) => asked.series.map((_, n) => own.find(({ series }) => series === n)?.numbers[at] ?? 0);
    return { series: 0, value, numbers: own[0]!.numbers.map((_, at) => formula(of(at))) };
  });
  return joined.toSorted((a, b) => rank(a) - rank(b) || sumOf(b.numbers) - sumOf(a.numbers));
}

function movingAverages(numbers: readonly number[], width: number): number[] {
  if (width === 1) return [...numbers];
  return numbers.map((_, at) => {
    const near = numbers.slice(0, at + 1).slice(-width);
    return Math.floor(sumOf(near) / near.length);
  });
}

const rank = ({ value }: Line) => ['none', 'other'].indexOf(value ?? '');
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** As many days, weeks or months, up to the day before. */
function previousDates({ dates, interval, shape }: ChartAsked): Dates {
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
