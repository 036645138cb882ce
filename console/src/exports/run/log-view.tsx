/** The log of a run: newest first, in a list that only holds what is seen; level and text are in the address. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Copy } from '../../look/copy.tsx';
import { Select, Switch, TextField } from '../../look/field.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { formatTime, zoneName } from '../../look/time.tsx';
import { logQuery, type LogEntry, type RunPlace } from './run-data.ts';
import styles from './log.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId/runs/$runId');
const LINE_HEIGHT = 22;
const LEVELS = ['all', 'DEBUG', 'INFO', 'WARNING', 'ERROR'].map((value) => ({
  value,
  label: value === 'all' ? 'All levels' : value.toLowerCase(),
}));

export function LogView({ place, isOpen }: { place: RunPlace; isOpen: boolean }) {
  const { level, text } = route.useSearch();
  const navigate = route.useNavigate();
  const [isFollowed, setFollowed] = useState(isOpen);
  const filter = { ...(level && { level }), ...(text && { text }) };
  const log = useInfiniteQuery(logQuery(place, filter, isFollowed));
  const entries = useMemo(() => log.data?.pages.flatMap(({ results }) => results) ?? [], [log.data]);
  const zone = entries[0] ? zoneName(entries[0].timestamp) : '';
  return (
    <section className={styles.log} aria-labelledby="log-title">
      <div className={styles.bar}>
        <h2 id="log-title">Log{zone && <span className="quiet"> · times in {zone}</span>}</h2>
        <Select
          label="Level"
          options={LEVELS}
          value={level ?? 'all'}
          onChange={(value) =>
            void navigate({
              search: value === 'all' ? { ...(text && { text }) } : { ...filter, level: value },
              replace: true,
            })
          }
        />
        <TextFilter
          key={text ?? ''}
          text={text ?? ''}
          onChange={(value) =>
            void navigate({
              search: value === '' ? { ...(level && { level }) } : { ...filter, text: value },
              replace: true,
            })
          }
        />
        <Switch isSelected={isFollowed} onChange={setFollowed}>
          Follow
        </Switch>
        <Copy text={() => entries.map(lineOf).join('\n')}>Copy what is loaded</Copy>
      </div>
      {log.isPending && <Skeleton rows={4} label="Loading the log" />}
      {log.isError && <Failure error={log.error} onRetry={() => void log.refetch()} />}
      {log.data && entries.length === 0 && (
        <p className="quiet">{level || text ? 'No entry matches.' : 'No entry yet.'}</p>
      )}
      {entries.length > 0 && (
        <Lines
          entries={entries}
          onEnd={() => {
            if (log.hasNextPage && !log.isFetchingNextPage) void log.fetchNextPage();
          }}
        />
      )}
    </section>
  );
}

const lineOf = ({ timestamp, level, message }: LogEntry) => `${timestamp} ${level} ${message}`;

/** Filters when Enter is pressed or the field is left: each letter would be a search of the whole log. */
function TextFilter({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  return (
    <TextField
      label="Contains"
      value={typed}
      onChange={setTyped}
      onBlur={() => typed !== text && onChange(typed)}
      onKeyDown={(event) => event.key === 'Enter' && onChange(typed)}
    />
  );
}

function Lines({ entries, onEnd }: { entries: readonly LogEntry[]; onEnd: () => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 30,
  });
  const shown = lines.getVirtualItems();
  const isAtEnd = shown.at(-1)?.index === entries.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd();
  });
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      tabIndex={0}
      role="log"
      aria-label="Entries, newest first"
      aria-live="off"
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
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <time dateTime={entry.timestamp}>{formatTime(entry.timestamp, { seconds: true })}</time>
              <span className={styles[entry.level] ?? ''}>{entry.level.toLowerCase()}</span>
              <span>{entry.message}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
