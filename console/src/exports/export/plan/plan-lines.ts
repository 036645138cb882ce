/** Lines of a plan: intervals that run, intervals that are skipped, rows, replaced files, and the estimated duration. */
import { formatCount, formatDuration } from '../../../look/time.tsx';
import type { Preview } from './plan-data.ts';

type Line = [name: string, value: string];

/** The API's names of states, and their words in the legend. */
const WORDS = [
  ['failed', 'failed'],
  ['missing', 'not delivered'],
  ['stale', 'out of date'],
  ['delivered', 'delivered'],
  ['running', 'running'],
] as const;

export type PlanKind = {
  /** Whether the plan leaves out intervals that are delivered or running. */
  onlyMissing: boolean;
  /** Whether a delivery replaces the earlier one, or sends its rows again. */
  isReplacing: boolean;
  /** Whether the export has filters, which the plan's count of rows does not consider. */
  isFiltered: boolean;
};

export function linesOf(preview: Preview, { onlyMissing, isReplacing, isFiltered }: PlanKind): Line[] {
  const { intervals, skipped, overwrites, awaiting_decision: waiting, total_runs: total } = preview;
  const runLines = WORDS.map(([state, words]): [string, number] => {
    const isRepeated = state === 'delivered' || state === 'running';
    return [isRepeated ? `${words}, again` : words, intervals[state].count];
  });
  const skippedLines = WORDS.map(([state, words]): [string, number] => [`${words}, skipped`, skipped[state]]);
  const effects: Line[] = [
    ['rows', rowsValue(preview, isFiltered)],
    isReplacing && overwrites.files > 0
      ? ['replaced files', formatCount(overwrites.files)]
      : [isReplacing ? 'replaced deliveries' : 'repeated deliveries', countOrNone(overwrites.intervals)],
    ['duration', durationValue(preview)],
  ];
  const undecided: [string, number] = ['wait for a decision, skipped', onlyMissing ? waiting.count : 0];
  return [
    ...[...runLines, ...skippedLines, undecided]
      .filter(([, count]) => count > 0)
      .map(([name, count]): Line => [name, formatCount(count)]),
    ...(total > 0 ? effects : []),
  ];
}

export const rowsValue = ({ rows }: Preview, isFiltered: boolean): string =>
  rows ? `${isFiltered ? 'up to ' : ''}${rows.exact ? '' : '~'}${formatCount(rows.count)}` : 'not known';

export const durationValue = ({ estimate }: Preview): string =>
  estimate.seconds ? `about ${spanOf(estimate.seconds)}` : 'not known yet';

const countOrNone = (count: number) => (count > 0 ? formatCount(count) : 'none');

/** @returns as `1 to 2 min`, `50 s to 2 min`, `4 s` */
function spanOf({ low, high }: { low: number; high: number }): string {
  const [from, to] = [formatDuration(Math.max(1, low)), formatDuration(Math.max(1, high))];
  if (from === to) return to;
  const [number = '', unit = ''] = from.split(' ');
  return to.endsWith(` ${unit}`) ? `${number} to ${to}` : `${from} to ${to}`;
}
