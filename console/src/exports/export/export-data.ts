import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/live-state.ts';
import { exportKeys } from '../query-keys.ts';

export type ExportBody = components['schemas']['BatchExport'];

export type PauseRequest = components['schemas']['NewPause'];

export function pause(projectId: number, exportId: string, notes: PauseRequest): Promise<unknown> {
  return unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/{id}/pause/', {
      params: { path: { project_id: projectId, id: exportId } },
      body: notes,
    }),
  );
}

export function exportQuery(projectId: number, exportId: string) {
  return queryOptions({
    queryKey: exportKeys.one(projectId, exportId),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{id}/', {
          params: { path: { project_id: projectId, id: exportId } },
          signal,
        }),
      ),
    refetchInterval: () => pollMs(15_000),
  });
}
