/** A run and its log, as the API has them; what is open is asked for again. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, done } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type Run = components['schemas']['BatchExportRun'];
export type RunError = NonNullable<Run['error']>;
export type LogEntry = components['schemas']['LogEntry'];

/** Where a run is. */
export type RunPlace = { projectId: number; exportId: string; runId: string };

const pathOf = ({ projectId, exportId, runId }: RunPlace) => ({
  path: { project_id: projectId, batch_export_id: exportId, id: runId },
});

const OPEN: readonly Run['status'][] = ['Starting', 'Running'];
export const isOpen = ({ status }: Pick<Run, 'status'>) => OPEN.includes(status);

export const runQuery = (place: RunPlace) =>
  queryOptions({
    queryKey: ['runs', place],
    queryFn: ({ signal }) =>
      done(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/', {
          params: pathOf(place),
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? 2_000 : false),
  });

export const exportQuery = ({ projectId, exportId }: Pick<RunPlace, 'projectId' | 'exportId'>) =>
  queryOptions({
    queryKey: ['exports', projectId, exportId],
    queryFn: ({ signal }) =>
      done(
        api.GET('/api/environments/{project_id}/batch_exports/{id}/', {
          params: { path: { project_id: projectId, id: exportId } },
          signal,
        }),
      ),
  });

export type LogFilter = { level?: string; text?: string };

/** Entries of a page: the most that the API gives. */
const PAGE = 500;

/** Newest first, page by page. */
export const logQuery = (place: RunPlace, { level, text }: LogFilter, isFollowed: boolean) =>
  infiniteQueryOptions({
    queryKey: ['logs', place, level, text],
    queryFn: ({ pageParam, signal }) =>
      done(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/logs/', {
          params: {
            ...pathOf(place),
            query: { limit: PAGE, offset: pageParam, ...(level && { level: [level] }), ...(text && { search: text }) },
          },
          signal,
        }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }, pages) => (next === null ? undefined : pages.length * PAGE),
    refetchInterval: isFollowed ? 2_000 : false,
  });

/** Delivers the run's interval once more. */
export function retry(place: RunPlace): Promise<unknown> {
  return done(
    api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/', {
      params: pathOf(place),
    }),
  );
}

export function cancel(place: RunPlace): Promise<unknown> {
  return done(
    api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/cancel/', {
      params: pathOf(place),
    }),
  );
}
