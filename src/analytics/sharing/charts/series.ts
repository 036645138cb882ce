/** Series of a trend, as charts draw them. */
import type { TrendResult } from '../../queries/computing/result.ts';
import { h, type ComponentChild } from 'preact';
import { formatNumber } from './format.ts';

/** A series as on the wire, reduced to what strangers see. */
export type Series = Pick<TrendResult, 'label' | 'data' | 'labels' | 'count' | 'aggregated_value' | 'compare_label'>;

/** Number of colours, and so of drawn series; the table has every series. */
export const MAX_DRAWN = 10;

/** The class that gives the n-th series its colour. In longer lists colours repeat; each row has its name beside it. */
export function colourOf(n: number): string {
  return `s${n % MAX_DRAWN}`;
}

/** Gives the series of the earlier period another name, so both periods can be drawn together. */
export function labelPeriods(series: readonly Series[]): Series[] {
  return sameLength(series).map((line) => {
    return line.compare_label === 'previous' ? { ...line, label: `${line.label} (before)` } : line;
  });
}

/** Cuts the earlier period to the length of the current one. */
export function sameLength(series: readonly Series[]): Series[] {
  const length = series[0]?.data.length ?? 0;
  return series.map((line) => {
    if (line.compare_label !== 'previous') return line;
    return { ...line, data: line.data.slice(0, length), labels: line.labels.slice(0, length) };
  });
}

/** The value of a series for the whole range. */
export function totalOf({ aggregated_value: value, count }: Series): number {
  return value ?? count;
}

/** Whether nothing was counted in the series. */
export function isEmpty({ data, aggregated_value: value }: Series): boolean {
  return !value && data.every((point) => point === 0);
}

export function legend(series: readonly Series[]): ComponentChild {
  const drawnSeries = series.slice(0, MAX_DRAWN);
  const otherCount = series.length - drawnSeries.length;
  return h(
    'ul',
    { class: 'legend' },
    drawnSeries.map(({ label }, n) =>
      h('li', null, h('svg', { class: `swatch ${colourOf(n)}`, 'aria-hidden': 'true' }, h('rect', SQUARE)), label),
    ),
    otherCount > 0 && h('li', null, `and ${formatNumber(otherCount)} more`),
  );
}

const SQUARE = { width: '100%', height: '100%', rx: 2 };

/** Describes series in words: `Visits 1,234, Sign-ups 56`. */
export function describeSeries(series: readonly Series[]): string {
  return series
    .slice(0, MAX_DRAWN)
    .map((line) => `${line.label} ${formatNumber(totalOf(line))}`)
    .join(', ');
}
