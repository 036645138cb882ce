import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, done } from '../api/client.ts';
import { TextField } from '../look/field.tsx';
import { Failure, Skeleton } from '../look/notes.tsx';
import { OutsideForm, OutsidePage } from './outside-form.tsx';

/** Target of an invite's link: joins with the account of the e-mail address, or creates one. */
export function SignupPage() {
  const { token } = useParams({ from: '/signup/$token' });
  const path = { invite_id: token };
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const invite = useQuery({
    queryKey: ['signup', token],
    queryFn: ({ signal }) => done(api.GET('/api/signup/{invite_id}/', { params: { path }, signal })),
    staleTime: Infinity,
  });

  async function join(body: { first_name?: string; password?: string }) {
    await done(api.POST('/api/signup/{invite_id}/', { params: { path }, body: { last_name: '', ...body } }));
    // Reloads the page, because the session is a new one.
    location.assign('/');
  }

  const { data } = invite;
  return (
    <OutsidePage title={data ? `Join ${data.organization_name}` : 'Join an organization'}>
      {invite.error ? (
        <Failure error={invite.error} />
      ) : !data ? (
        <Skeleton rows={2} />
      ) : data.account_exists ? (
        <>
          <p>The invite is for {data.target_email}, who has an account: log in with it first, then join.</p>
          <OutsideForm action="Join" onSubmit={() => join({})} />
          <p>
            <Link to="/login" search={{ next: `/signup/${token}` }}>
              Log in
            </Link>
          </p>
        </>
      ) : (
        <>
          <p>The invite is for {data.target_email}. Make your account.</p>
          <OutsideForm action="Join" onSubmit={() => join({ first_name: name, password })}>
            <TextField
              label="First name"
              name="first_name"
              autoComplete="given-name"
              value={name}
              onChange={setName}
              isRequired
              autoFocus
            />
            <TextField
              label="Password"
              type="password"
              name="password"
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              isRequired
            />
          </OutsideForm>
        </>
      )}
    </OutsidePage>
  );
}
