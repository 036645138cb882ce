import { useState, type FormEvent } from 'react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Form } from 'react-aria-components';
import { api, done, messageOf } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { TextField } from '../look/field.tsx';
import styles from './login-page.module.css';
import { resetsQuery } from './resets.ts';

/** @param next accepted only within this origin, because a link must not lead to another site after the log-in */
export function ownAddress(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/';
  const url = new URL(next, location.origin);
  return url.origin === location.origin ? url.pathname + url.search + url.hash : '/';
}

const route = getRouteApi('/login');

export function LoginPage() {
  const { next } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);
  const { data: resets } = useQuery(resetsQuery);

  async function logIn(event: FormEvent) {
    event.preventDefault();
    setPending(true);
    setError(undefined);
    try {
      await done(api.POST('/api/login/', { body: { email, password } }));
      // Reloads the page, so that no data of a former session stays in memory.
      location.assign(ownAddress(next));
    } catch (failure) {
      setError(messageOf(failure));
      setPending(false);
    }
  }

  return (
    <main className={styles.page}>
      <h1>Log in to Sluice</h1>
      <Form className={styles.form!} onSubmit={(event) => void logIn(event)}>
        <TextField
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          isRequired
          autoFocus
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          isRequired
        />
        {error && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
        <Button kind="primary" type="submit" isPending={isPending}>
          Log in
        </Button>
        {resets?.available && <Link to="/reset">Forgot password?</Link>}
      </Form>
    </main>
  );
}
