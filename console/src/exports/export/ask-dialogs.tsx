/** Dialogs that ask before an export is unpaused or deleted. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap, messageOf } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { countIntervals } from '../words/cadence.ts';
import type { ExportBody } from './export-data.ts';

type Props = { projectId: number; one: ExportBody; onDone: () => Promise<void>; onClose: () => void };

/** Undefined: not known yet. */
export type MissedIntervals = components['schemas']['MissedIntervals'] | null | undefined;

export function UnpauseDialog({ projectId, one, missed, onDone, onClose }: Props & { missed: MissedIntervals }) {
  const params = { path: { project_id: projectId, id: one.id } };
  const unpause = useMutation({
    mutationFn: (backfill: boolean) =>
      unwrap(api.POST('/api/environments/{project_id}/batch_exports/{id}/unpause/', { params, body: { backfill } })),
    async onSuccess() {
      onClose();
      await onDone();
    },
  });
  return (
    <Dialog title={`Unpause ${one.name}`} isOpen onClose={onClose}>
      <p>
        {missed
          ? `${countIntervals(missed.intervals, one.interval)} ended during the pause and can be delivered now. What is not delivered now stays undelivered until somebody delivers it.`
          : missed === null
            ? 'Delivery resumes with the current interval.'
            : 'Delivery resumes with the current interval. What was missed during the pause is not known yet.'}
      </p>
      {unpause.isError && <p role="alert">{messageOf(unpause.error)}</p>}
      <Actions>
        {missed && (
          <Button kind="primary" isPending={unpause.isPending} onPress={() => unpause.mutate(true)}>
            Unpause and deliver
          </Button>
        )}
        <Button kind={missed ? 'plain' : 'primary'} isPending={unpause.isPending} onPress={() => unpause.mutate(false)}>
          Unpause
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}

export function DeleteDialog({ projectId, one, onDone, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () =>
      unwrap<unknown>(
        api.DELETE('/api/environments/{project_id}/batch_exports/{id}/', {
          params: { path: { project_id: projectId, id: one.id } },
        }),
      ),
    onSuccess: onDone,
  });
  return (
    <Dialog title={`Delete ${one.name}`} isOpen onClose={onClose}>
      <p>Its runs are cancelled. What was delivered stays.</p>
      <TextField label={`Type ${one.name} to delete it`} value={typed} onChange={setTyped} autoFocus />
      {remove.isError && <p role="alert">{messageOf(remove.error)}</p>}
      <Actions>
        <Button
          kind="danger"
          isDisabled={typed !== one.name}
          isPending={remove.isPending}
          onPress={() => remove.mutate()}
        >
          Delete
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
