/** Lines of a log. Draws the lines in view, and enough around them that none is missing while scrolling. */
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { formatTime, useShownZone } from '../../look/time.tsx';
import { lineOf, type LogEntry, type LogFilter } from './log-data.ts';
import styles from './log.module.css';

const LINE_HEIGHT = 22;
const OVERSCAN = 40;
/** Lines before the end at which the next page is asked for. */
const AHEAD = 200;

type LinesProps = {
  entries: readonly LogEntry[];
  /** The line that the address leads to. */
  line: string | undefined;
  /** Whether there are no earlier lines. */
  isEnd: boolean;
  onEnd: () => void;
  /** Called when the newest line comes into view, or leaves it. */
  onTop: (isAtTop: boolean) => void;
};

export function LogLines({ entries, line, isEnd, onEnd, onTop }: LinesProps) {
  const timeZone = useShownZone();
  const scroller = useRef<HTMLDivElement>(null);
  // The functions of the virtualizer are used in this component only.
  // oxlint-disable-next-line react/incompatible-library
  const lines = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => entries[index]!.id,
    overscan: OVERSCAN,
    // The timer that replaces this event may report a jump first; the scroll event of the same position is then ignored, and a frame stays blank.
    useScrollendEvent: true,
  });
  const shown = lines.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= entries.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd();
  });
  // A list of another filter begins at its top.
  useEffect(() => onTop(true), [onTop]);
  const linked = line === undefined ? -1 : entries.findIndex((entry) => lineOf(entry) === line);
  useEffect(() => {
    if (linked >= 0) lines.scrollToIndex(linked, { align: 'center' });
  }, [linked, lines]);
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      tabIndex={0}
      role="log"
      aria-label="Entries, newest first"
      aria-live="off"
      onScroll={({ currentTarget }) => onTop(currentTarget.scrollTop < LINE_HEIGHT)}
    >
      <div style={{ height: lines.getTotalSize(), position: 'relative' }}>
        {shown.map((item) => {
          const entry = entries[item.index]!;
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={lines.measureElement}
              className={styles.line}
              data-line={item.index === linked || undefined}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Link
                to="."
                search={(now: LogFilter) => ({ ...now, line: lineOf(entry) }) as never}
                replace
                resetScroll={false}
                title="Link to this line"
                activeProps={{}}
              >
                <time dateTime={entry.timestamp}>{formatTime(entry.timestamp, { seconds: true, timeZone })}</time>
              </Link>
              <span className="quiet">{entry.attempt === null ? '' : `#${entry.attempt}`}</span>
              <span className={styles[entry.level] ?? ''}>{entry.level.toLowerCase()}</span>
              <span>{entry.message}</span>
            </div>
          );
        })}
      </div>
      {!isEnd && <p className={styles.more}>Loading earlier entries</p>}
    </div>
  );
}
