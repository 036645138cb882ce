/** Requests that deliver failed and retrying intervals of an export with its present settings. */
import { queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../api/client.ts';
import type { ExportPath } from '../addresses.ts';
import { exportKeys } from '../query-keys.ts';
import { cancel, isOpen, retry, runParams, type Run, type RunIds } from './run-data.ts';

/** The age of the oldest run in progress that is found. */
const OLDEST = '-90d';
/** Time for which a cancelled run is awaited. */
const MAX_WAIT_MS = 30_000;
const POLL_MS = 500;

type Retry = { intervals: number; backfill: string | null };

async function requestRetry({ projectId, exportId }: ExportPath, isDryRun: boolean): Promise<Retry> {
  const { results } = await unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/bulk/', {
      params: { path: { project_id: projectId } },
      body: { action: 'retry_failed', ids: [exportId], dry_run: isDryRun },
    }),
  );
  const refusal = results[0]?.error;
  if (refusal) throw new ApiError(400, refusal);
  return { intervals: results[0]?.intervals ?? 0, backfill: results[0]?.backfill_id ?? null };
}

/** @returns the runs in progress whose last attempt failed: they keep the settings that they were planned with */
async function listRetrying({ projectId, exportId }: ExportPath): Promise<Run[]> {
  const { results } = await unwrap(
    api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/', {
      params: {
        path: { project_id: projectId, batch_export_id: exportId },
        query: { status: ['Starting', 'Running'], after: OLDEST, limit: 100 },
      },
    }),
  );
  return results.filter(({ error }) => error !== null);
}

/** Counts the intervals that `retryAll` would deliver, and those of them that have a run in progress. For editors. */
export const retriableQuery = (of: ExportPath) =>
  queryOptions({
    queryKey: [...exportKeys.all(of.projectId), 'retriable', of.exportId] as const,
    queryFn: async () => {
      const [failed, retrying] = await Promise.all([requestRetry(of, true), listRetrying(of)]);
      return { retrying: retrying.length, total: failed.intervals + retrying.length };
    },
  });

/**
 * Requests a run for each failed or retrying interval of an export, except those that wait for a decision. Retrying runs are cancelled
 * first. `left`: intervals whose run has not ended in time or has ended in another way meanwhile, or that were not requested again. @throws ApiError
 */
export async function retryAll(of: ExportPath): Promise<Retry & { left: number }> {
  const retrying = await listRetrying(of);
  const failed = await requestRetry(of, false);
  // One that fails must not keep the others from being retried.
  const again = await Promise.allSettled(retrying.map(({ id }) => cancelAndRetry({ ...of, runId: id })));
  const count = again.filter((one) => one.status === 'fulfilled' && one.value).length;
  return { ...failed, intervals: failed.intervals + count, left: again.length - count };
}

/** @returns whether the run was cancelled in time, and its interval requested again */
async function cancelAndRetry(runIds: RunIds): Promise<boolean> {
  try {
    await cancel(runIds);
  } catch (error) {
    // The run has ended meanwhile.
    if (error instanceof ApiError && error.status === 400) return false;
    throw error;
  }
  for (const until = Date.now() + MAX_WAIT_MS; Date.now() < until;) {
    const { status } = await getRun(runIds);
    if (status === 'Cancelled') {
      await retry(runIds);
      return true;
    }
    if (!isOpen({ status })) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

const getRun = (runIds: RunIds): Promise<Run> =>
  unwrap(
    api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/', { params: runParams(runIds) }),
  );
