import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client.ts';
import { Copy } from '../look/copy.tsx';
import { Failure, Skeleton } from '../look/notes.tsx';
import styles from './events.module.css';

/** Shown until a project has an event: the command that sends one. The event then appears automatically. */
export function SendFirstEvent({ projectId }: { projectId: number }) {
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/projects/{project_id}/', { params: { path: { project_id: String(projectId) } }, signal })),
  });
  if (project.isPending) return <Skeleton rows={3} />;
  if (project.isError) return <Failure error={project.error} onRetry={() => void project.refetch()} />;
  const body = JSON.stringify({ api_key: project.data.api_token, event: 'hello', distinct_id: 'me' });
  const command = `curl -sS '${location.origin}/capture/' \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  return (
    <div className={styles.empty}>
      <p>No events yet. This command sends one, with the public key of the project. It appears here automatically.</p>
      <pre>{command}</pre>
      <div>
        <Copy text={command} kind="plain">
          Copy
        </Copy>
      </div>
    </div>
  );
}
