/** Settings of a dashboard's public link: whether it works, until when, and with which passwords. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrorOf, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { CopyLine } from '../../look/copy.tsx';
import { Actions, Dialog, FormDialog } from '../../look/dialog.tsx';
import { Switch } from '../../look/field.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { changeSharing, replaceLink, sharingQuery, type SharingPath, type Sharing } from '../dashboards-data.ts';
import { Expiry, Validity } from './expiry.tsx';
import { Passwords } from './passwords.tsx';
import styles from './sharing.module.css';

type SharingDialogProps = { path: SharingPath; mayEdit: boolean; onClose: () => void };

export function SharingDialog({ path, mayEdit, onClose }: SharingDialogProps) {
  const sharing = useQuery(sharingQuery(path));
  return (
    <Dialog title="Share this dashboard" isOpen onClose={onClose} width="wide">
      {sharing.isPending && <Skeleton rows={3} />}
      {sharing.isError && <Failure error={sharing.error} onRetry={() => void sharing.refetch()} />}
      {sharing.data && (mayEdit ? <Settings path={path} sharing={sharing.data} /> : <View sharing={sharing.data} />)}
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  );
}

/** The settings for people who may not change them. */
function View({ sharing }: { sharing: Sharing }) {
  const { enabled, expires_at: expiresAt } = sharing;
  return (
    <>
      <p>{audienceOf(sharing)}</p>
      {enabled && <Link token={sharing.access_token} />}
      {enabled && expiresAt !== null && <Validity expiresAt={expiresAt} enabled={enabled} />}
      <p className="quiet">You can look at this dashboard; ask an editor to change how it is shared.</p>
    </>
  );
}

/** A change that is asked about first, because it may shut out visitors. */
type Question = 'stop' | 'replace' | 'password';

function Settings({ path, sharing }: { path: SharingPath; sharing: Sharing }) {
  const queries = useQueryClient();
  const { queryKey } = sharingQuery(path);
  const [asked, setAsked] = useState<Question>();
  const changing = useMutation({
    mutationFn: (change: Parameters<typeof changeSharing>[1] | 'link') =>
      change === 'link' ? replaceLink(path) : changeSharing(path, change),
    onSuccess(changed) {
      queries.setQueryData(queryKey, changed);
      setAsked(undefined);
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const { error, isPending } = changing;
  const { enabled } = sharing;
  function ask(what: Question) {
    changing.reset();
    setAsked(what);
  }
  const expiryError = fieldErrorOf(error, 'expires_at');
  return (
    <>
      <div className={styles.part}>
        <Switch
          isSelected={enabled}
          isDisabled={isPending}
          onChange={(on) => (on ? changing.mutate({ enabled: on }) : ask('stop'))}
        >
          Share it by link
        </Switch>
        <p className="quiet">{audienceOf(sharing)}</p>
      </div>
      {enabled && <Link token={sharing.access_token} onReplace={() => ask('replace')} isPending={isPending} />}
      {changing.isSuccess && changing.variables === 'link' && (
        <p role="status">This is the new link. The old one stops working in five minutes.</p>
      )}
      {(enabled || sharing.expires_at !== null) && (
        <Expiry
          sharing={sharing}
          isPending={isPending}
          error={expiryError}
          onChange={(expires_at) => changing.mutate({ expires_at })}
        />
      )}
      {enabled && (
        <Switch
          isSelected={sharing.password_required}
          isDisabled={isPending}
          onChange={(on) => (on ? ask('password') : changing.mutate({ password_required: false }))}
        >
          Ask visitors for a password
        </Switch>
      )}
      {enabled && sharing.password_required && <Passwords path={path} passwords={sharing.share_passwords} />}
      {error && !asked && (expiryError === undefined || (!enabled && sharing.expires_at === null)) && (
        <p role="alert" className={styles.error}>
          {messageOf(error)}
        </p>
      )}
      {asked === 'replace' && (
        <FormDialog
          title="Replace the link?"
          kind="danger"
          action="Replace it"
          request={changing}
          onSubmit={() => changing.mutate('link')}
          onClose={() => setAsked(undefined)}
        >
          <p>
            The link that you see now stops working in five minutes, for everyone who has it and on every page that
            embeds it. You have to send out the new link. Passwords and expiry stay as they are.
          </p>
        </FormDialog>
      )}
      {asked === 'password' && (
        <FormDialog
          title="Ask visitors for a password?"
          kind="danger"
          action="Ask for it"
          request={changing}
          onSubmit={() => changing.mutate({ password_required: true })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {sharing.share_passwords.length === 0
              ? 'There is no password yet: nobody can open the link until you add one.'
              : 'From now on, the link opens only with one of its passwords.'}
          </p>
        </FormDialog>
      )}
      {asked === 'stop' && (
        <FormDialog
          title="Stop sharing?"
          kind="danger"
          action="Stop sharing"
          request={changing}
          onSubmit={() => changing.mutate({ enabled: false })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            The link stops working at once, for everyone who has it, and cannot be brought back. If you share the
            dashboard again, it gets a new link.
          </p>
        </FormDialog>
      )}
    </>
  );
}

/** Sentence about the people who can see the dashboard. */
function audienceOf({ enabled, password_required: asksPassword, share_passwords: passwords }: Sharing): string {
  if (!enabled) return 'Only people with access to this project can see this dashboard.';
  if (!asksPassword) return 'Anyone who has the link can see this dashboard without logging in.';
  if (passwords.length === 0) return 'Nobody can open the link yet: it asks for a password, and there is none.';
  return 'Anyone who has the link and one of its passwords can see this dashboard without logging in.';
}

type LinkProps = { token: string; isPending?: boolean; onReplace?: () => void };

function Link({ token, isPending = false, onReplace }: LinkProps) {
  const link = new URL(`/shared/${token}`, location.origin).href;
  return (
    <CopyLine text={link}>
      {onReplace && (
        <Button kind="quiet" isDisabled={isPending} onPress={onReplace}>
          Replace the link…
        </Button>
      )}
    </CopyLine>
  );
}
