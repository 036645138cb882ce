import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import styles from '../settings.module.css';
import { invite, levelsUpTo, type Invite, type Level, type NewInvite } from './members-data.ts';

type InviteDialogProps = {
  organizationId: string;
  ownLevel: Level;
  onMade: (made: Invite) => void;
  onClose: () => void;
};

const FIELDS = ['target_email', 'first_name', 'message', 'level'] as const;

export function InviteDialog({ organizationId, ownLevel, onMade, onClose }: InviteDialogProps) {
  const [body, setBody] = useState<NewInvite>({ target_email: '', first_name: '', message: '', level: 1 });
  const inviting = useMutation({ mutationFn: () => invite(organizationId, body), onSuccess: onMade });
  const { error } = inviting;
  const at = (field: (typeof FIELDS)[number]) =>
    error instanceof ApiError && error.attr === field ? error.message : undefined;
  const set = (change: Partial<NewInvite>) => setBody((before) => ({ ...before, ...change }));
  return (
    <Dialog title="Invite someone" isOpen onClose={onClose}>
      <Form
        className={styles.form!}
        onSubmit={(event) => {
          event.preventDefault();
          inviting.mutate();
        }}
      >
        <TextField
          label="Mail address"
          type="email"
          value={body.target_email}
          onChange={(target_email) => set({ target_email })}
          error={at('target_email')}
          maxLength={254}
          isRequired
          autoFocus
        />
        <TextField
          label="First name"
          value={body.first_name}
          onChange={(first_name) => set({ first_name })}
          error={at('first_name')}
          maxLength={64}
        />
        <Select
          label="Level"
          options={levelsUpTo(ownLevel)}
          value={String(body.level)}
          onChange={(level) => set({ level: Number(level) as Level })}
          error={at('level')}
        />
        <TextField
          label="Message"
          description="Goes into the mail."
          value={body.message}
          onChange={(message) => set({ message })}
          error={at('message')}
          maxLength={1000}
          lines={3}
        />
        {error && FIELDS.every((field) => at(field) === undefined) && (
          <p role="alert" className={styles.error}>
            {messageOf(error)}
          </p>
        )}
        <Actions>
          <Button kind="primary" type="submit" isPending={inviting.isPending}>
            Invite
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
