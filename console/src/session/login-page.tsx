import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import { CredentialFields } from './credential-fields.tsx';
import { OutsideForm, OutsidePage } from './outside-form.tsx';

/** @returns the address to open after the log-in: `next` only within this origin, because a link must not lead to another site */
export function addressAfterLogin(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/';
  const url = URL.parse(next, location.origin);
  // Where a path such as `/.//host` leads within this origin begins with `//`, which would name a host.
  return url?.origin === location.origin && !url.pathname.startsWith('//') ? url.href : '/';
}

const route = getRouteApi('/login');

export function LoginPage() {
  const { next } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');

  async function logIn() {
    await unwrap(api.POST('/api/login/', { body: { email, password } }));
    // Reloads the page, so that no data of a former session stays in memory.
    location.assign(addressAfterLogin(next));
  }

  return (
    <OutsidePage title="Log in to Sluice">
      <OutsideForm action="Log in" onSubmit={logIn}>
        <CredentialFields email={email} onEmail={setEmail} password={password} onPassword={setPassword} />
      </OutsideForm>
      <p>
        <Link to="/reset">Forgot your password?</Link>
      </p>
    </OutsidePage>
  );
}
