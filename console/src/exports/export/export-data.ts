import { queryOptions } from '@tanstack/react-query';
import { api, done } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/liveness.ts';
import { exportKeys } from '../query-keys.ts';

export type ExportBody = components['schemas']['BatchExport'];

export function exportQuery(projectId: number, exportId: string) {
  return queryOptions({
    queryKey: exportKeys.one(projectId, exportId),
    queryFn: ({ signal }) =>
      done(
        api.GET('/api/environments/{project_id}/batch_exports/{id}/', {
          params: { path: { project_id: projectId, id: exportId } },
          signal,
        }),
      ),
    refetchInterval: () => pollMs(15_000),
  });
}
