/**
 * The frame of a chart: axes and grid. The plot area stretches to fill the space; labels are outside it, positioned in percent, so
 * that they keep their size.
 */
import { h, type ComponentChild } from 'preact';
import { formatCompact } from './format.ts';

/** Width and height of the plane's coordinates. */
export const PLANE = 1000;
const MAX_LABELS = 6;

export type Frame = {
  /** Text that a screen reader reads instead of the picture. */
  label: string;
  /** Where horizontal lines are: the first at the bottom, the last at the top. */
  ticks: readonly number[];
  /** Labels of the horizontal axis; `at` is the position from 0 (left) to 1 (right). */
  labels: readonly { text: string; at: number }[];
  /** Shapes in coordinates of the plane. */
  shapes: ComponentChild;
};

export function plot({ label, ticks, labels, shapes }: Frame): ComponentChild {
  const [bottom = 0] = ticks;
  const top = ticks.at(-1) ?? 1;
  const heightOf = (tick: number) => `${round(((top - tick) / (top - bottom)) * 100)}%`;
  return h(
    'div',
    { class: 'plot' },
    h(
      'svg',
      { class: 'y-axis', 'aria-hidden': 'true' },
      ticks.map((tick) =>
        h('text', { x: '100%', y: heightOf(tick), dy: '.32em', 'text-anchor': 'end' }, formatCompact(tick)),
      ),
    ),
    h(
      'svg',
      { class: 'plane', role: 'img', 'aria-label': label },
      ticks.map((tick) => h('line', { class: 'grid', x1: '0', x2: '100%', y1: heightOf(tick), y2: heightOf(tick) })),
      h(
        'svg',
        { viewBox: `0 0 ${PLANE} ${PLANE}`, preserveAspectRatio: 'none', width: '100%', height: '100%' },
        shapes,
      ),
    ),
    h(
      'svg',
      { class: 'x-axis', 'aria-hidden': 'true' },
      thinOut(labels).map(({ text, at }, index) =>
        h('text', { x: `${round(at * 100)}%`, y: '1.3em', 'text-anchor': 'middle', class: classOf(index) }, text),
      ),
    ),
  );
}

/** Keeps every nth label, because all of them would overlap. */
function thinOut<T>(labels: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(labels.length / MAX_LABELS));
  return labels.filter((_, index) => index % step === 0);
}

/** Marks every second label, which is left out where there is little space. */
function classOf(index: number): string | undefined {
  return index % 2 === 1 ? 'between' : undefined;
}

/** Rounds to hundredths: enough for any screen, and fewer bytes. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
