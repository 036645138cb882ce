/** A project's keys: the public one, which events are sent with, and the secret ones, which act as the project. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ApiError, done, messageOf } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { Copy } from '../look/copy.tsx';
import { Actions, Dialog } from '../look/dialog.tsx';
import { Failure, Skeleton } from '../look/notes.tsx';
import { PageHead } from '../look/page-head.tsx';
import { showNotice } from '../look/notice.tsx';
import { projectKeys } from './keys/keys-data.ts';
import { KeySection } from './keys/key-section.tsx';
import { SettingsNav } from './settings-nav.tsx';
import styles from './settings.module.css';

const route = getRouteApi('/inside/project/$projectId/settings');

export function ProjectPage() {
  const { projectId } = route.useParams();
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: ({ signal }) =>
      done(api.GET('/api/projects/{project_id}/', { params: { path: { project_id: String(projectId) } }, signal })),
  });
  const keys = projectKeys(projectId);
  // Only admins may see secret keys; the server decides who is one.
  const mayLook = useQuery({ queryKey: keys.queryKey, queryFn: ({ signal }) => keys.list(signal) });
  const isRefused = mayLook.error instanceof ApiError && mayLook.error.status === 403;
  return (
    <main>
      <SettingsNav />
      {project.isPending && <Skeleton rows={3} />}
      {project.isError && <Failure error={project.error} onRetry={() => void project.refetch()} />}
      {project.data && <PublicKey projectId={projectId} name={project.data.name} token={project.data.api_token} />}
      {isRefused ? (
        <section className={styles.section} aria-label="Secret keys">
          <h2>Secret keys</h2>
          <p className={styles.note}>Admins of the project see and make its secret keys. {messageOf(mayLook.error)}</p>
        </section>
      ) : (
        <KeySection
          key={projectId}
          title="Secret keys"
          keys={keys}
          isPersonal={false}
          empty="The project has no secret key. Servers use one to evaluate flags, and jobs that outlast the people who set them up."
        />
      )}
    </main>
  );
}

function PublicKey({ projectId, name, token }: { projectId: number; name: string; token: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section className={styles.section} aria-label="Public key">
      <PageHead title={name} />
      <p className={styles.note}>
        The public key is for SDKs: it captures events and decides flags, and shows nothing. It may stand in the source
        of a page.
      </p>
      <div className={styles.secret}>
        <code className="id">{token}</code>
        <Copy text={token} kind="plain">
          Copy
        </Copy>
        <Button kind="quiet" onPress={() => setAsking(true)}>
          Replace it
        </Button>
      </div>
      {isAsking && <ReplaceDialog projectId={projectId} onClose={() => setAsking(false)} />}
    </section>
  );
}

function ReplaceDialog({ projectId, onClose }: { projectId: number; onClose: () => void }) {
  const queries = useQueryClient();
  const replacing = useMutation({
    mutationFn: () =>
      done(api.PATCH('/api/environments/{project_id}/reset_token/', { params: { path: { project_id: projectId } } })),
    async onSuccess() {
      await Promise.all([['project', projectId], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      showNotice({ text: 'The project has a new public key.' });
      onClose();
    },
  });
  return (
    <Dialog title="Replace the public key" isOpen onClose={onClose}>
      <p>Events and flag requests with the old key are refused from now on, until every SDK has the new one.</p>
      {replacing.error && (
        <p role="alert" className={styles.error}>
          {messageOf(replacing.error)}
        </p>
      )}
      <Actions>
        <Button kind="danger" isPending={replacing.isPending} onPress={() => replacing.mutate()}>
          Replace it
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
