import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import type { PasswordReason } from '../api/session-fetch.ts';
import { FormDialog } from '../look/dialog.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { useMe } from './me.ts';

const WORDS: Record<PasswordReason, { title: string; explanation: string }> = {
  ended: { title: 'Log in again', explanation: 'Your session has ended. What you typed is kept.' },
  sensitive: {
    title: 'Confirm it is you',
    explanation: 'You logged in a while ago, and this change needs a recent log-in.',
  },
};

export function PasswordForm({ reason, onEnd }: { reason: PasswordReason; onEnd: (loggedIn: boolean) => void }) {
  const { email, has_password: hasPassword } = useMe();
  const [password, setPassword] = useState('');
  const loggingIn = useMutation({
    // A user without a password has begun the session in another tab, by a link.
    mutationFn: async () => hasPassword && (await unwrap(api.POST('/api/login/', { body: { email, password } }))),
    onSuccess: () => onEnd(true),
  });
  const { title, explanation } = WORDS[reason];
  return (
    <FormDialog
      title={title}
      action={hasPassword ? 'Log in' : 'Continue'}
      request={loggingIn}
      onSubmit={() => loggingIn.mutate()}
      onClose={() => onEnd(false)}
    >
      <p>{explanation}</p>
      {hasPassword ? (
        <CredentialFields email={email} password={password} onPassword={setPassword} />
      ) : (
        <p>
          Your account has no password. Run <code>sluice login {email}</code> on the server, open the link that it
          prints in another tab of this browser, then continue here.
        </p>
      )}
    </FormDialog>
  );
}
