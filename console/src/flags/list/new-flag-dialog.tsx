import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, fieldErrorOf, unwrap } from '../../api/client.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { PercentField } from '../percent-field.tsx';

const FIELDS = ['key', 'name'] as const;

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
  const at = (attr: (typeof FIELDS)[number]) => fieldErrorOf(creating.error, attr);
  return (
    <FormDialog
      title="New flag"
      action="Create flag"
      request={creating}
      fields={FIELDS}
      onSubmit={() => creating.mutate()}
      onClose={onClose}
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
        label="Share of everyone"
        description="At 0, nobody gets it. Add conditions on the flag’s page."
        value={percent}
        onChange={setPercent}
      />
    </FormDialog>
  );
}
