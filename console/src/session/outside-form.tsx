/** The form of a page for people who are not logged in: one request, with its refusal above the button. */
import { useState, type ReactNode } from 'react';
import { messageOf } from '../api/client.ts';
import { Button } from '../look/button.tsx';
import { Form } from '../look/edits/form.tsx';
import styles from './outside.module.css';

type OutsideFormProps = {
  /** Text of the button. */
  action: string;
  /** Resolves when the request has succeeded; the caller then shows something else, or loads another page. */
  onSubmit: () => Promise<unknown>;
  children?: ReactNode;
};

export function OutsideForm({ action, onSubmit, children }: OutsideFormProps) {
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);

  async function submit() {
    setPending(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (failure) {
      setError(messageOf(failure));
      setPending(false);
    }
  }

  return (
    <Form className={styles.form!} isPending={isPending} onSubmit={() => void submit()}>
      {children}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <Button kind="primary" type="submit" isPending={isPending}>
        {action}
      </Button>
    </Form>
  );
}

/** The page around an `OutsideForm`. */
export function OutsidePage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={styles.page}>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
