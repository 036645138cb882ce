import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, done } from '../../api/client.ts';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { Time } from '../../look/time.tsx';

const route = getRouteApi('/inside/project/$projectId/exports');

export function ExportsPage() {
  const { projectId } = route.useParams();
  const exports = useQuery({
    queryKey: ['exports', projectId],
    queryFn: ({ signal }) =>
      done(
        api.GET('/api/environments/{project_id}/batch_exports/', {
          params: { path: { project_id: projectId } },
          signal,
        }),
      ),
  });
  return (
    <main>
      <h1>Exports</h1>
      {exports.isPending && <Skeleton rows={6} />}
      {exports.isError && <Failure error={exports.error} onRetry={() => void exports.refetch()} />}
      {exports.data?.results.length === 0 && (
        <Empty>
          No export yet. An export delivers every interval of events or persons to where you keep your data.
        </Empty>
      )}
      <ul>
        {exports.data?.results.map((one) => (
          <li key={one.id}>
            {one.name} <span className="quiet">{one.destination.type}</span> <Time iso={one.created_at} />
          </li>
        ))}
      </ul>
    </main>
  );
}
