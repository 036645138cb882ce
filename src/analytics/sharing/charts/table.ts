/** Tables: of events, and of the numbers behind a chart. */
import { h, type ComponentChild } from 'preact';
import { formatNumber } from './format.ts';
import { totalOf, type Series } from './series.ts';

export const MAX_ROWS = 100;
export const MAX_COLUMNS = 30;
const MAX_TEXT = 300;
/** More columns are printed in smaller letters. */
const MAX_ON_PAPER = 8;
/** Instants in UTC, of which only date and time are shown. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/;

const NUMERIC = { class: 'number' };

type Table = { name: string; header: readonly string[]; rows: readonly (readonly unknown[])[]; hasMore?: boolean };

/** Draws a table that scrolls on its own, by keyboard too, so the page does not. */
export function table({ name, header, rows, hasMore = false }: Table): ComponentChild {
  const visibleRows = rows.slice(0, MAX_ROWS);
  const columns = header.slice(0, MAX_COLUMNS);
  const isNumeric = (index: number) => visibleRows.some((row) => typeof cellValue(row[index]) === 'number');
  return h(
    'div',
    { class: 'scroll', role: 'region', tabIndex: 0, 'aria-label': `${name}, table` },
    h(
      'table',
      { class: columns.length > MAX_ON_PAPER ? 'wide' : undefined },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map((text, index) => h('th', { scope: 'col', ...(isNumeric(index) && NUMERIC) }, text)),
        ),
      ),
      h(
        'tbody',
        null,
        visibleRows.map((row) =>
          h(
            'tr',
            null,
            columns.map((_, index) => cell(row[index])),
          ),
        ),
      ),
    ),
    (hasMore || rows.length > visibleRows.length) &&
      h('p', { class: 'quiet' }, `The first ${formatNumber(visibleRows.length)} rows.`),
  );
}

function cell(value: unknown): ComponentChild {
  const text = cellValue(value);
  return typeof text === 'string' ? h('td', null, text) : h('td', text === null ? null : NUMERIC, formatNumber(text));
}

/** Returns the text of a value, here and in JSON. Objects become a name, or JSON that is cut like long texts. Applying it twice changes nothing. */
export function cellValue(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  const text =
    typeof value === 'string' ? value.replace(INSTANT, '$1 $2') : (personName(value) ?? JSON.stringify(value));
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

/** @returns undefined for a value that is not the person of an event, as queries answer it */
function personName(value: object | boolean): string | undefined {
  if (typeof value === 'boolean' || !('distinct_id' in value && 'properties' in value) || 'event' in value)
    return undefined;
  const name = (value.properties as { name?: unknown } | null)?.name;
  return typeof name === 'string' && name !== '' ? name : String(value.distinct_id);
}

/** Draws a row for each interval and a column for each series; for totals, a row for each series. */
export function seriesTable(name: string, series: readonly Series[]): ComponentChild {
  const labels = series[0]?.labels ?? [];
  if (labels.length === 0) {
    return table({ name, header: ['', 'Total'], rows: series.map((line) => [line.label, totalOf(line)]) });
  }
  const rows = labels.map((label, index) => [label, ...series.map(({ data }) => data[index])]);
  return table({ name, header: ['', ...series.map(({ label }) => label)], rows });
}
