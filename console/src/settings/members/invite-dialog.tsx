import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrorOf } from '../../api/client.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { invite, levelsUpTo, type Invite, type Level, type NewInvite } from './members-data.ts';

type InviteDialogProps = {
  organization: { id: string; name: string };
  ownLevel: Level;
  onMade: (made: Invite) => void;
  onClose: () => void;
};

const FIELDS = ['target_email', 'first_name', 'message', 'level'] as const;

export function InviteDialog({ organization, ownLevel, onMade, onClose }: InviteDialogProps) {
  const [body, setBody] = useState<NewInvite>({ target_email: '', first_name: '', message: '', level: 1 });
  const inviting = useMutation({ mutationFn: () => invite(organization.id, body), onSuccess: onMade });
  const at = (field: (typeof FIELDS)[number]) => fieldErrorOf(inviting.error, field);
  const set = (change: Partial<NewInvite>) => setBody((before) => ({ ...before, ...change }));
  return (
    <FormDialog
      title={`Invite someone to ${organization.name}`}
      action="Invite"
      request={inviting}
      fields={FIELDS}
      onSubmit={() => inviting.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Email"
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
        description="Included in the invitation mail, if this installation sends mail."
        value={body.message}
        onChange={(message) => set({ message })}
        error={at('message')}
        maxLength={1000}
        lines={3}
      />
    </FormDialog>
  );
}
