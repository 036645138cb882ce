import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { Failure, Skeleton } from '../look/notes.tsx';
import { NewPasswordField } from './credential-fields.tsx';
import { OutsideForm, OutsidePage } from './outside-form.tsx';

/** Target of a mailed link: sets a new password, once. */
export function ResetPage() {
  const { token } = useParams({ from: '/reset/$token' });
  const path = { token };
  const [password, setPassword] = useState('');
  const [isSet, setSet] = useState(false);
  const link = useQuery({
    queryKey: ['reset', token],
    queryFn: ({ signal }) => unwrap(api.GET('/api/reset/{token}/', { params: { path }, signal })),
    // The form uses up the link, so a second request would not find it.
    staleTime: Infinity,
  });

  async function complete() {
    await unwrap(api.POST('/api/reset/{token}/', { params: { path }, body: { password } }));
    setSet(true);
  }

  return (
    <OutsidePage title="Set a new password">
      {isSet ? (
        <p role="status">
          Your new password is set, and all your sessions have ended. <Link to="/login">Log in</Link>
        </p>
      ) : link.error ? (
        <>
          <Failure error={link.error} />
          <p>
            <Link to="/reset">Ask for a new link</Link>
          </p>
        </>
      ) : link.data ? (
        <>
          <p>Choose a new password for {link.data.email}. All sessions of the account then end.</p>
          <OutsideForm action="Set password" onSubmit={complete}>
            <NewPasswordField label="New password" value={password} onChange={setPassword} autoFocus />
          </OutsideForm>
        </>
      ) : (
        <Skeleton rows={2} />
      )}
    </OutsidePage>
  );
}
