import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { api, ApiError, done } from '../../api/client.ts';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { exportKeys } from '../query-keys.ts';
import { failedQuery, retryFailed } from '../run/run-data.ts';
import { countIntervals } from '../words/cadence.ts';
import { destinationTypesQuery } from './destination-types.ts';
import { ExportForm, type ExportFields } from './export-form.tsx';
import styles from './form.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId/edit');

/** Changes an export, unless it was changed by another person since it was loaded. */
export function EditExportPage() {
  const { projectId, exportId } = route.useParams();
  const { field } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const path = { project_id: projectId, id: exportId };
  const loaded = useQuery({
    queryKey: ['export-form', projectId, exportId],
    async queryFn({ signal }) {
      const answer = api.GET('/api/environments/{project_id}/batch_exports/{id}/', { params: { path }, signal });
      return { body: await done(answer), etag: (await answer).response.headers.get('ETag') };
    },
    // The form must not change while it is edited.
    staleTime: Infinity,
    gcTime: 0,
  });
  const version = useRef<string | null>(null);
  const failed = useQuery({ ...failedQuery({ projectId, exportId }), staleTime: Infinity });
  const types = useQuery(destinationTypesQuery(projectId));
  if (loaded.isPending || types.isPending) return <Skeleton rows={8} label="Loading the export" />;
  if (loaded.isError) return <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />;
  if (types.isError) return <Failure error={types.error} onRetry={() => void types.refetch()} />;
  const { body } = loaded.data;
  const count = failed.data?.canEdit ? failed.data.count : 0;

  async function change({ name, interval, destination }: ExportFields, isRetried: boolean) {
    const etag = version.current ?? loaded.data?.etag;
    const answer = api.PATCH('/api/environments/{project_id}/batch_exports/{id}/', {
      params: { path },
      body: { name, interval, destination },
      ...(etag && { headers: { 'If-Match': etag } }),
    });
    await done(answer).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 412) throw new ApiError(412, { detail: CHANGED });
      throw error;
    });
    // Saved: if the retry fails, the form is sent again over its own change.
    version.current = (await answer).response.headers.get('ETag');
    if (isRetried) await retryFailed(projectId, exportId);
    await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
    await queries.invalidateQueries({ queryKey: exportKeys.one(projectId, exportId) });
    await navigate({ to: '/project/$projectId/exports/$exportId', params: { projectId, exportId } });
  }

  return (
    <main className={styles.page}>
      <h1>Edit {body.name}</h1>
      <ExportForm
        projectId={projectId}
        schedule={{ timezone: body.timezone, offset_day: body.offset_day, offset_hour: body.offset_hour }}
        exportId={exportId}
        types={types.data}
        field={field}
        submit="Save"
        {...(count > 0 && { submitAndRetry: `Save and retry ${countIntervals(count, body.interval)}` })}
        onSubmit={change}
        initial={{
          name: body.name,
          model: body.model,
          interval: body.interval,
          destination: { type: body.destination.type, config: { ...body.destination.config } },
        }}
      />
    </main>
  );
}

const CHANGED =
  'Somebody has changed this export since you opened it. Copy what you typed, load the page again and compare.';
