/** Results as strangers see them: the data that a chart is drawn from, and the text of a table's cells. */
import type { FunnelStepResult, RetentionResult, TrendResult } from '../../queries/computing/result.ts';
import { boldSeries } from './bold-number.ts';
import { namedSeriesCount } from './chart.ts';
import type { Step } from './funnel.ts';
import { sameLength, type Series } from './series.ts';
import { MAX_COLUMNS, MAX_ROWS, cellValue } from './table.ts';

/** Fields of an insight that its chart is drawn from. */
export type DrawnResult = { result: unknown; columns: string[] | null; hasMore: boolean; timezone: string | null };

const NONE: DrawnResult = { result: null, columns: null, hasMore: false, timezone: null };

/** @param drawnAs the kind of the query and the name of its chart */
export function drawnResult(
  { result, columns, hasMore, timezone }: DrawnResult,
  { kind, display }: { kind: string; display: string },
): DrawnResult {
  if (!Array.isArray(result)) return NONE;
  switch (kind) {
    case 'TrendsQuery':
      return { ...NONE, result: drawnTrend(result as TrendResult[], display) };
    case 'FunnelsQuery':
      return { ...NONE, result: (result as FunnelStepResult[]).map(drawnStep) };
    case 'RetentionQuery':
      return { ...NONE, result: (result as RetentionResult[]).map(drawnCohort), timezone };
    default:
      return {
        ...NONE,
        result: (result as unknown[][]).slice(0, MAX_ROWS).map((row) => row.slice(0, MAX_COLUMNS).map(cellValue)),
        columns: columns?.slice(0, MAX_COLUMNS).map(nameOfColumn) ?? null,
        hasMore: hasMore || result.length > MAX_ROWS,
      };
  }
}

function drawnTrend(results: readonly TrendResult[], display: string): Series[] {
  const shownSeries = sameLength((display === 'BoldNumber' ? boldSeries(results) : results).map(drawnSeries));
  return shownSeries.map((line, n) =>
    n < namedSeriesCount(display) ? line : { ...line, label: '', labels: [], data: [] },
  );
}

function drawnSeries({
  label,
  labels,
  data,
  count,
  aggregated_value: value,
  compare_label: period,
}: TrendResult): Series {
  return {
    label,
    labels,
    data,
    count,
    ...(value !== undefined && { aggregated_value: value }),
    ...(period !== undefined && { compare_label: period }),
  };
}

/** Prefers the name that people gave the step. */
function drawnStep({ custom_name, name, count, average_conversion_time }: FunnelStepResult): Step {
  return { name: custom_name ?? name, count, average_conversion_time };
}

function drawnCohort({ label, date, values }: RetentionResult): RetentionResult {
  return { label, date, values: values.map((value) => ({ count: value.count, label: value.label })) };
}

/** Columns of events are SQL, perhaps with a name behind two dashes: upstream's way to name them. */
function nameOfColumn(sql: string): string {
  const line = sql.slice(sql.lastIndexOf('\n') + 1);
  const dashes = line.indexOf('--');
  const name = dashes === -1 ? '' : line.slice(dashes + 2).trim();
  return name === '' ? sql.trim() : name;
}
