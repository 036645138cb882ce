/** The grid of intervals. It draws only the rows in view, however long the history is. */
import { useVirtualizer, defaultRangeExtractor, type Range as VirtualRange } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import { cellClass } from '../states/cell.tsx';
import { isOfCalendar } from '../words/cadence.ts';
import { nameOf } from './interval-name.ts';
import type { IntervalMap, Range } from './interval-map.ts';
import { neighbour, type Cadence, type Layout, type Row } from './layout.ts';
import { INTERVALS } from './skip-link.tsx';
import { Minimap } from './minimap.tsx';
import { newlyVerified } from './newly-verified.ts';
import { rowElements } from './row-elements.ts';
import '../sweep.css';
import styles from './export.module.css';

export const ROW_PX = 18;
/** Sizes from export.module.css: the column of names, and a cell. */
const HEADER_PX = 104;
const CELL_PX = 18;
const PAGE_ROWS = 10;
/** Attribute of cells that are swept over: the interval that was verified. */
const JUST_VERIFIED = 'data-just-verified';

/** Keys of the grid while one of its cells has the focus, for the list of keys. */
export const GRID_KEYS = {
  '← → ↑ ↓': { does: 'Move between intervals' },
  'Shift ← → ↑ ↓': { does: 'Select intervals' },
  Space: { does: 'Select the interval' },
  'Home End': { does: 'First and last interval of the row' },
  'PgUp PgDn': { does: 'Ten rows up and down' },
  Enter: { does: 'Deliver the selection, or open the run of the interval' },
};

type GridProps = {
  map: IntervalMap;
  layout: Layout;
  cadence: Cadence;
  selected: Range | undefined;
  onSelect: (range: Range | undefined) => void;
  active: number;
  /** The grid scrolls to the active interval when that or this changes. */
  visit: number;
  /** Whether the map lacks what the address asks for. */
  isLoading: boolean;
  onActive: (number: number) => void;
  onOpen: (number: number) => void;
  /** Runs the plan of the selection. */
  onRun: () => void;
  scrollRef: RefObject<HTMLDivElement | null>;
  /** Whether the cell that becomes active takes the focus. */
  wantsFocus: RefObject<boolean>;
};

export function Grid({
  map,
  layout,
  cadence,
  selected,
  onSelect,
  active,
  visit,
  isLoading,
  onActive,
  onOpen,
  onRun,
  scrollRef,
  wantsFocus,
}: GridProps) {
  const [dragged, setDragged] = useState<Range>();
  const anchor = useRef<number>(undefined);
  const press = useRef<number>(undefined);
  const activeRow = layout.rowOf[active] ?? 0;
  const [elementsOf] = useState(rowElements);
  // The functions of the virtualizer are used in this component only.
  // oxlint-disable-next-line react/incompatible-library
  const rows = useVirtualizer({
    count: layout.rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    // The timer that replaces this event may report a jump first; the scroll event of the same place is then ignored, and a frame stays blank.
    useScrollendEvent: true,
    // The row of the active cell is always drawn: that cell may have the focus.
    rangeExtractor: (range: VirtualRange) =>
      [...new Set([...defaultRangeExtractor(range), activeRow])].sort((a, b) => a - b),
  });
  const shown = dragged ?? selected;
  const zone = isOfCalendar(cadence.interval) ? cadence.timezone : 'UTC';

  useEffect(() => {
    // The grid stays where it is until the map has the selection.
    if (isLoading) return;
    rows.scrollToIndex(activeRow, { align: 'auto' });
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    scrollRef.current?.querySelector<HTMLElement>(`[data-number="${active}"]`)?.focus({ preventScroll: true });
  }, [active, activeRow, visit, isLoading, rows, scrollRef, wantsFocus]);

  const swept = useRef(map);
  useEffect(() => {
    const verified = newlyVerified(swept.current, map);
    swept.current = map;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    // Set on the element, because the sweep must not begin again when its row is drawn again.
    for (const number of verified) {
      const cell = scrollRef.current?.querySelector<HTMLElement>(`[data-number="${number}"]`);
      cell?.setAttribute(JUST_VERIFIED, String(number));
      cell?.addEventListener('animationend', () => cell.removeAttribute(JUST_VERIFIED), { once: true });
    }
  }, [map, scrollRef]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      // A key that is held down would confirm a plan that nobody has read.
      if (event.repeat) return;
      if (selected && selected.first <= active && active <= selected.last) onRun();
      else onOpen(active);
      return;
    }
    if (event.key === ' ') {
      event.preventDefault();
      anchor.current = active;
      onSelect({ first: active, last: active });
      return;
    }
    const to = neighbour(layout, active, event.key, PAGE_ROWS);
    if (to === active) return;
    event.preventDefault();
    wantsFocus.current = true;
    if (event.shiftKey) {
      anchor.current ??= active;
      onSelect(rangeOf(anchor.current, to));
    } else anchor.current = undefined;
    onActive(to);
  }

  function onPointerDown(event: PointerEvent) {
    const number = numberAt(event);
    if (number === undefined || event.button !== 0) return;
    press.current = event.shiftKey ? (anchor.current ?? active) : number;
    anchor.current = press.current;
    if (event.shiftKey) setDragged(rangeOf(press.current, number));
  }
  function stopPress() {
    press.current = undefined;
    setDragged(undefined);
  }
  function onPointerMove(event: PointerEvent) {
    // The button was released outside the grid.
    if (press.current !== undefined && event.buttons !== 1) return stopPress();
    const at = document.elementFromPoint(event.clientX, event.clientY);
    const number = at && numberAt({ target: at });
    if (press.current === undefined || number === undefined || number === null) return;
    if (dragged || number !== press.current) setDragged(rangeOf(press.current, number));
  }
  function onPointerUp(event: PointerEvent) {
    const number = numberAt(event);
    const [pressed, range] = [press.current, dragged];
    stopPress();
    if (range) onSelect(range);
    if (pressed === undefined || number === undefined) return;
    onActive(number);
    if (!range) onOpen(number);
  }

  return (
    <div className={styles.gridAndMap}>
      <div className={styles.columns} aria-hidden>
        <span className={styles.rowHeader} title={zone}>
          {layout.unit}, {zone}
        </span>
        {layout.columns.map((name, column) => (
          <span key={name} title={name} data-active={column === layout.columnOf[active] || undefined}>
            {name.length > 2 ? name[0] : name}
          </span>
        ))}
        <span className={styles.mapName}>History</span>
      </div>
      <div ref={scrollRef} className={styles.scroll}>
        <div
          id={INTERVALS}
          role="grid"
          aria-label={`Intervals, times in ${zone}`}
          aria-multiselectable
          aria-rowcount={layout.rows.length}
          aria-colcount={layout.columns.length + 1}
          tabIndex={-1}
          className={styles.grid}
          style={{ height: rows.getTotalSize(), width: HEADER_PX + layout.columns.length * CELL_PX }}
          onKeyDown={onKeyDown}
          onFocus={(event) => {
            const number = numberAt(event);
            if (number !== undefined) onActive(number);
          }}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
        >
          {elementsOf(rows.getVirtualIndexes(), activeRow).map(({ index, key }) => {
            const row = layout.rows[index]!;
            const [low, high] = selectedInRow(row, shown);
            return (
              <GridRow
                key={key}
                {...{ row, index, map, cadence, low, high }}
                active={index === activeRow ? active : -1}
              />
            );
          })}
        </div>
      </div>
      <Minimap map={map} layout={layout} scrollRef={scrollRef} />
    </div>
  );
}

function numberAt({ target }: { target: EventTarget }): number | undefined {
  const number = target instanceof HTMLElement ? target.dataset['number'] : undefined;
  return number === undefined ? undefined : Number(number);
}

const rangeOf = (one: number, other: number): Range => ({ first: Math.min(one, other), last: Math.max(one, other) });

/** The first and last selected interval of a row; -1 and -2 if none. Rows for which both stay equal are not drawn again. */
function selectedInRow({ cells }: Row, range: Range | undefined): [number, number] {
  const numbers = range ? cells.filter((number) => number >= range.first && number <= range.last) : [];
  return numbers.length > 0 ? [numbers[0]!, numbers.at(-1)!] : [-1, -2];
}

type RowProps = {
  row: Row;
  index: number;
  map: IntervalMap;
  cadence: Cadence;
  low: number;
  high: number;
  active: number;
};

const GridRow = memo(function GridRow({ row, index, map, cadence, low, high, active }: RowProps) {
  const element = useRef<HTMLDivElement>(null);
  // The element may have shown another row before, whose sweep is not this row's.
  useEffect(() => {
    for (const cell of element.current!.querySelectorAll(`[${JUST_VERIFIED}]`))
      if (!row.cells.includes(Number(cell.getAttribute(JUST_VERIFIED)))) cell.removeAttribute(JUST_VERIFIED);
  }, [row]);
  return (
    <div
      ref={element}
      role="row"
      aria-rowindex={index + 1}
      className={styles.row}
      style={{ transform: `translateY(${index * ROW_PX}px)` }}
    >
      <span role="rowheader" aria-colindex={1} className={styles.rowHeader}>
        {row.label}
      </span>
      {Array.from(row.cells, (number, column) =>
        number < 0 ? (
          <span
            key={column}
            role="gridcell"
            aria-colindex={column + 2}
            aria-label="no interval"
            className={cellClass}
          />
        ) : (
          <span
            key={column}
            role="gridcell"
            aria-colindex={column + 2}
            aria-label={nameOf(map, number, cadence)}
            aria-selected={number >= low && number <= high}
            tabIndex={number === active ? 0 : -1}
            data-number={number}
            data-code={map.codes[number]}
            className={cellClass}
          />
        ),
      )}
    </div>
  );
});
