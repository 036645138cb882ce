/** The whole history in one picture; a click or a drag scrolls the grid there. The grid's keys also reach all of it. */
import { useEffect, useRef, type PointerEvent, type RefObject } from 'react';
import { CODES, indexOfCode, type Code } from '../states/codes.ts';
import type { IntervalMap } from './interval-map.ts';
import type { Layout } from './layout.ts';
import styles from './export.module.css';

const WIDTH = 48;
/** Colours of marks. Intervals with a mark are drawn as large as rare ones. */
const MARKED: ReadonlySet<string> = new Set(['needs-you', 'stale', 'action']);

type MinimapProps = { map: IntervalMap; layout: Layout; scrollRef: RefObject<HTMLDivElement | null> };

export function Minimap({ map, layout, scrollRef }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const height = element.clientHeight;
    element.width = WIDTH;
    element.height = height;
    const style = getComputedStyle(element);
    const colours = new Map(
      ['held', 'stale', 'needs-you', 'action', 'edge'].map((name) => [name, style.getPropertyValue(`--${name}`)]),
    );
    const scale = Math.min(4, height / Math.max(1, layout.rows.length));
    const width = WIDTH / layout.columns.length;
    const rare = rareOf(map.codes, layout.columns.length);
    // Several rows may share a pixel: the most urgent are drawn last, and rare intervals after all others.
    const rankOf = (number: number) => (rare.has(number) ? CODES.length : 0) + indexOfCode(map.codes[number]!);
    const ranks = Int32Array.from(map.codes.keys(), rankOf);
    const order = [...map.codes.keys()].sort((a, b) => ranks[a]! - ranks[b]!);
    for (const number of order) {
      const colour = colourOf(map.codes[number]!);
      if (!colour) continue;
      context.fillStyle = colours.get(colour)!;
      // Rare intervals have a least size, to stay visible in a history of years.
      const [wide, high] = rare.has(number)
        ? [Math.max(6, width), Math.max(4, scale)]
        : [Math.max(1, width), Math.max(1, scale)];
      const top = Math.min(layout.rowOf[number]! * scale, height - high);
      context.fillRect(Math.min(layout.columnOf[number]! * width, WIDTH - wide), top, wide, high);
    }
  }, [map, layout]);

  useEffect(() => {
    const [scroll, marker] = [scrollRef.current, view.current];
    if (!scroll || !marker) return undefined;
    const show = () => {
      const height = Math.min(scroll.clientHeight, layout.rows.length * 4);
      marker.style.top = `${(scroll.scrollTop / scroll.scrollHeight) * height}px`;
      marker.style.height = `${Math.min(1, scroll.clientHeight / scroll.scrollHeight) * height}px`;
    };
    show();
    scroll.addEventListener('scroll', show, { passive: true });
    return () => scroll.removeEventListener('scroll', show);
  }, [layout, scrollRef]);

  function onPointer(event: PointerEvent<HTMLElement>) {
    const scroll = scrollRef.current;
    if (!scroll || event.buttons !== 1) return;
    const height = Math.min(scroll.clientHeight, layout.rows.length * 4);
    const share = (event.clientY - event.currentTarget.getBoundingClientRect().top) / height;
    scroll.scrollTop = share * scroll.scrollHeight - scroll.clientHeight / 2;
  }
  return (
    <span
      className={styles.minimap}
      role="img"
      aria-label="The whole history, the newest on top; a frame marks the part that the grid shows"
      title="The whole history: click or drag to scroll the grid there"
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    >
      <canvas ref={canvas} />
      <span ref={view} className={styles.view} />
    </span>
  );
}

/** @returns intervals with a mark, and those in a stretch of one colour that is shorter than a row and than both stretches beside it */
function rareOf(codes: readonly Code[], columns: number): ReadonlySet<number> {
  const stretches: { colour: string | undefined; first: number; length: number }[] = [];
  codes.forEach((code, first) => {
    const colour = colourOf(code);
    const last = stretches.at(-1);
    if (last?.colour === colour && last) last.length += 1;
    else stretches.push({ colour, first, length: 1 });
  });
  const rare = new Set<number>();
  stretches.forEach(({ colour, first, length }, index) => {
    const isBetweenLonger = [stretches[index - 1], stretches[index + 1]].every((one) => !one || one.length > length);
    if (!MARKED.has(colour ?? '') && !(length < columns && stretches.length > 1 && isBetweenLonger)) return;
    for (let number = first; number < first + length; number += 1) rare.add(number);
  });
  return rare;
}

function colourOf(code: string): string | undefined {
  if (code === '--') return undefined;
  const mark = { y: 'needs-you', t: 'stale', r: 'action', w: 'action' }[code[1]!];
  return mark ?? { h: 'held', s: 'stale' }[code[0]!] ?? 'edge';
}
