/** Lines, and stacked areas, over time. */
import { h, type ComponentChild } from 'preact';
import { scaleLinear, scalePoint } from 'd3-scale';
import { area, line, stack, type SeriesPoint } from 'd3-shape';
import { formatNumber, shortenDay } from './format.ts';
import { PLANE, plot, round } from './plot.ts';
import { colourOf, describeSeries, MAX_DRAWN, type Series } from './series.ts';

/** Number of points above which only the line is drawn. */
const MAX_DOTS = 62;

export function lineChart(all: readonly Series[]): ComponentChild {
  const { series, x, frame } = timeAxis(all);
  const { y, ticks } = heights(series.flatMap(({ data }) => data));
  const path = line<number>((_, index) => x(index), y);
  const shapes = series.map(({ label, labels, data }, n) =>
    h(
      'g',
      { class: colourOf(n) },
      h('path', { class: 'line', d: path.digits(1)(data) ?? '' }),
      data.length <= MAX_DOTS &&
        data.map((value, index) => dot(x(index), y(value), `${label}, ${labels[index]}: ${formatNumber(value)}`)),
    ),
  );
  return plot({ label: `Line chart. ${describeSeries(series)}`, ticks, labels: frame, shapes });
}

export function areaChart(all: readonly Series[]): ComponentChild {
  const { series, labels, x, frame } = timeAxis(all);
  const layers = stack<unknown, number, number>()
    .keys(series.keys())
    .value((index, n) => series[n]!.data[index] ?? 0)(labels.keys());
  const { y, ticks } = heights(layers.flatMap((layer) => layer.map(([, high]) => high)));
  const path = area<SeriesPoint<number>>()
    .x((_, index) => x(index))
    .y0(([low]) => y(low))
    .y1(([, high]) => y(high))
    .digits(1);
  const shapes = layers.map((layer, n) =>
    h('path', { class: `area ${colourOf(n)}`, d: path(layer) ?? '' }, h('title', null, series[n]!.label)),
  );
  return plot({ label: `Area chart. ${describeSeries(series)}`, ticks, labels: frame, shapes });
}

function timeAxis(all: readonly Series[]) {
  const series = all.slice(0, MAX_DRAWN);
  const labels = series[0]?.labels ?? [];
  const point = scalePoint<number>().domain(labels.keys()).range([0, PLANE]);
  const x = (index: number) => round(point(index) ?? 0);
  const frame = labels.map((label, index) => ({ text: shortenDay(label), at: x(index) / PLANE }));
  return { series, labels, x, frame };
}

/** Vertical scale between round numbers, with zero and all values in between. */
export function heights(values: readonly number[]) {
  const [lowest, highest] = [Math.min(0, ...values), Math.max(0, ...values)];
  const scale = scaleLinear([lowest, highest === lowest ? 1 : highest], [PLANE, 0]).nice(4);
  const ticks = scale.ticks(4);
  return { y: (value: number) => round(scale(value)), ticks };
}

/** Draws a line of length zero, whose round caps stay round however the plot is stretched. */
function dot(x: number, y: number, label: string): ComponentChild {
  return h('path', { class: 'dot', d: `M${x},${y}h0` }, h('title', null, label));
}
