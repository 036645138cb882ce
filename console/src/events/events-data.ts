/** Requests about events. The page of the newest events is not polled: a query for the newest event alone tells when to load it again. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap, type AnswerOf } from '../api/client.ts';

export type Event = AnswerOf<'Event'>;

/** URL parameters that select events. */
export type EventSearch = Partial<
  Record<'event' | 'distinct_id' | 'person_id' | 'after' | 'before' | 'cursor', string | undefined>
>;

export const FILTERS = ['event', 'distinct_id', 'person_id', 'after', 'before'] as const;
const PAGE_SIZE = 50;
const POLL_MS = 2_000;
/** Pauses at least four times as long as the last search took, because a filter with few matches reads many events. */
const PAUSE_PER_SEARCH = 4;

function fetchPage(project_id: number, search: EventSearch, limit: number, signal: AbortSignal) {
  const filters = Object.entries(search).filter(([, value]) => value !== undefined);
  const query = { ...(Object.fromEntries(filters) as Record<string, string>), limit };
  return unwrap(api.GET('/api/environments/{project_id}/events/', { params: { path: { project_id }, query }, signal }));
}

export function eventsQuery(projectId: number, search: EventSearch) {
  return queryOptions({
    queryKey: ['events', projectId, 'list', search],
    queryFn: ({ signal }) => fetchPage(projectId, search, PAGE_SIZE, signal),
    placeholderData: keepPreviousData,
  });
}

/** Polls for the newest event only. */
export function headQuery(projectId: number, search: EventSearch, isOn: boolean) {
  return queryOptions({
    queryKey: ['events', projectId, 'head', search],
    async queryFn({ signal }) {
      const started = performance.now();
      const { results } = await fetchPage(projectId, search, 1, signal);
      return { id: results[0]?.id, tookMs: performance.now() - started };
    },
    enabled: isOn,
    refetchInterval: ({ state: { data, status } }) =>
      status === 'error' ? false : Math.max(POLL_MS, PAUSE_PER_SEARCH * (data?.tookMs ?? 0)),
    structuralSharing: false,
    staleTime: 0,
  });
}

/** @returns the cursor of a link to a neighbouring page */
export const cursorOf = (link: string | null): string | undefined =>
  link === null ? undefined : (new URL(link).searchParams.get('cursor') ?? undefined);
