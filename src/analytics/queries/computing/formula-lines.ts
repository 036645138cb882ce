/** Computes the lines of formulas from the lines of their series, one for each value of the breakdown. */
import type { Dates } from '../dates/intervals.ts';
import type { Formula, ParsedTrends } from '../parsing/parsed.ts';
import type { TrendResult } from './result.ts';
import { NONE, OTHER, resultOf, type Line } from './trend-lines.ts';

/**
 * Sorts as upstream: the largest first, no value and "other" last. A series without a breakdown value counts as zero there.
 * @param lines of all series, of the same intervals
 * @throws InvalidInput for values that no number can hold
 */
export function formulaResults(query: ParsedTrends, lines: readonly Line[], dates: Dates): TrendResult[] {
  const { formulas, series } = query;
  const values = [...Map.groupBy(lines, ({ value }) => value)];
  return formulas.flatMap((formula, n) => {
    const subject = {
      name: formula.name ?? `Formula (${formula.text})`,
      isOnlySeries: formulas.length === 1,
      action: null,
    };
    return values
      .map(([value, own]) => ({ n, value, numbers: numbersOf(formula, own, series.length) }))
      .toSorted((a, b) => rankOf(a) - rankOf(b) || totalOf(b) - totalOf(a))
      .map((line) => resultOf(query, line, dates, subject));
  });
}

function numbersOf({ compute }: Formula, lines: readonly Line[], count: number): number[] {
  const bySeries = Array.from({ length: count }, (_, n) => lines.find((line) => line.n === n)?.numbers);
  return lines[0]!.numbers.map((_, at) => compute(bySeries.map((numbers) => numbers?.[at] ?? 0)));
}

function rankOf({ value }: Line): number {
  return value === OTHER ? 2 : value === NONE ? 1 : 0;
}

function totalOf({ numbers }: Line): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
