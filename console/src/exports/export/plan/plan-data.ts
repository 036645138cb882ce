/** Previews of deliveries and their launch: a launch names its preview, so exactly the shown plan runs, or none. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.ts';
import type { components } from '../../../api/schema.d.ts';
import { pollMs } from '../../../live/live-state.ts';
import type { ExportPath } from '../../addresses.ts';
import { exportKeys } from '../../query-keys.ts';
import { isOfCalendar } from '../../words/cadence.ts';
import type { Cadence } from '../layout.ts';

export type Preview = components['schemas']['BackfillPreview'];
export type BackfillRange = { start_at: string; end_at: string; only?: readonly string[] };

/** @param only true: only missing, failed and stale intervals; false: all */
export function backfillRange(cadence: Cadence, start: number, end: number, only: boolean): BackfillRange {
  return {
    start_at: edge(cadence, start),
    end_at: edge(cadence, end),
    ...(only && { only: ['missing', 'failed', 'stale'] }),
  };
}

/** Days, weeks and months are named by the date on which they begin. */
function edge({ interval, timezone }: Cadence, at: number): string {
  if (!isOfCalendar(interval)) return new Date(at).toISOString();
  return new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(at);
}

const PATH = '/api/environments/{project_id}/batch_exports/{batch_export_id}/backfills/';

export function previewQuery(projectId: number, exportId: string, body: BackfillRange | undefined) {
  return queryOptions({
    queryKey: [...exportKeys.intervals(projectId, exportId), 'plan', body] as const,
    queryFn: async ({ signal }) => {
      const params = { path: { project_id: projectId, batch_export_id: exportId } };
      return (await unwrap(api.POST(PATH, { params, body: { ...body!, dry_run: true }, signal }))) as Preview;
    },
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    // A plan that is about to be confirmed must not change under the pointer; the launch reports changes.
    meta: { live: false },
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

/** @returns the id of the backfill @throws ApiError 409 when the plan has changed */
export async function launch(projectId: number, exportId: string, body: BackfillRange, plan: string): Promise<string> {
  const params = { path: { project_id: projectId, batch_export_id: exportId } };
  const answer = await unwrap(api.POST(PATH, { params, body: { ...body, plan } }));
  return 'backfill_id' in answer ? answer.backfill_id : '';
}

export function backfillQuery(projectId: number, exportId: string, id: string | undefined) {
  return queryOptions({
    queryKey: [...exportKeys.backfills(projectId, exportId), id] as const,
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/backfills/{id}/', {
          params: { path: { project_id: projectId, batch_export_id: exportId, id: id! } },
          signal,
        }),
      ),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.error || state.data?.finished_at ? false : pollMs(1_000)),
  });
}

export type Backfill = components['schemas']['Backfill'];

/** The newest hundred runs of a backfill that has ended, as far as no other runs of its range are newer. */
export const backfillRunsQuery = ({ projectId, exportId }: ExportPath, { id, start_at, end_at }: Backfill) =>
  queryOptions({
    queryKey: [...exportKeys.backfills(projectId, exportId), id, 'runs'] as const,
    queryFn: async ({ signal }) => {
      const { results } = await unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/', {
          params: {
            path: { project_id: projectId, batch_export_id: exportId },
            query: { ordering: '-data_interval_start', start: start_at, end: end_at, limit: 100 },
          },
          signal,
        }),
      );
      return results.filter(({ backfill }) => backfill === id);
    },
  });

/** @returns the id of an interval's newest run; null if it has none */
export async function runOf(projectId: number, exportId: string, start: number, end: number): Promise<string | null> {
  const page = await unwrap(
    api.GET('/api/environments/{project_id}/batch_exports/{id}/intervals/', {
      params: {
        path: { project_id: projectId, id: exportId },
        query: { start: new Date(start).toISOString(), end: new Date(end).toISOString(), limit: 1 },
      },
    }),
  );
  return page.results[0]?.run ?? null;
}
