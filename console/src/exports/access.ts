/** Levels of access to exports, so that pages offer nothing that the server refuses. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, done } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { exportKeys } from './query-keys.ts';

type Level = components['schemas']['BatchExportOverview']['user_access_level'];

export const isEditor = (level: Level): boolean => level === 'editor' || level === 'manager';

/** @param exportId absent: for exports in general, as whoever makes one needs it */
const mayEditQuery = (projectId: number, exportId?: string) =>
  queryOptions({
    queryKey: [...exportKeys.all(projectId), 'may edit', exportId] as const,
    queryFn: async ({ signal }) => {
      const page = await done(
        api.GET('/api/environments/{project_id}/batch_exports/overview/', {
          params: { path: { project_id: projectId }, query: { search: exportId ?? '', limit: exportId ? 10 : 1 } },
          signal,
        }),
      );
      if (exportId === undefined) return isEditor(page.user_access_level);
      // Others may carry this one's id in their names.
      const one = page.results.find(({ id }) => id === exportId);
      return one ? isEditor(one.user_access_level) : true;
    },
    // Rules about access change seldom, and the server has the last word.
    staleTime: 60_000,
    meta: { live: false },
  });

/** @returns undefined while unknown; true where it cannot be known, because the server refuses then */
export function useMayEdit(projectId: number, exportId?: string): boolean | undefined {
  const { data, isError } = useQuery(mayEditQuery(projectId, exportId));
  return data ?? (isError || undefined);
}
