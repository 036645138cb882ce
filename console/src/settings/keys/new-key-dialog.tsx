import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrorOf } from '../../api/client.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { useMe } from '../../session/me.ts';
import type { Key, KeysOfOwner } from './keys-data.ts';
import { ScopeFields } from './scope-fields.tsx';

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];
const ALL = '';
const FIELDS = ['label', 'scopes', 'scoped_teams', 'expires_at'] as const;

type NewKeyDialogProps = {
  keys: KeysOfOwner;
  /** Whether the keys are the user's own, which may be limited to one project; a project's keys always are. */
  isPersonal: boolean;
  onMade: (key: Key) => void;
  onClose: () => void;
};

export function NewKeyDialog({ keys, isPersonal, onMade, onClose }: NewKeyDialogProps) {
  const me = useMe();
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState('');
  const [projectChoice, setProjectChoice] = useState(ALL);
  const making = useMutation({
    mutationFn: () =>
      keys.create({
        label,
        scopes: [...scopes],
        expires_at: days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
        projectId: projectChoice === ALL ? null : Number(projectChoice),
      }),
    onSuccess: onMade,
  });
  const at = (field: (typeof FIELDS)[number]) => fieldErrorOf(making.error, field);
  return (
    <FormDialog
      title={isPersonal ? 'New personal key' : 'New secret key'}
      action="Create key"
      request={making}
      fields={FIELDS}
      onSubmit={() => making.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Label"
        description="What uses the key, for example “nightly job”."
        value={label}
        onChange={setLabel}
        error={at('label')}
        maxLength={40}
        isRequired
        autoFocus
      />
      <ScopeFields scopes={scopes} onChange={setScopes} error={at('scopes')} />
      {isPersonal && (
        <Select
          label="Projects"
          options={[
            { value: ALL, label: 'All your projects' },
            ...me.projects.map(({ id, name }) => ({
              value: String(id),
              label: `Only ${name}`,
            })),
          ]}
          value={projectChoice}
          onChange={setProjectChoice}
          error={at('scoped_teams')}
        />
      )}
      <Select label="Expires" options={EXPIRIES} value={days} onChange={setDays} error={at('expires_at')} />
    </FormDialog>
  );
}
