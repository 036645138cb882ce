/** Retention: of those who came in an interval, how many came back so many intervals later. */
import { h, type ComponentChild } from 'preact';
import type { RetentionResult } from '../../queries/result.ts';
import { number, percent } from './format.ts';

/** Shades of a cell. */
const STEPS = 10;

export function retention(name: string, cohorts: readonly RetentionResult[]): ComponentChild {
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
      h('tbody', null, cohorts.map(row)),
    ),
  );
}

function row({ label, date, values }: RetentionResult): ComponentChild {
  const all = values[0]?.count ?? 0;
  return h(
    'tr',
    null,
    h('th', { scope: 'row', title: date.slice(0, 10) }, label),
    h('td', { class: 'number' }, number(all)),
    values.map(({ count }) => {
      const shade = all > 0 ? Math.round((count / all) * STEPS) : 0;
      return h('td', { class: `number r${Math.min(STEPS, shade)}`, title: number(count) }, percent(count, all));
    }),
  );
}
