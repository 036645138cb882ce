/** Levels of access to exports, so that pages offer nothing that the server refuses. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { exportQuery } from './export/export-data.ts';
import { exportKeys } from './query-keys.ts';

type Level = components['schemas']['BatchExport']['user_access_level'];

export const isEditor = (level: Level): boolean => level === 'editor' || level === 'manager';

const mayCreateQuery = (projectId: number) =>
  queryOptions({
    queryKey: [...exportKeys.all(projectId), 'may create'] as const,
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId }, query: { limit: 1 } };
      const page = await unwrap(api.GET('/api/environments/{project_id}/batch_exports/overview/', { params, signal }));
      return isEditor(page.user_access_level);
    },
    // Rules about access change seldom, and the server has the last word.
    staleTime: 60_000,
    meta: { live: false },
  });

/** Whether the viewer may make exports. Undefined while loading; true if the request failed, because the server still refuses what is not allowed. */
export function useMayCreate(projectId: number): boolean | undefined {
  const { data, isError } = useQuery(mayCreateQuery(projectId));
  return data ?? (isError || undefined);
}

/** Whether the viewer may change the export; undefined and true as for `useMayCreate`. */
export function useMayEdit(projectId: number, exportId: string): boolean | undefined {
  const { data, isError } = useQuery(exportQuery(projectId, exportId));
  return data ? isEditor(data.user_access_level) : isError || undefined;
}
