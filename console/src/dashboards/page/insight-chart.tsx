/** A chart inside React that preact draws, with the code of the shared page. */
import { h, render, type ComponentChild } from 'preact';
import { useEffect, useMemo, useRef } from 'react';
import { chartOf } from '../../../../src/analytics/sharing/charts/chart.ts';
import { drawnAs } from '../../../../src/analytics/sharing/charts/drawn-as.ts';
import { drawnResult, type DrawnResult } from '../../../../src/analytics/sharing/charts/drawn-results.ts';
import styles from './dashboard.module.css';

type Range = { date_from: string | null; date_to: string | null };
type InsightChartProps = {
  name: string;
  insight: DrawnResult & { query: Parameters<typeof drawnAs>[0]; resolved_date_range: Range | null };
};

export function InsightChart({ name, insight }: InsightChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const drawing = useMemo(() => drawingOf(name, insight), [name, insight]);
  useEffect(() => render(drawing, container.current!), [drawing]);
  // A separate effect: a newer result is drawn over the last one, so tables that a reader has opened stay open.
  useEffect(() => {
    const element = container.current!;
    return () => render(null, element);
  }, []);
  return <div ref={container} className={styles.chart} />;
}

function drawingOf(name: string, insight: InsightChartProps['insight']): ComponentChild {
  const chartKind = drawnAs(insight.query);
  const { result, columns, hasMore, timezone } = drawnResult(insight, chartKind);
  if (!Array.isArray(result)) return h('p', { class: 'quiet' }, 'It is being computed.');
  const drawn = {
    name,
    ...chartKind,
    rows: result as unknown[],
    columns: columns ?? [],
    hasMore,
    timezone: timezone ?? 'UTC',
    period: periodOf(insight),
  };
  const { picture, legend, numbers } = chartOf(drawn, { legend: false });
  return [picture, legend, numbers !== null && h('details', null, h('summary', null, 'Numbers'), numbers)];
}

/** @returns the days of the result in its own zone, as `from 20 Nov to 27 Nov`; undefined: not known */
function periodOf({ resolved_date_range: range, timezone }: InsightChartProps['insight']): string | undefined {
  if (!range?.date_from || !range.date_to) return undefined;
  const day = new Intl.DateTimeFormat('en-GB', { timeZone: timezone ?? 'UTC', day: 'numeric', month: 'short' });
  return `from ${day.format(new Date(range.date_from))} to ${day.format(new Date(range.date_to))}`;
}
