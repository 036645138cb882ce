/** Requests that deliver failed and retrying intervals of an export with its present settings. */
import { queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { ExportPath } from '../addresses.ts';
import { exportKeys } from '../query-keys.ts';

type Options = Pick<components['schemas']['BulkAction'], 'dry_run' | 'plan'>;

async function requestRetry({ projectId, exportId }: ExportPath, options: Options) {
  const { results } = await unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/bulk/', {
      params: { path: { project_id: projectId } },
      body: { action: 'retry_failed', ids: [exportId], include_retrying: true, ...options },
    }),
  );
  const result = results[0]!;
  if (result.error) throw new ApiError(400, result.error);
  return result;
}

/** The plan of a retry: the intervals that `retryAll` would deliver with it, and how many of them have a run in progress. For editors. */
export const retriableQuery = (path: ExportPath) =>
  queryOptions({
    queryKey: [...exportKeys.all(path.projectId), 'retriable', path.exportId] as const,
    queryFn: async () => {
      const { intervals, retrying, plan } = await requestRetry(path, { dry_run: true });
      return { total: intervals ?? 0, retrying: retrying ?? 0, plan: plan ?? '' };
    },
  });

/**
 * Requests a run for each interval of the plan, after ending the runs in progress whose attempts fail.
 * @throws ApiError with the code `conflict` if other intervals are to be retried now; nothing is requested then
 */
export async function retryAll(
  path: ExportPath,
  plan: string,
): Promise<{ intervals: number; backfill: string | null }> {
  const { intervals, backfill_id } = await requestRetry(path, { plan });
  return { intervals: intervals ?? 0, backfill: backfill_id };
}
