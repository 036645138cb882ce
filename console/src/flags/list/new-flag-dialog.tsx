import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { api, ApiError, unwrap, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { PercentField } from '../percent-field.tsx';

/** Creates a flag that is on for a percentage of everybody; its page has the other settings. */
export function NewFlagDialog({ projectId, onClose }: { projectId: number; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const [percent, setPercent] = useState(0);
  const creating = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/api/environments/{project_id}/feature_flags/', {
          params: { path: { project_id: projectId } },
          body: { key, name, filters: { groups: [{ properties: [], rollout_percentage: percent }] } },
        }),
      ),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: ['flags', projectId, 'list'] });
      await navigate({ to: '/project/$projectId/flags/$flagId', params: { projectId, flagId: id } });
    },
  });
  const { error } = creating;
  const at = (attr: string) => (error instanceof ApiError && error.attr === attr ? error.message : undefined);
  return (
    <Dialog title="New flag" isOpen onClose={onClose}>
      <Form
        style={{ display: 'grid', gap: 12 }}
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate();
        }}
      >
        <TextField
          label="Key"
          description="The name that programs use: letters, digits, - and _."
          value={key}
          onChange={setKey}
          error={at('key')}
          isRequired
          autoFocus
          mono
        />
        <TextField label="Description" value={name} onChange={setName} error={at('name')} />
        <PercentField
          label="Of everybody"
          description="0 means that nobody gets it. Add conditions on the flag’s page."
          value={percent}
          onChange={setPercent}
        />
        {error && at('key') === undefined && at('name') === undefined && <p role="alert">{messageOf(error)}</p>}
        <Actions>
          <Button kind="primary" type="submit" isPending={creating.isPending}>
            Create it
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
