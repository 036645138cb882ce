/** A project without exports: how to begin, with example events or with your own. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ApiError, unwrap, messageOf } from '../../api/client.ts';
import { Button, ButtonLink } from '../../look/button.tsx';
import { Actions } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Form } from '../../look/edits/form.tsx';
import { Empty, Failure } from '../../look/notes.tsx';
import { newExportAddress } from '../addresses.ts';
import { exportKeys } from '../query-keys.ts';
import { EXAMPLE_MORNING, loadExampleMorning } from './example-morning.ts';
import styles from './list.module.css';

export function EmptyProject({ projectId }: { projectId: number }) {
  const load = useMutation({ mutationFn: () => loadExampleMorning(projectId) });
  if (load.isSuccess) return <FolderExport projectId={projectId} events={load.data} />;
  return (
    <>
      <Empty
        action={
          <Actions>
            <ButtonLink kind="primary" to={newExportAddress(projectId)}>
              New export
            </ButtonLink>
            <Button isPending={load.isPending} onPress={() => load.mutate()}>
              Load the example morning
            </Button>
          </Actions>
        }
      >
        No exports yet. An export delivers every interval of events or persons to where you keep your data. If you have
        no data yet, start with the example: fifty events of a coffee shop, delivered to a folder as three hourly
        intervals.
      </Empty>
      {load.isError && <Failure error={load.error} onRetry={() => load.mutate()} />}
    </>
  );
}

const FIELDS = { name: 'name', directory: 'destination__config__directory' };

function FolderExport({ projectId, events }: { projectId: number; events: number }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('Coffee shop');
  const [directory, setDirectory] = useState('coffee');
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/environments/{project_id}/batch_exports/', {
          params: { path: { project_id: projectId } },
          body: {
            name,
            interval: 'hour',
            destination: { type: 'LocalFile', config: { directory, compression: 'gzip' } },
          },
        }),
      ),
    async onSuccess({ id }) {
      await navigate({
        to: '/project/$projectId/exports/$exportId',
        params: { projectId, exportId: id },
        search: EXAMPLE_MORNING,
      });
      await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
    },
  });
  const attr = create.error instanceof ApiError ? create.error.attr : null;
  const errorAt = (field: string) => (attr === field ? messageOf(create.error) : undefined);
  const isElsewhere = create.isError && !Object.values(FIELDS).includes(attr ?? '');
  return (
    <Form className={styles.begin!} isPending={create.isPending} onSubmit={() => create.mutate()}>
      <h2>{events} events of the morning of 2 June 2025 are there. Deliver their three hours to a folder.</h2>
      <TextField label="Name" value={name} onChange={setName} isRequired error={errorAt(FIELDS.name)} autoFocus />
      <TextField
        label="Folder"
        description="A subfolder of the export folder on the server. One compressed file per hour."
        value={directory}
        onChange={setDirectory}
        isRequired
        mono
        error={errorAt(FIELDS.directory)}
      />
      {isElsewhere && (
        <div role="alert">
          <p>{messageOf(create.error)}</p>
          <p>
            <Link to={newExportAddress(projectId)}>Choose another destination</Link>
          </p>
        </div>
      )}
      <Actions>
        <Button kind="primary" type="submit" isPending={create.isPending}>
          Create the export
        </Button>
      </Actions>
    </Form>
  );
}
