/** Series of a trend, as charts draw them. */
import type { TrendResult } from '../../queries/computing/result.ts';
import { h, type ComponentChild } from 'preact';
import { number } from './format.ts';

/** As on the wire, cut down for strangers. */
export type Series = Pick<TrendResult, 'label' | 'data' | 'labels' | 'count' | 'aggregated_value' | 'compare_label'>;

/** There are no more colours; the table has them all. */
export const MAX_DRAWN = 10;

/** The class that gives the n-th series its colour; of rows, whose names stand beside them, there may be more. */
export function colourOf(n: number): string {
  return `s${n % MAX_DRAWN}`;
}

/** The earlier period lies beside the present one, under another name. */
export function sideBySide(series: readonly Series[]): Series[] {
  return sameLength(series).map((one) => {
    return one.compare_label === 'previous' ? { ...one, label: `${one.label} (before)` } : one;
  });
}

/** The earlier period is as long as the present one at most. */
export function sameLength(series: readonly Series[]): Series[] {
  const length = series[0]?.data.length ?? 0;
  return series.map((one) => {
    if (one.compare_label !== 'previous') return one;
    return { ...one, data: one.data.slice(0, length), labels: one.labels.slice(0, length) };
  });
}

/** One value for the whole range. */
export function totalOf({ aggregated_value: value, count }: Series): number {
  return value ?? count;
}

/** One in which nothing was counted. */
export function isEmpty({ data, aggregated_value: value }: Series): boolean {
  return !value && data.every((one) => one === 0);
}

export function legend(series: readonly Series[]): ComponentChild {
  const drawn = series.slice(0, MAX_DRAWN);
  const others = series.length - drawn.length;
  return h(
    'ul',
    { class: 'legend' },
    drawn.map(({ label }, n) =>
      h('li', null, h('svg', { class: `swatch ${colourOf(n)}`, 'aria-hidden': 'true' }, h('rect', SQUARE)), label),
    ),
    others > 0 && h('li', null, `and ${number(others)} more`),
  );
}

const SQUARE = { width: '100%', height: '100%', rx: 2 };

/** `Visits 1,234, Sign-ups 56`. */
export function inWords(series: readonly Series[]): string {
  return series
    .slice(0, MAX_DRAWN)
    .map((one) => `${one.label} ${number(totalOf(one))}`)
    .join(', ');
}
