/** Draws retention: how many of the persons of an interval returned in each later interval. */
import { h, type ComponentChild } from 'preact';
import type { RetentionResult } from '../../queries/computing/result.ts';
import { formatNumber, formatPercent } from './format.ts';

/** Shades of a cell. */
const STEPS = 10;

/** @param timezone the zone in which the intervals begin */
export function retention(name: string, cohorts: readonly RetentionResult[], timezone: string): ComponentChild {
  const dateOf = dates(timezone);
  const width = Math.max(0, ...cohorts.map(({ values }) => values.length));
  const head = ['', 'Persons', ...Array.from({ length: width }, (_, index) => cohorts[0]?.values[index]?.label ?? '')];
  return h(
    'div',
    { class: 'scroll', role: 'region', tabIndex: 0, 'aria-label': `${name}, retention` },
    h(
      'table',
      { class: 'retention' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          head.map((text) => h('th', { scope: 'col' }, text)),
        ),
      ),
      h(
        'tbody',
        null,
        cohorts.map((cohort) => row(cohort, dateOf(cohort))),
      ),
    ),
  );
}

function row({ values }: RetentionResult, date: string): ComponentChild {
  const all = values[0]?.count ?? 0;
  return h(
    'tr',
    null,
    h('th', { scope: 'row' }, date),
    h('td', { class: 'number' }, formatNumber(all)),
    values.map(({ count }) => {
      const shade = all > 0 ? Math.round((count / all) * STEPS) : 0;
      return h(
        'td',
        { class: `number r${Math.min(STEPS, shade)}`, title: formatNumber(count) },
        all > 0 && formatPercent(count, all),
      );
    }),
  );
}

/** @returns a function that formats when a cohort's interval began: `2 Jun 2025`, or for hours `2 Jun 2025, 08:00` */
function dates(timeZone: string): (cohort: RetentionResult) => string {
  const days = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'short', year: 'numeric' });
  const hours = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  return ({ label, date }) => (label.startsWith('Hour') ? hours : days).format(new Date(date));
}
