import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Copy } from '../../look/copy.tsx';
import { TextField } from '../../look/field.tsx';
import { Time } from '../../look/time.tsx';
import { addPassword, removePassword, sharingQuery, type Shared, type Sharing } from '../dashboards-data.ts';
import styles from './sharing.module.css';

type PasswordsProps = { path: Shared; passwords: Sharing['share_passwords'] };

/** Passwords of a link: each opens it, and is shown once. */
export function Passwords({ path, passwords }: PasswordsProps) {
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [note, setNote] = useState('');
  const changed = () => queries.invalidateQueries({ queryKey: sharingQuery(path).queryKey });
  const adding = useMutation({
    mutationFn: () =>
      addPassword(path, { ...(password !== '' && { raw_password: password }), ...(note !== '' && { note }) }),
    onSuccess() {
      setPassword('');
      setNote('');
    },
    onSettled: changed,
  });
  const removing = useMutation({ mutationFn: (id: number) => removePassword(path, id), onSettled: changed });
  const { error } = adding;
  const at = (attr: string) => (error instanceof ApiError && error.attr === attr ? error.message : undefined);
  const isElsewhere = error && at('raw_password') === undefined && at('note') === undefined;
  return (
    <section aria-label="Passwords" className={styles.passwords}>
      {passwords.length === 0 ? (
        <p>No password yet: nobody gets in.</p>
      ) : (
        <ul>
          {passwords.map((one) => (
            <li key={one.id} className={styles.password}>
              <span className={styles.note}>{one.note || 'Without a note'}</span>
              <span className="quiet">
                made <Time iso={one.created_at} />
              </span>
              <Button
                kind="quiet"
                aria-label={`Delete the password ${one.note || 'without a note'}`}
                isDisabled={removing.isPending}
                onPress={() => removing.mutate(one.id)}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      {adding.data && (
        <div className={styles.link} role="status">
          <span>Copy it now, it is not shown again:</span>
          <code className="id">{adding.data.password}</code>
          <Copy text={adding.data.password} kind="plain">
            Copy
          </Copy>
        </div>
      )}
      <Form
        className={styles.form!}
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <TextField
          label="New password"
          description="Empty: one is made for you."
          value={password}
          onChange={setPassword}
          error={at('raw_password')}
          autoComplete="off"
        />
        <TextField
          label="Note"
          description="Who gets it."
          value={note}
          onChange={setNote}
          error={at('note')}
          maxLength={100}
        />
        <div>
          <Button type="submit" isPending={adding.isPending}>
            Add it
          </Button>
        </div>
      </Form>
      {(isElsewhere || removing.error) && (
        <p role="alert" className={styles.error}>
          {messageOf(isElsewhere ? error : removing.error)}
        </p>
      )}
    </section>
  );
}
