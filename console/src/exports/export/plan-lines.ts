/** Lines of a plan: intervals that run and that are left alone, rows, files that are replaced, and how long it takes. */
import { formatCount, formatDuration } from '../../look/time.tsx';
import type { Preview } from './plan-data.ts';

type Line = [name: string, value: string];

const SKIPPED = ['delivered', 'running', 'failed', 'missing', 'stale'] as const;

/** @param onlyMissing whether the plan leaves intervals out */
export function linesOf(preview: Preview, selected: number, onlyMissing: boolean): Line[] {
  const { intervals, skipped, rows, overwrites, estimate, awaiting_decision: waiting } = preview;
  const { missing, failed, stale, delivered, running } = intervals;
  const runs: readonly (readonly [string, number])[] = [
    ['failed', failed.count],
    ['missing', missing.count],
    ['out of date', stale.count],
    ['delivered, again', delivered.count],
    ['running, again', running.count],
  ];
  const leftOut: readonly (readonly [string, number])[] = onlyMissing
    ? [['wait for a decision, skipped', waiting.count]]
    : [];
  const left = SKIPPED.map(
    (state) => [`${state === 'stale' ? 'out of date' : state}, skipped`, skipped[state]] as const,
  );
  const known = [...runs, ...left, ...leftOut].reduce((sum, [, count]) => sum + count, 0);
  // The rest is not offered, for example because it is before the start of the export.
  const others = Math.max(0, selected - known);
  return [
    ...[...runs, ...left, ...leftOut, ['not offered, skipped', others] as const]
      .filter(([, count]) => count > 0)
      .map(([name, count]): Line => [name, formatCount(count)]),
    ['rows', rows ? `${rows.exact ? '' : '~'}${formatCount(rows.count)}` : 'not known'],
    ['replaces', replaced(overwrites)],
    ['about', estimate.seconds ? spanOf(estimate.seconds) : 'not known yet'],
  ];
}

function replaced({ files, intervals }: Preview['overwrites']): string {
  if (files > 0) return counted(files, 'file', 'files');
  return intervals > 0 ? counted(intervals, 'delivery', 'deliveries') : 'nothing';
}

const counted = (count: number, one: string, many: string) => `${formatCount(count)} ${count === 1 ? one : many}`;

/** @returns as `1 to 2 min`, `50 s to 2 min`, `4 s` */
function spanOf({ low, high }: { low: number; high: number }): string {
  const [from, to] = [formatDuration(Math.max(1, low)), formatDuration(Math.max(1, high))];
  if (from === to) return to;
  const [number = '', unit = ''] = from.split(' ');
  return to.endsWith(` ${unit}`) ? `${number} to ${to}` : `${from} to ${to}`;
}
