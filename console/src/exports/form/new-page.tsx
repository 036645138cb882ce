import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, done } from '../../api/client.ts';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { exportKeys } from '../query-keys.ts';
import { destinationTypesQuery, initialConfig } from './destination-types.ts';
import { ExportForm, type ExportFields } from './export-form.tsx';
import styles from './form.module.css';

const route = getRouteApi('/inside/project/$projectId/exports/new');
export function NewExportPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const types = useQuery(destinationTypesQuery(projectId));
  if (types.isPending) return <Skeleton rows={8} label="Loading the form" />;
  if (types.isError) return <Failure error={types.error} onRetry={() => void types.refetch()} />;
  const [first] = types.data;

  async function create(fields: ExportFields) {
    const created = await done(
      api.POST('/api/environments/{project_id}/batch_exports/', {
        params: { path: { project_id: projectId } },
        body: fields,
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
        types={types.data}
        submit="Create"
        onSubmit={create}
        initial={{
          name: '',
          model: 'events',
          interval: 'hour',
          destination: { type: first?.type ?? '', config: first ? { ...initialConfig(first) } : {} },
        }}
      />
    </main>
  );
}
