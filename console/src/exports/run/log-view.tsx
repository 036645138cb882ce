/** The log of a run: newest first, in a list that only draws visible lines. Its filters, and a line, are in the address. */
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Switch } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { SearchField } from '../../look/search-field.tsx';
import { useShownZone, zoneName } from '../../look/time.tsx';
import { downloadAddress, LEVELS, logQuery, tailQuery, type LogFilter } from './log-data.ts';
import { LogLines } from './log-lines.tsx';
import type { RunIds } from './run-data.ts';
import styles from './log.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId/runs/$runId');

const ALL = 'all';
const LEVEL_OPTIONS = [
  { value: ALL, label: 'All levels' },
  ...LEVELS.slice(1).map((value) => ({
    value,
    label: value === 'ERROR' ? 'errors' : `${value.toLowerCase()} and above`,
  })),
];
export function LogView({ runIds, isOpen }: { runIds: RunIds; isOpen: boolean }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  // The last lines of a run that ends meanwhile are still followed.
  const [wasOpen] = useState(isOpen);
  const isFollowed = search.follow === undefined ? wasOpen : search.follow === 'on';
  const [isAtTop, setAtTop] = useState(true);
  const log = useInfiniteQuery(logQuery(runIds, search));
  // Further down the list stays still for reading; new entries are added once the reader is back at the top.
  useQuery(tailQuery(queries, runIds, search, isFollowed && isAtTop && log.isSuccess && !search.line));
  const entries = useMemo(() => log.data?.pages.flatMap(({ results }) => results) ?? [], [log.data]);
  const most = useMemo(() => entries.reduce((found, { attempt }) => Math.max(found, attempt ?? 0), 0), [entries]);
  const shownZone = useShownZone();
  const zone = entries[0] ? zoneName(entries[0].timestamp, shownZone) : '';
  const go = (change: LogFilter) =>
    void navigate({ search: { ...search, line: undefined, ...change }, replace: true, resetScroll: false });
  return (
    <section className={styles.log} aria-labelledby="log-title">
      <div className={styles.bar}>
        <h2 id="log-title">Log{zone && <span className="quiet"> · times in {zone}</span>}</h2>
        <Select
          label="Level"
          options={LEVEL_OPTIONS}
          value={search.level ?? ALL}
          onChange={(value) => go({ level: value === ALL ? undefined : value })}
        />
        <Select
          label="Attempt"
          options={attemptOptions(Math.max(most, Number(search.attempt) || 0))}
          value={search.attempt ?? ALL}
          onChange={(value) => go({ attempt: value === ALL ? undefined : value })}
        />
        <SearchField
          label="Contains"
          value={search.text ?? ''}
          onChange={(text) => go({ text: text || undefined })}
          isFirst
        />
        <Switch
          isSelected={isFollowed}
          onChange={(isOn) =>
            void navigate({ search: { ...search, follow: isOn ? 'on' : 'off' }, replace: true, resetScroll: false })
          }
        >
          Follow
        </Switch>
        <a href={downloadAddress(runIds, search)} download>
          Download
        </a>
      </div>
      {search.line && (
        <p className="quiet">
          Shown up to the linked line.{' '}
          <Link to="." search={(now: LogFilter) => ({ ...now, line: undefined }) as never} resetScroll={false}>
            Show the newest
          </Link>
        </p>
      )}
      {log.isPending && <Skeleton rows={4} label="Loading the log" />}
      {log.isError && (
        <Failure
          error={log.error}
          onRetry={() => void (log.isFetchNextPageError ? log.fetchNextPage() : log.refetch())}
        />
      )}
      {log.data && entries.length === 0 && !log.hasNextPage && (
        <p className="quiet">
          {search.level || search.text || search.attempt ? 'No entries match.' : 'No entries yet.'}
        </p>
      )}
      {(entries.length > 0 || log.hasNextPage) && (
        <LogLines
          entries={entries}
          line={search.line}
          isEnd={!log.hasNextPage}
          onTop={setAtTop}
          onEnd={() => {
            if (log.hasNextPage && !log.isFetchingNextPage && !log.isFetchNextPageError) void log.fetchNextPage();
          }}
        />
      )}
    </section>
  );
}

function attemptOptions(most: number) {
  const numbers = Array.from({ length: most }, (_, index) => String(index + 1));
  return [{ value: ALL, label: 'All attempts' }, ...numbers.map((value) => ({ value, label: `attempt ${value}` }))];
}
