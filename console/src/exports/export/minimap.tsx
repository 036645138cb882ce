/** The whole history in one picture; a click or a drag scrolls the grid there. The grid's keys also reach all of it. */
import { useEffect, useRef, type PointerEvent, type RefObject } from 'react';
import { CODES, indexOfCode, type Code } from '../states/codes.ts';
import type { IntervalMap } from './interval-map.ts';
import type { Layout } from './layout.ts';
import styles from './export.module.css';

const WIDTH = 48;
/** At the right edge, for ticks of intervals that need the user. */
const LANE = 6;
const CELLS = WIDTH - LANE - 2;
/** Size of a texture, and least height of an interval with one. */
const TEXTURE = 4;

type Look = {
  /** Name of a token. */
  colour: string;
  /** Which pixels of the texture are drawn, so that no state is shown by its colour alone; absent: all. */
  texture?: (x: number, y: number) => boolean;
  /** Intervals with a mark are drawn as large as rare ones. */
  isMarked?: true;
};
const [EMPTY, HELD]: readonly [Look, Look] = [{ colour: 'edge' }, { colour: 'held' }];
const STALE: Look = { colour: 'stale', texture: (x, y) => (x + y) % TEXTURE < 2, isMarked: true };
const MARKS: Readonly<Record<string, Look>> = {
  y: { colour: 'needs-you', isMarked: true },
  t: { colour: 'stale', texture: (x) => x % TEXTURE < 2, isMarked: true },
  r: { colour: 'action', texture: (_, y) => y >= 2, isMarked: true },
  w: { colour: 'quiet', texture: (x, y) => x < 2 && y < 2, isMarked: true },
};

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
    const brushOf = brushesOf(context);
    const scale = Math.min(4, height / Math.max(1, layout.rows.length));
    const width = CELLS / layout.columns.length;
    const rare = rareOf(map.codes, layout.columns.length);
    // Several rows may share a pixel: the most urgent are drawn last, and rare intervals after all others.
    const rankOf = (number: number) => (rare.has(number) ? CODES.length : 0) + indexOfCode(map.codes[number]!);
    const ranks = Int32Array.from(map.codes.keys(), rankOf);
    const order = [...map.codes.keys()].sort((a, b) => ranks[a]! - ranks[b]!);
    for (const number of order) {
      const look = lookOf(map.codes[number]!);
      if (!look) continue;
      context.fillStyle = brushOf(look);
      // Rare intervals have a least size, to stay visible in a history of years.
      const [wide, high] = rare.has(number)
        ? [Math.max(6, width), Math.max(TEXTURE, scale)]
        : [Math.max(1, width), Math.max(1, scale)];
      const top = Math.min(layout.rowOf[number]! * scale, height - high);
      const left = Math.min(layout.columnOf[number]! * width, CELLS - wide);
      // The gaps of the texture would show what was drawn before.
      if (look.texture) context.clearRect(left, top, wide, high);
      context.fillRect(left, top, wide, high);
      if (look === MARKS['y']) context.fillRect(WIDTH - LANE, top, LANE, high);
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
      title="The whole history: click or drag to scroll the grid there. A tick at the right edge: needs you."
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    >
      <canvas ref={canvas} />
      <span ref={view} className={styles.view} />
    </span>
  );
}

/** @returns intervals with a mark, and those in a stretch of one look that is shorter than a row and than both stretches beside it */
function rareOf(codes: readonly Code[], columns: number): ReadonlySet<number> {
  const stretches: { look: Look | undefined; first: number; length: number }[] = [];
  codes.forEach((code, first) => {
    const look = lookOf(code);
    const last = stretches.at(-1);
    if (last?.look === look && last) last.length += 1;
    else stretches.push({ look, first, length: 1 });
  });
  const rare = new Set<number>();
  stretches.forEach(({ look, first, length }, index) => {
    const isBetweenLonger = [stretches[index - 1], stretches[index + 1]].every((one) => !one || one.length > length);
    if (!look?.isMarked && !(length < columns && stretches.length > 1 && isBetweenLonger)) return;
    for (let number = first; number < first + length; number += 1) rare.add(number);
  });
  return rare;
}

function lookOf(code: string): Look | undefined {
  if (code === '--') return undefined;
  return MARKS[code[1]!] ?? { h: HELD, s: STALE }[code[0]!] ?? EMPTY;
}

/** @returns what fills a shape in a look: its colour, or its texture in that colour */
function brushesOf(context: CanvasRenderingContext2D): (look: Look) => string | CanvasPattern {
  const style = getComputedStyle(context.canvas);
  const brushes = new Map<Look, string | CanvasPattern>();
  return (look) => {
    const known = brushes.get(look);
    if (known) return known;
    const colour = style.getPropertyValue(`--${look.colour}`);
    const brush = look.texture ? textured(context, colour, look.texture) : colour;
    brushes.set(look, brush);
    return brush;
  };
}

function textured(context: CanvasRenderingContext2D, colour: string, isDrawn: NonNullable<Look['texture']>) {
  const tile = new OffscreenCanvas(TEXTURE, TEXTURE);
  const pixels = tile.getContext('2d')!;
  pixels.fillStyle = colour;
  for (let at = 0; at < TEXTURE * TEXTURE; at += 1) {
    const [x, y] = [at % TEXTURE, Math.floor(at / TEXTURE)];
    if (isDrawn(x, y)) pixels.fillRect(x, y, 1, 1);
  }
  return context.createPattern(tile, 'repeat')!;
}
