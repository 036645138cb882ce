/** Bar charts: vertical bars over time, and horizontal bars of totals. */
import { h, type ComponentChild } from 'preact';
import { scaleBand } from 'd3-scale';
import { formatNumber, formatPercent, shortenDay } from './format.ts';
import { heights } from './lines.ts';
import { PLANE, plot, round } from './plot.ts';
import { colourOf, describeSeries, MAX_DRAWN, totalOf, type Series } from './series.ts';

export const MAX_BARS = 25;

export function barChart(all: readonly Series[], { stacked }: { stacked: boolean }): ComponentChild {
  const series = all.slice(0, MAX_DRAWN);
  const labels = series[0]?.labels ?? [];
  const outer = scaleBand<number>().domain(labels.keys()).range([0, PLANE]).padding(0.15);
  const inner = scaleBand<number>().domain(series.keys()).range([0, outer.bandwidth()]);
  const sums = labels.map((_, index) => series.reduce((sum, { data }) => sum + (data[index] ?? 0), 0));
  const { y, ticks } = heights(stacked ? sums : series.flatMap(({ data }) => data));

  function verticalBar(n: number, index: number): ComponentChild {
    const { label, labels: ownLabels, data } = series[n]!;
    const value = data[index] ?? 0;
    const stackedBelow = stacked ? series.slice(0, n).reduce((sum, lower) => sum + (lower.data[index] ?? 0), 0) : 0;
    const [from, to] = [y(stackedBelow), y(stackedBelow + value)];
    const box = {
      x: round((outer(index) ?? 0) + (stacked ? 0 : (inner(n) ?? 0))),
      y: Math.min(from, to),
      width: round(stacked ? outer.bandwidth() : inner.bandwidth()),
      height: round(Math.abs(from - to)),
    };
    return h('rect', box, h('title', null, `${label}, ${ownLabels[index]}: ${formatNumber(value)}`));
  }

  const shapes = series.map((_, n) =>
    h(
      'g',
      { class: `bars ${colourOf(n)}` },
      labels.map((_label, index) => verticalBar(n, index)),
    ),
  );
  const axisLabels = labels.map((label, index) => {
    return { text: shortenDay(label), at: round((outer(index) ?? 0) + outer.bandwidth() / 2) / PLANE };
  });
  return plot({ label: `Bar chart. ${describeSeries(series)}`, ticks, labels: axisLabels, shapes });
}

/** Draws one bar for each series, also in place of a pie, because people compare the slices of a pie less well. */
export function totalBars(all: readonly Series[], { shares }: { shares: boolean }): ComponentChild {
  const series = all.slice(0, MAX_BARS);
  const totals = all.map(totalOf);
  const highest = Math.max(0, ...totals);
  const sum = totals.reduce((a, b) => a + b, 0);
  return h(
    'ul',
    { class: 'rows' },
    series.map((line, n) => {
      const total = totalOf(line);
      const text = shares ? `${formatNumber(total)} (${formatPercent(total, sum)})` : formatNumber(total);
      return h(
        'li',
        null,
        h('span', { class: 'name' }, line.label),
        bar(total, highest, colourOf(n)),
        h('span', { class: 'value' }, text),
      );
    }),
    all.length > series.length && h('li', { class: 'quiet' }, `and ${formatNumber(all.length - series.length)} more`),
  );
}

/** Draws a horizontal bar, scaled to the longest one. */
export function bar(value: number, longest: number, colour: string): ComponentChild {
  const width = longest > 0 ? `${round((Math.max(0, value) / longest) * 100)}%` : '0';
  return h('svg', { class: `bar ${colour}`, 'aria-hidden': 'true' }, h('rect', { width, height: '100%', rx: 3 }));
}
