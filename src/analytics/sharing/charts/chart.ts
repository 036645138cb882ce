/** The chart of an insight, chosen by the kind of its query, and its numbers as a table. */
import { h, type ComponentChild } from 'preact';
import type { RetentionResult } from '../../queries/computing/result.ts';
import { barChart, MAX_BARS, totalBars } from './bars.ts';
import { boldNumber } from './bold-number.ts';
import { funnel, type Step } from './funnel.ts';
import { areaChart, lineChart } from './lines.ts';
import { retention } from './retention.ts';
import { isEmpty, legend, labelPeriods, type Series } from './series.ts';
import { MAX_COLUMNS, MAX_ROWS, seriesTable, table } from './table.ts';

/** The fields of an insight, as strangers see it, that its chart is drawn from. */
export type ChartedInsight = {
  name: string;
  /** Kind of the query. */
  kind: string;
  /** Upstream's name of the chart, such as `ActionsBar`; empty: the default chart. */
  display: string;
  rows: readonly unknown[];
  columns: readonly string[];
  hasMore: boolean;
  timezone: string;
  /** Such as `from 20 Nov to 27 Nov`; absent: not known. */
  period?: string | undefined;
};

export type Chart = {
  picture: ComponentChild;
  /** null: the picture is a table already. */
  numbers: ComponentChild;
  legend: ComponentChild;
};

/** @param options `legend`: also for a single series */
export function chartOf(drawn: ChartedInsight, options: { legend: boolean }): Chart {
  const { name, kind, rows, columns, hasMore, timezone } = drawn;
  if (rows.length === 0) return nothing(drawn);
  switch (kind) {
    case 'TrendsQuery':
      return trend(drawn, rows as Series[], options);
    case 'FunnelsQuery':
      return pictureOnly(funnel(rows as Step[]));
    case 'RetentionQuery':
      return pictureOnly(retention(name, rows as RetentionResult[], timezone));
    default:
      return pictureOnly(table({ name, header: columns, rows: rows as unknown[][], hasMore }));
  }
}

const nothing = ({ period = 'in this period' }: ChartedInsight): Chart =>
  pictureOnly(h('p', { class: 'quiet nothing' }, `There are no events ${period}.`));

function pictureOnly(picture: ComponentChild): Chart {
  return { picture, numbers: null, legend: null };
}

function trend(drawn: ChartedInsight, values: readonly Series[], options: { legend: boolean }): Chart {
  const { name, display } = drawn;
  const series = labelPeriods(values);
  const isCompared = series.some((line) => line.compare_label === 'previous');
  // Values below zero are no parts of a whole, and neither are values of the earlier period.
  const areParts = !isCompared && series.every(({ data }) => data.every((value) => value >= 0));
  const numbers = seriesTable(name, series);
  const names = options.legend || series.length > 1 ? legend(series) : null;
  switch (display) {
    case 'BoldNumber':
      return { picture: boldNumber(values), numbers: null, legend: options.legend ? legend(values.slice(0, 1)) : null };
    case 'ActionsTable':
    case 'WorldMap':
      return pictureOnly(numbers);
  }
  if (series.every(isEmpty)) return nothing(drawn);
  switch (display) {
    case 'ActionsPie':
    case 'ActionsBarValue':
      return pictureOnly(totalBars(series, { shares: display === 'ActionsPie' && areParts }));
    case 'ActionsBar':
    case 'ActionsStackedBar':
      return { picture: barChart(series, { stacked: areParts }), numbers, legend: names };
    case 'ActionsUnstackedBar':
      return { picture: barChart(series, { stacked: false }), numbers, legend: names };
    case 'ActionsAreaGraph':
      return { picture: areParts ? areaChart(series) : lineChart(series), numbers, legend: names };
    default:
      return { picture: lineChart(series), numbers, legend: names };
  }
}

/** Number of series of a trend that are named. The other series are only counted, and their totals are included in shares. */
export function namedSeriesCount(display: string): number {
  switch (display) {
    case 'ActionsPie':
    case 'ActionsBarValue':
      return MAX_BARS;
    case 'ActionsTable':
    case 'WorldMap':
      return MAX_ROWS;
    default:
      // The first column holds the intervals.
      return MAX_COLUMNS - 1;
  }
}
