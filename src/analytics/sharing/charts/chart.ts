/** The chart of an insight, chosen by what its query is, and the numbers behind it as a table. */
import { h, type ComponentChild } from 'preact';
import type { RetentionResult } from '../../queries/computing/result.ts';
import { barChart, MAX_BARS, totalBars } from './bars.ts';
import { boldNumber } from './bold-number.ts';
import { funnel, type Step } from './funnel.ts';
import { areaChart, lineChart } from './lines.ts';
import { retention } from './retention.ts';
import { isEmpty, legend, sideBySide, type Series } from './series.ts';
import { MAX_COLUMNS, MAX_ROWS, seriesTable, table } from './table.ts';

/** Charts, drawn from an insight as visitors see it. */
export type Drawn = {
  name: string;
  /** Of the query. */
  kind: string;
  /** As upstream calls charts: `ActionsBar`; empty: the usual one. */
  display: string;
  rows: readonly unknown[];
  columns: readonly string[];
  hasMore: boolean;
  timezone: string;
};

export type Chart = {
  picture: ComponentChild;
  /** null: the picture is one. */
  numbers: ComponentChild;
  legend: ComponentChild;
};

/** @param options `legend`: also where there is one series only */
export function chartOf(drawn: Drawn, options: { legend: boolean }): Chart {
  const { name, kind, rows, columns, hasMore, timezone } = drawn;
  if (rows.length === 0) return NOTHING;
  switch (kind) {
    case 'TrendsQuery':
      return trend(drawn, rows as Series[], options);
    case 'FunnelsQuery':
      return alone(funnel(rows as Step[]));
    case 'RetentionQuery':
      return alone(retention(name, rows as RetentionResult[], timezone));
    default:
      return alone(table({ name, head: columns, rows: rows as unknown[][], hasMore }));
  }
}

const NOTHING = alone(h('p', { class: 'quiet nothing' }, 'Nothing happened in this time.'));

function alone(picture: ComponentChild): Chart {
  return { picture, numbers: null, legend: null };
}

function trend({ name, display }: Drawn, given: readonly Series[], options: { legend: boolean }): Chart {
  const series = sideBySide(given);
  const isCompared = series.some((one) => one.compare_label === 'previous');
  // Values below zero are no parts of a whole, and neither are those of the earlier period.
  const areParts = !isCompared && series.every(({ data }) => data.every((value) => value >= 0));
  const numbers = seriesTable(name, series);
  const names = options.legend || series.length > 1 ? legend(series) : null;
  switch (display) {
    case 'BoldNumber':
      return { picture: boldNumber(given), numbers: null, legend: options.legend ? legend(given.slice(0, 1)) : null };
    case 'ActionsTable':
    case 'WorldMap':
      return alone(numbers);
  }
  if (series.every(isEmpty)) return NOTHING;
  switch (display) {
    case 'ActionsPie':
    case 'ActionsBarValue':
      return alone(totalBars(series, { shares: display === 'ActionsPie' && areParts }));
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

/** How many series of a trend are named: of the others is only said how many there are, and shares are of their totals too. */
export function namedBy(display: string): number {
  switch (display) {
    case 'ActionsPie':
    case 'ActionsBarValue':
      return MAX_BARS;
    case 'ActionsTable':
    case 'WorldMap':
      return MAX_ROWS;
    default:
      // The first column is of the intervals.
      return MAX_COLUMNS - 1;
  }
}
