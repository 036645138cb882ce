import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { Skeleton } from '../look/notes.tsx';
import { EmailField } from './credential-fields.tsx';
import { OutsideForm, OutsidePage } from './outside-form.tsx';
import { resetsQuery } from './resets.ts';

/** Asks for the link that sets a new password. Never reveals whether the account exists. */
export function ForgottenPage() {
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { data: resets, isPending } = useQuery(resetsQuery);

  async function ask() {
    await unwrap(api.POST('/api/reset/', { body: { email } }));
    setSent(true);
  }

  return (
    <OutsidePage title="Forgot your password?">
      {isPending ? (
        <Skeleton rows={2} />
      ) : resets?.available === false ? (
        <p>
          This installation sends no mail, so it cannot send you a link. Ask the person who runs it for a new password:
          they can set one with <code>sluice users password</code>.
        </p>
      ) : isSent ? (
        <p role="status">If {email} has an account, a link is on its way to it. The link works once, within an hour.</p>
      ) : (
        <OutsideForm action="Send link" onSubmit={ask}>
          <EmailField value={email} onChange={setEmail} autoFocus />
        </OutsideForm>
      )}
      <p>
        <Link to="/login">Back to the log-in</Link>
      </p>
    </OutsidePage>
  );
}
