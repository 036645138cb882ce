/** One number, followed by the number of the earlier range if ranges are compared. */
import { h, type ComponentChild } from 'preact';
import { formatChange, formatNumber } from './format.ts';
import { totalOf, type Series } from './series.ts';

/** @returns the series that is drawn, and the same series of the earlier range if there is one */
export function boldSeries<One extends Pick<Series, 'label' | 'compare_label'>>(series: readonly One[]): One[] {
  const [first] = series;
  const previous = series.find((line) => line.compare_label === 'previous' && line.label === first?.label);
  return [first, previous].filter((value) => value !== undefined);
}

export function boldNumber(series: readonly Series[]): ComponentChild {
  const [now, previous] = boldSeries(series).map(totalOf);
  return h(
    'div',
    { class: 'bold' },
    h('p', { class: 'bold-number' }, formatNumber(now)),
    previous !== undefined &&
      h('p', { class: 'quiet' }, `${formatNumber(previous)} before${changeSince(previous, now)}`),
  );
}

function changeSince(previous: number, now: number | undefined): string {
  const changed = now === undefined ? '' : formatChange(previous, now);
  return changed === '' ? '' : `, ${changed}`;
}
