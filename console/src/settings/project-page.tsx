/** A project's keys: the public one, which events are sent with, and the secret ones, which act as the project. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ApiError, unwrap } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { Copy } from '../look/copy.tsx';
import { FormDialog } from '../look/dialog.tsx';
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
      unwrap(api.GET('/api/projects/{project_id}/', { params: { path: { project_id: String(projectId) } }, signal })),
  });
  const keys = projectKeys(projectId);
  // Only admins may see secret keys and replace the public one; the server decides who is an admin.
  const secret = useQuery({ queryKey: keys.queryKey, queryFn: ({ signal }) => keys.list(signal) });
  const isRefused = secret.error instanceof ApiError && secret.error.status === 403;
  return (
    <main>
      <SettingsNav />
      {project.isPending && <Skeleton rows={3} />}
      {project.isError && <Failure error={project.error} onRetry={() => void project.refetch()} />}
      {project.data && (
        <PublicKey
          projectId={projectId}
          name={project.data.name}
          token={project.data.api_token}
          isAdmin={secret.isSuccess}
        />
      )}
      {/* The public key would move what is below it. */}
      {project.isPending ? null : isRefused ? (
        <section className={styles.section} aria-label="Secret keys">
          <h2>Secret keys</h2>
          <p className={styles.note}>
            Only admins of the project can see and create its secret keys, or replace its public key.
          </p>
        </section>
      ) : (
        <KeySection
          key={projectId}
          title="Secret keys"
          keys={keys}
          isPersonal={false}
          empty="This project has no secret keys. Use one for a server that evaluates flags, or for a job that must keep working when the person who set it up leaves."
        />
      )}
    </main>
  );
}

type PublicKeyProps = { projectId: number; name: string; token: string; isAdmin: boolean };

function PublicKey({ projectId, name, token, isAdmin }: PublicKeyProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <section className={styles.section} aria-label="Public key">
      <PageHead title={name} />
      <p className={styles.note}>
        SDKs use the public key to send events and evaluate flags. It reads no data, so it can be part of a web page.
      </p>
      <div className={styles.value}>
        <code className="id">{token}</code>
        <Copy text={token} kind="plain">
          Copy
        </Copy>
        {isAdmin && (
          <Button kind="quiet" onPress={() => setAsking(true)}>
            Replace
          </Button>
        )}
      </div>
      {isAsking && <ReplaceDialog projectId={projectId} name={name} onClose={() => setAsking(false)} />}
    </section>
  );
}

function ReplaceDialog({ projectId, name, onClose }: { projectId: number; name: string; onClose: () => void }) {
  const queries = useQueryClient();
  const replacing = useMutation({
    mutationFn: () =>
      unwrap(api.PATCH('/api/environments/{project_id}/reset_token/', { params: { path: { project_id: projectId } } })),
    async onSuccess() {
      await Promise.all([['project', projectId], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey })));
      showNotice({ text: `${name} has a new public key.` });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Replace the public key of ${name}`}
      action="Replace key"
      kind="danger"
      request={replacing}
      onSubmit={() => replacing.mutate()}
      onClose={onClose}
    >
      <p>
        The old key stops working within seconds. Every SDK that still uses it gets 401 for events and flags until it
        has the new key. This cannot be undone.
      </p>
    </FormDialog>
  );
}
