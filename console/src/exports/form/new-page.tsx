import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, unwrap } from '../../api/client.ts';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { exportKeys } from '../query-keys.ts';
import { initialConfig, offerQuery } from './destination-types.ts';
import { newBody, newDraft } from './draft.ts';
import { ExportForm, type Submission } from './export-form.tsx';
import styles from './form.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/new');
export function NewExportPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const offer = useQuery(offerQuery(projectId));
  if (offer.isPending) return <Skeleton rows={8} label="Loading the form" />;
  if (offer.isError) return <Failure error={offer.error} onRetry={() => void offer.refetch()} />;
  const [first] = offer.data.types;

  async function create({ fields }: Submission) {
    const created = await unwrap(
      api.POST('/api/environments/{project_id}/batch_exports/', {
        params: { path: { project_id: projectId } },
        body: newBody(fields),
      }),
    );
    await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
    await navigate({ to: '/project/$projectId/exports/$exportId', params: { projectId, exportId: created.id } });
  }

  return (
    <main className={styles.page}>
      <h1>New export</h1>
      <ExportForm
        projectId={projectId}
        offer={offer.data}
        saveLabel="Create"
        onSubmit={create}
        initial={{
          draft: newDraft({ type: first?.type ?? '', config: first ? initialConfig(first) : {}, integration: null }),
          etag: null,
        }}
      />
    </main>
  );
}
