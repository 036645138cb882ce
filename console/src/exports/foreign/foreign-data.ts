/** Deliveries of another timeline that wait for a decision, and the decision. */
import { queryOptions } from '@tanstack/react-query';
import { api, done } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { exportKeys } from '../query-keys.ts';

export type ForeignDelivery = components['schemas']['ForeignDelivery'];
export type Side = 'theirs' | 'ours';

export const foreignQuery = (projectId: number, exportId: string) =>
  queryOptions({
    // Changes of intervals refresh it.
    queryKey: [...exportKeys.intervals(projectId, exportId), 'foreign'] as const,
    queryFn: async ({ signal }) => {
      const { results } = await done(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/foreign_deliveries/', {
          params: { path: { project_id: projectId, batch_export_id: exportId } },
          signal,
        }),
      );
      return results;
    },
  });

/** @throws ApiError 409 when a run of the interval is under way */
export function decide(projectId: number, exportId: string, id: string, side: Side): Promise<unknown> {
  return done(
    api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/foreign_deliveries/{id}/accept/', {
      params: { path: { project_id: projectId, batch_export_id: exportId, id } },
      body: { side },
    }),
  );
}
