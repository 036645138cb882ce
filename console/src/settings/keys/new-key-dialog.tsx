import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { useMe } from '../../session/me.ts';
import styles from '../settings.module.css';
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

type NewKeyDialogProps = {
  keys: KeysOfOwner;
  /** Whether the key can be limited to a project; a project's key always is. */
  isPersonal: boolean;
  onMade: (key: Key) => void;
  onClose: () => void;
};

export function NewKeyDialog({ keys, isPersonal, onMade, onClose }: NewKeyDialogProps) {
  const me = useMe();
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState('');
  const [only, setOnly] = useState(ALL);
  const making = useMutation({
    mutationFn: () =>
      keys.create({
        label,
        scopes: [...scopes],
        expires_at: days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
        projectId: only === ALL ? null : Number(only),
      }),
    onSuccess: onMade,
  });
  const { error } = making;
  const attr = error instanceof ApiError ? error.attr : null;
  const at = (name: string) => (error && attr?.split(/[.[]/)[0] === name ? messageOf(error) : undefined);
  return (
    <Dialog title={isPersonal ? 'New key of yours' : 'New secret key of the project'} isOpen onClose={onClose}>
      <Form
        className={styles.form!}
        onSubmit={(event) => {
          event.preventDefault();
          making.mutate();
        }}
      >
        <TextField
          label="Label"
          description="Where it is used, as “nightly job”."
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
            label="Opens"
            options={[
              { value: ALL, label: 'All your projects' },
              ...(me.organization?.projects ?? []).map(({ id, name }) => ({
                value: String(id),
                label: `Only ${name}`,
              })),
            ]}
            value={only}
            onChange={setOnly}
            error={at('scoped_teams')}
          />
        )}
        <Select label="Expires" options={EXPIRIES} value={days} onChange={setDays} error={at('expires_at')} />
        {error && !['label', 'scopes', 'scoped_teams', 'expires_at'].some((name) => at(name)) && (
          <p role="alert" className={styles.error}>
            {messageOf(error)}
          </p>
        )}
        <Actions>
          <Button kind="primary" type="submit" isPending={making.isPending}>
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
