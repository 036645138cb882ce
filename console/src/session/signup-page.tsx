import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { TextField } from '../look/field.tsx';
import { Failure, Skeleton } from '../look/notes.tsx';
import { NewPasswordField } from './credential-fields.tsx';
import { meQuery } from './me.ts';
import { OutsideForm, OutsidePage } from './outside-form.tsx';

/** Target of an invite's link: joins with the account of the e-mail address, or creates one. */
export function SignupPage() {
  const { token } = useParams({ from: '/signup/$token' });
  const path = { invite_id: token };
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const invite = useQuery({
    queryKey: ['signup', token],
    queryFn: ({ signal }) => unwrap(api.GET('/api/signup/{invite_id}/', { params: { path }, signal })),
    staleTime: Infinity,
  });
  const me = useQuery({ ...meQuery, enabled: invite.data?.account_exists === true });

  async function join(body: { first_name?: string; password?: string }) {
    await unwrap(api.POST('/api/signup/{invite_id}/', { params: { path }, body: { last_name: '', ...body } }));
    const { projects } = await unwrap(api.GET('/api/users/@me/'));
    const joined = projects.find(({ organization }) => !me.data?.organizations.some(({ id }) => id === organization));
    // Reloads the page, because the session or its rights are new.
    location.assign(joined ? `/project/${joined.id}/exports` : '/');
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
          <p>This invite is for {data.target_email}, an address that already has an account.</p>
          {me.data ? (
            <>
              <p>You are logged in as {me.data.email}.</p>
              <OutsideForm action="Join" onSubmit={() => join({})} />
            </>
          ) : null}
          <p>
            <Link to="/login" search={{ next: `/signup/${token}` }}>
              {me.data ? 'Log in with another account' : 'Log in to join'}
            </Link>
          </p>
        </>
      ) : (
        <>
          <p>This invite is for {data.target_email}. Create your account to join.</p>
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
            <NewPasswordField label="Password" value={password} onChange={setPassword} />
          </OutsideForm>
        </>
      )}
    </OutsidePage>
  );
}
