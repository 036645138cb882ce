/** One number, with that of the earlier range beside it if ranges are compared. */
import { h, type ComponentChild } from 'preact';
import { change, number } from './format.ts';
import { totalOf, type Series } from './series.ts';

/** @returns the series that is drawn, and the same series of the earlier range if there is one */
export function boldSeries<One extends Pick<Series, 'label' | 'compare_label'>>(series: readonly One[]): One[] {
  const [first] = series;
  const before = series.find((one) => one.compare_label === 'previous' && one.label === first?.label);
  return [first, before].filter((one) => one !== undefined);
}

export function boldNumber(series: readonly Series[]): ComponentChild {
  const [now, before] = boldSeries(series).map(totalOf);
  return h(
    'div',
    { class: 'bold' },
    h('p', { class: 'bold-number' }, number(now)),
    before !== undefined && h('p', { class: 'quiet' }, `${number(before)} before${changeSince(before, now)}`),
  );
}

function changeSince(before: number, now: number | undefined): string {
  const changed = now === undefined ? '' : change(before, now);
  return changed === '' ? '' : `, ${changed}`;
}
