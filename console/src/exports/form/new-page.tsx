import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, done } from '../../api/client.ts';
import { exportKeys } from '../query-keys.ts';
import { ExportForm, type ExportFields } from './export-form.tsx';
import styles from './form.module.css';
import { DESTINATIONS } from './templates.ts';

const route = getRouteApi('/inside/project/$projectId/exports/new');
const FIRST = DESTINATIONS[0]!;
const INITIAL: ExportFields = {
  name: '',
  model: 'events',
  interval: 'hour',
  destination: { type: FIRST.value, config: { ...FIRST.config } },
};

export function NewExportPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const queries = useQueryClient();

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
      <ExportForm initial={INITIAL} isEdit={false} submit="Create" onSubmit={create} />
    </main>
  );
}
