/** Asks for the password over the current page, because the session has ended or the change is sensitive. Typed text stays. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onPasswordNeeded, type PasswordReason } from '../api/session-fetch.ts';
import { Chunk } from '../chunks/chunk.tsx';
import { lazyChunk } from '../chunks/lazy-chunk.ts';
import { meQuery } from './me.ts';

const PasswordForm = lazyChunk(() => import('./password-form.tsx'), 'PasswordForm');

type Asking = { reason: PasswordReason; answer: (loggedIn: boolean) => void };

export function PasswordDialog() {
  const queries = useQueryClient();
  const [asking, setAsking] = useState<Asking>();
  useEffect(() => {
    let open: Asking | undefined;
    const remove = onPasswordNeeded((reason) => {
      // Without a user the router leads to the log-in.
      if (!queries.getQueryData(meQuery.queryKey)) return Promise.resolve(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      setAsking((open = { reason, answer: resolve }));
      return promise;
    });
    return () => {
      remove();
      // Requests that wait for the answer would wait for ever.
      open?.answer(false);
    };
  }, [queries]);

  // Loaded once something is typed, which must not be lost: when the form is needed, the server may have another build.
  useEffect(() => {
    const preload = () => void PasswordForm.preload?.();
    addEventListener('input', preload, { once: true });
    return () => removeEventListener('input', preload);
  }, []);

  if (!asking) return null;
  const end = (loggedIn: boolean) => {
    asking.answer(loggedIn);
    setAsking(undefined);
  };
  return (
    <Chunk onClose={() => end(false)}>
      <PasswordForm reason={asking.reason} onEnd={end} />
    </Chunk>
  );
}
