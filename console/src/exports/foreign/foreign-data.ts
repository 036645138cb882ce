/** Deliveries of another timeline that wait for a decision, and the decision. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { ExportPath } from '../addresses.ts';
import { exportKeys } from '../query-keys.ts';

export type ForeignDelivery = components['schemas']['ForeignDelivery'];
export type Side = 'theirs' | 'ours';

/** Deliveries of a page, as the API limits it. */
const PAGE = 100;

type Query = { signal: AbortSignal };

/** @param after the end of an interval: only later ones are returned, the oldest first */
async function fetchPageAfter(projectId: number, exportId: string, after: string | undefined, { signal }: Query) {
  const { results } = await unwrap(
    api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/foreign_deliveries/', {
      params: {
        path: { project_id: projectId, batch_export_id: exportId },
        query: after === undefined ? {} : { after },
      },
      signal,
    }),
  );
  return results;
}

// Both queries have this key, so changes of intervals refresh them.
const keyOf = (projectId: number, exportId: string) =>
  [...exportKeys.intervals(projectId, exportId), 'foreign'] as const;

/** All deliveries of an export, page by page. */
export const foreignQuery = (projectId: number, exportId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(projectId, exportId),
    queryFn: ({ pageParam, signal }) => fetchPageAfter(projectId, exportId, pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.data_interval_end),
  });

/** The delivery of one interval; null if none waits. */
export const foreignOfQuery = (projectId: number, exportId: string, { start, end }: { start: string; end: string }) =>
  queryOptions({
    queryKey: [...keyOf(projectId, exportId), 'of', start] as const,
    queryFn: async ({ signal }) => {
      const found = await fetchPageAfter(projectId, exportId, start, { signal });
      return found.find((one) => Date.parse(one.data_interval_end) === Date.parse(end)) ?? null;
    },
  });

/** Rows of the interval in this database, as its newest run counted them; null if none has. */
export const ourRowsQuery = ({ projectId, exportId }: ExportPath, theirs: ForeignDelivery) =>
  queryOptions({
    queryKey: [...keyOf(projectId, exportId), 'rows', theirs.id] as const,
    queryFn: async ({ signal }) => {
      const { results } = await unwrap(
        api.GET('/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/', {
          params: {
            path: { project_id: projectId, batch_export_id: exportId },
            query: {
              ordering: '-data_interval_start',
              start: theirs.data_interval_start,
              end: theirs.data_interval_end,
            },
          },
          signal,
        }),
      );
      const counted = results.filter((run) => run.records_total_count !== null);
      return counted.toSorted((a, b) => b.created_at.localeCompare(a.created_at))[0]?.records_total_count ?? null;
    },
  });

/** @throws ApiError 409 when a run of the interval is under way */
export function decide(projectId: number, exportId: string, id: string, side: Side): Promise<unknown> {
  return unwrap(
    api.POST('/api/environments/{project_id}/batch_exports/{batch_export_id}/foreign_deliveries/{id}/accept/', {
      params: { path: { project_id: projectId, batch_export_id: exportId, id } },
      body: { side },
    }),
  );
}
