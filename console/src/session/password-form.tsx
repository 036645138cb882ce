import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { api, done, messageOf } from '../api/client.ts';
import type { PasswordReason } from '../api/session-fetch.ts';
import { Button } from '../look/button.tsx';
import { Actions, Dialog } from '../look/dialog.tsx';
import { TextField } from '../look/field.tsx';
import { meQuery } from './me.ts';

const REASONS: Record<PasswordReason, string> = {
  ended: 'Your session has ended. Log in again to go on: what you have typed is kept.',
  sensitive: 'Enter your password again to make this change.',
};

export function PasswordForm({ reason, onEnd }: { reason: PasswordReason; onEnd: (loggedIn: boolean) => void }) {
  const queries = useQueryClient();
  const known = queries.getQueryData(meQuery.queryKey);
  const [email, setEmail] = useState(known?.email ?? '');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);

  async function logIn(event: FormEvent) {
    event.preventDefault();
    setPending(true);
    try {
      await done(api.POST('/api/login/', { body: { email, password } }));
      // The page holds data of the first user, so another one starts from an empty page.
      if (known && email !== known.email) location.assign('/');
      else onEnd(true);
    } catch (failure) {
      setError(messageOf(failure));
      setPending(false);
    }
  }

  return (
    <Dialog title="Password" isOpen onClose={() => onEnd(false)}>
      <p>{REASONS[reason]}</p>
      <Form onSubmit={(event) => void logIn(event)} style={{ display: 'grid', gap: 12 }}>
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          isReadOnly={known !== undefined}
          isRequired
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
          autoFocus
        />
        {error && <p role="alert">{error}</p>}
        <Actions>
          <Button kind="primary" type="submit" isPending={isPending}>
            Go on
          </Button>
          <Button kind="quiet" onPress={() => onEnd(false)}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
