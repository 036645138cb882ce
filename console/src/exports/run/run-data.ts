/** Requests about a run; open runs are polled. */
import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { pollMs } from '../../live/live-state.ts';

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
