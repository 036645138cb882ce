/** A funnel: how many persons reached each step. */
import { h, type ComponentChild } from 'preact';
import type { FunnelStepResult } from '../../queries/computing/result.ts';
import { bar } from './bars.ts';
import { formatDuration, formatNumber, formatPercent } from './format.ts';

export type Step = Pick<FunnelStepResult, 'name' | 'count' | 'average_conversion_time'>;

export function funnel(steps: readonly Step[]): ComponentChild {
  const first = steps[0]?.count ?? 0;
  return h(
    'ol',
    { class: 'rows funnel' },
    steps.map((step, index) => {
      const previousCount = steps[index - 1]?.count;
      const share =
        previousCount === undefined ? '' : ` · ${formatPercent(step.count, previousCount)} of the step before`;
      const time = step.average_conversion_time;
      return h(
        'li',
        null,
        h('span', { class: 'name' }, `${index + 1}. ${step.name}`),
        bar(step.count, first, 's0'),
        h('span', { class: 'value' }, `${formatNumber(step.count)} (${formatPercent(step.count, first)})`),
        h(
          'span',
          { class: 'quiet' },
          `${share}${time === null ? '' : ` · ${formatDuration(time)} on average`}`.replace(/^ · /, ''),
        ),
      );
    }),
  );
}
