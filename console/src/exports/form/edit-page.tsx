import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, ApiError, unwrap } from '../../api/client.ts';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { showNotice } from '../../look/notice.tsx';
import { exportKeys } from '../query-keys.ts';
import { retriableQuery } from '../run/retry-data.ts';
import { countIntervals } from '../words/cadence.ts';
import { offerQuery } from './destination-types.ts';
import { differencesBetween } from './differences.ts';
import { draftOf, fieldsOf, patchBody } from './draft.ts';
import { changesRuns, oldSettingsWords } from './effects.tsx';
import { retryPlanned } from '../run/retry-notice.tsx';
import { ChangedMeanwhile, ExportForm, type Saved, type Submission } from './export-form.tsx';
import styles from './form.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId/edit');

type FieldFailure = { field: string | null; detail: string };

/** Turns a failure into a refusal, which the form shows at its field. */
function failureOf(error: FieldFailure | null): ApiError | undefined {
  return error?.field ? new ApiError(0, { detail: error.detail, attr: error.field }) : undefined;
}

/** Edits an export. If another person has saved it since it was loaded, the form shows both edits instead of saving. */
export function EditExportPage() {
  const { projectId, exportId } = route.useParams();
  const { field, run } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const path = { project_id: projectId, id: exportId };
  const load = async (signal?: AbortSignal): Promise<Saved> => {
    const answer = api.GET('/api/environments/{project_id}/batch_exports/{id}/', {
      params: { path },
      ...(signal && { signal }),
    });
    const saved = await unwrap(answer);
    return {
      draft: draftOf(saved),
      etag: (await answer).response.headers.get('ETag'),
      failure: failureOf(saved.error),
    };
  };
  const loaded = useQuery({
    queryKey: ['export-form', projectId, exportId],
    queryFn: ({ signal }) => load(signal),
    // The form must not change while it is edited.
    staleTime: Infinity,
    gcTime: 0,
  });
  const retriable = useQuery({ ...retriableQuery({ projectId, exportId }), staleTime: Infinity });
  const offer = useQuery(offerQuery(projectId));
  if (loaded.isPending || offer.isPending) return <Skeleton rows={8} label="Loading the export" />;
  if (loaded.isError) return <Failure error={loaded.error} onRetry={() => void loaded.refetch()} />;
  if (offer.isError) return <Failure error={offer.error} onRetry={() => void offer.refetch()} />;
  const { draft } = loaded.data;
  const type = offer.data.types.find((one) => one.type === draft.destination.type);
  const { total: count, retrying, plan } = retriable.data ?? { total: 0, retrying: 0, plan: '' };
  const oldRuns = retrying > 0 ? oldSettingsWords(countIntervals(retrying, draft.interval)) : undefined;

  async function saveExport({ fields, base, retries, onSaved }: Submission) {
    const answer = api.PATCH('/api/environments/{project_id}/batch_exports/{id}/', {
      params: { path },
      body: patchBody(fieldsOf(base.draft, type), fields, type),
      ...(base.etag && { headers: { 'If-Match': base.etag } }),
    });
    const saved = await unwrap(answer).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.status === 412) throw new ChangedMeanwhile(await load());
      throw error;
    });
    onSaved({ draft: draftOf(saved), etag: (await answer).response.headers.get('ETag') });
    const to = { projectId, exportId };
    const retry = retries ? await retryPlanned({ queries, of: to, interval: draft.interval, plan }) : undefined;
    await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
    await queries.invalidateQueries({ queryKey: exportKeys.one(projectId, exportId) });
    await queries.invalidateQueries({ queryKey: ['runs'] });
    const differences = differencesBetween(fieldsOf(base.draft, type), fields, type);
    const changes = differences.map(({ what }) => what);
    showNotice({
      text: (
        <>
          {changes.length > 0 && `Saved: ${changes.join(', ')}. `}
          {changes.length === 0 && !retry && 'Nothing was changed.'}
          {retry?.text}
          {!retry && oldRuns && changesRuns(differences, type) && `${oldRuns}.`}
        </>
      ),
      link: retry?.link,
    });
    await (run && !retries
      ? navigate({ to: '/project/$projectId/exports/$exportId/runs/$runId', params: { ...to, runId: run } })
      : navigate({ to: '/project/$projectId/exports/$exportId', params: to }));
  }

  return (
    <main className={styles.page}>
      <h1>Edit {draft.name}</h1>
      <ExportForm
        projectId={projectId}
        exportId={exportId}
        offer={offer.data}
        field={field}
        saveLabel="Save"
        {...(count > 0 && { submitAndRetry: `Save and retry ${countIntervals(count, draft.interval)}` })}
        oldRuns={oldRuns}
        onSubmit={saveExport}
        initial={loaded.data}
      />
    </main>
  );
}
