import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrorOf, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { CopyLine } from '../../look/copy.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Form } from '../../look/edits/form.tsx';
import { Time } from '../../look/time.tsx';
import { addPassword, removePassword, sharingQuery, type SharingPath, type Sharing } from '../dashboards-data.ts';
import styles from './sharing.module.css';

type Password = Sharing['share_passwords'][number];
type PasswordsProps = { path: SharingPath; passwords: readonly Password[] };

const nameOf = ({ note }: Pick<Password, 'note'>) => (note ? `“${note}”` : 'without a note');

/** Scrolls to the new password by focusing its button: it may be above the visible part of the dialog. */
function showCopyButton(line: HTMLElement | null): void {
  line?.querySelector('button')?.focus();
}

/** The passwords of a link. Each password opens the link, and is shown only once. */
export function Passwords({ path, passwords }: PasswordsProps) {
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [note, setNote] = useState('');
  const refresh = () => queries.invalidateQueries({ queryKey: sharingQuery(path).queryKey });
  const adding = useMutation({
    mutationFn: () =>
      addPassword(path, { ...(password !== '' && { raw_password: password }), ...(note !== '' && { note }) }),
    onSuccess() {
      setPassword('');
      setNote('');
    },
    onSettled: refresh,
  });
  const [passwordToDelete, setAsked] = useState<Password>();
  const removing = useMutation({
    mutationFn: (id: number) => removePassword(path, id),
    onSuccess: () => setAsked(undefined),
    onSettled: refresh,
  });
  function ask(target: Password) {
    removing.reset();
    setAsked(target);
  }
  const { error } = adding;
  const at = (attr: string) => fieldErrorOf(error, attr);
  const isElsewhere = error && at('raw_password') === undefined && at('note') === undefined;
  return (
    <section aria-label="Passwords" className={styles.passwords}>
      {passwords.length === 0 ? (
        <p>No passwords yet. Until you add one, nobody can open the link.</p>
      ) : (
        <ul>
          {passwords.map((item) => (
            <li key={item.id} className={styles.password}>
              <span className={styles.note}>{item.note || 'No note'}</span>
              <span className="quiet">
                added <Time iso={item.created_at} />
              </span>
              <Button kind="quiet" aria-label={`Delete the password ${nameOf(item)}`} onPress={() => ask(item)}>
                Delete…
              </Button>
            </li>
          ))}
        </ul>
      )}
      {adding.data && (
        <div role="status" ref={showCopyButton}>
          <CopyLine text={adding.data.password} before="Copy this password now: it cannot be shown again." />
        </div>
      )}
      <Form className={styles.form!} isPending={adding.isPending} onSubmit={() => adding.mutate()}>
        <TextField
          label="New password"
          description="At least 8 characters. Leave it empty to generate one."
          value={password}
          onChange={setPassword}
          error={at('raw_password')}
          autoComplete="off"
        />
        <TextField
          label="Note"
          description="A name for the password, such as “the board”."
          value={note}
          onChange={setNote}
          error={at('note')}
          maxLength={100}
        />
        <div>
          <Button type="submit" isPending={adding.isPending}>
            Add the password
          </Button>
        </div>
      </Form>
      {isElsewhere && (
        <p role="alert" className={styles.error}>
          {messageOf(error)}
        </p>
      )}
      {passwordToDelete && (
        <FormDialog
          title={`Delete the password ${nameOf(passwordToDelete)}?`}
          kind="danger"
          action="Delete it"
          request={removing}
          onSubmit={() => removing.mutate(passwordToDelete.id)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            It stops working at once, and everyone who opened the link with it is locked out. It cannot be brought back.{' '}
            {passwords.length === 1
              ? 'It is the only password: nobody can open the link until you add another.'
              : 'The other passwords keep working.'}
          </p>
        </FormDialog>
      )}
    </section>
  );
}
