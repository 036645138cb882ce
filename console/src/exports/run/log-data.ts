/** The log of a run, page by page, newest first. Following it reads its last seconds again. */
import { infiniteQueryOptions, queryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/live-state.ts';
import { runParams, type RunIds } from './run-data.ts';

export type LogEntry = components['schemas']['LogEntry'];

/** Filter of a log, as in the address. */
export type LogFilter = {
  /** The least level. */
  level?: string | undefined;
  attempt?: string | undefined;
  text?: string | undefined;
  /** A line that a link leads to: its instant and its id. Newer lines are left out. */
  line?: string | undefined;
};

export const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;

/** Entries of a page: the API's maximum. */
const PAGE = 500;
/** Limit of lines on the first page. Above it, following begins anew with the newest page. */
const MAX_FOLLOWED = 5_000;
const FOLLOW_MS = 2_000;
/** Overlap of polls, because an entry may become visible after a newer one. */
const OVERLAP_MS = 5_000;

type Page = { next: string | null; results: LogEntry[] };
type Log = InfiniteData<Page, string>;

const PATH = '/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/logs/';

export const lineOf = ({ timestamp, id }: LogEntry): string => `${timestamp}~${id}`;

function queryOf({ level, attempt, text, line }: LogFilter) {
  const least = LEVELS.findIndex((one) => one === level);
  const at = Date.parse(line?.split('~')[0] ?? '');
  return {
    ...(least > 0 && { level: LEVELS.slice(least) as string[] }),
    ...(Number(attempt) > 0 && { attempt: Number(attempt) }),
    ...(text && { search: text }),
    // Up to a second after the line, so that some newer lines are there, too.
    ...(!Number.isNaN(at) && { before: new Date(at + 1_000).toISOString() }),
  };
}

export const logQuery = (runIds: RunIds, filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['logs', runIds, queryOf(filter)] as const,
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      unwrap(
        api.GET(PATH, {
          params: { ...runParams(runIds), query: { ...queryOf(filter), limit: PAGE, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => (next === null ? undefined : new URL(next).searchParams.get('cursor')),
    staleTime: Infinity,
  });

/** Adds new entries to the log. Its data is the number of entries that were read, known ones included. */
export const tailQuery = (queries: QueryClient, runIds: RunIds, filter: LogFilter, isFollowed: boolean) =>
  queryOptions({
    queryKey: ['log-tail', runIds, queryOf(filter)] as const,
    async queryFn({ signal }) {
      const { queryKey } = logQuery(runIds, filter);
      const newest = queries.getQueryData<Log>(queryKey)?.pages[0]?.results[0];
      const query = {
        ...queryOf(filter),
        limit: PAGE,
        cursor: '',
        ...(newest && { after: new Date(Date.parse(newest.timestamp) - OVERLAP_MS).toISOString() }),
      };
      const tail: Page = await unwrap(api.GET(PATH, { params: { ...runParams(runIds), query }, signal }));
      const shownLines = queries.getQueryData<Log>(queryKey)?.pages[0]?.results.length ?? 0;
      // Begins anew if more than a page was written meanwhile, which would leave a gap, or if the first page has grown too long.
      if (tail.next !== null || shownLines > MAX_FOLLOWED) await queries.resetQueries({ queryKey });
      else queries.setQueryData<Log>(queryKey, (log) => log && withNewer(log, tail.results));
      return tail.results.length;
    },
    enabled: isFollowed,
    refetchInterval: () => pollMs(FOLLOW_MS),
  });

/** Adds new entries. Without any it returns the same log, so React draws nothing again. */
function withNewer(log: Log, tail: readonly LogEntry[]): Log {
  const [first, ...others] = log.pages;
  if (!first) return log;
  const known = new Set(log.pages.slice(0, 2).flatMap(({ results }) => results.map(({ id }) => id)));
  const added = tail.filter(({ id }) => !known.has(id));
  if (added.length === 0) return log;
  const results = [...added, ...first.results].sort((a, b) => b.timestamp.localeCompare(a.timestamp));
  return { ...log, pages: [{ ...first, results }, ...others] };
}

/** All lines that the filter finds, as a file. */
export function downloadAddress({ projectId, exportId, runId }: RunIds, filter: LogFilter): string {
  const { level = [], ...query } = queryOf({ ...filter, line: undefined });
  const search = new URLSearchParams({ format: 'text' });
  for (const one of level) search.append('level', one);
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  return `/api/environments/${projectId}/batch_exports/${exportId}/runs/${runId}/logs/?${search}`;
}
