/** Requests about a run; open runs are polled. */
import { queryOptions } from '@tanstack/react-query';
import { api, ApiError, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/liveness.ts';
import { exportKeys } from '../query-keys.ts';

export type Run = components['schemas']['BatchExportRun'];

/** The ids that locate a run. */
export type RunIds = { projectId: number; exportId: string; runId: string };

/** Path parameters of a run. */
export const runParams = ({ projectId, exportId, runId }: RunIds) => ({
  path: { project_id: projectId, batch_export_id: exportId, id: runId },
});

const OPEN: readonly Run['status'][] = ['Starting', 'Running'];
export const isOpen = ({ status }: Pick<Run, 'status'>) => OPEN.includes(status);

export const runQuery = (runIds: RunIds) =>
  queryOptions({
    queryKey: ['runs', runIds],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/', {
          params: runParams(runIds),
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? pollMs(2_000) : false),
  });

export type Attempt = components['schemas']['RunAttempt'];

export const attemptsQuery = (runIds: RunIds, isOpen: boolean) =>
  queryOptions({
    queryKey: ['runs', runIds, 'attempts', isOpen],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/attempts/', {
          params: runParams(runIds),
          signal,
        }),
      ),
    refetchInterval: isOpen ? 2_000 : false,
  });

export const progressQuery = (runIds: RunIds) =>
  queryOptions({
    queryKey: ['runs', runIds, 'progress'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/progress/', {
          params: runParams(runIds),
          signal,
        }),
      ),
    refetchInterval: 1_000,
  });

/** Delivers the run's interval once more. */
export function retry(runIds: RunIds): Promise<unknown> {
  return unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/', {
      params: runParams(runIds),
    }),
  );
}

export function cancel(runIds: RunIds): Promise<unknown> {
  return unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/cancel/', {
      params: runParams(runIds),
    }),
  );
}

type ExportPlace = Pick<RunIds, 'projectId' | 'exportId'>;

type Retry = { intervals: number; backfill: string | null };

async function requestRetry({ projectId, exportId }: ExportPlace, isDryRun: boolean): Promise<Retry> {
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

/** Counts the intervals that `retryFailed` would request, for editors. */
export const retriableQuery = (of: ExportPlace) =>
  queryOptions({
    queryKey: [...exportKeys.all(of.projectId), 'retriable', of.exportId] as const,
    queryFn: async () => (await requestRetry(of, true)).intervals,
  });

/** Requests a run for each failed interval of an export, except those that wait for a decision. @throws ApiError */
export const retryFailed = (of: ExportPlace): Promise<Retry> => requestRetry(of, false);
