/** Settings of a dashboard's public link: on or off, with or without a password. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Copy } from '../../look/copy.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { Switch } from '../../look/field.tsx';
import { Failure, Skeleton } from '../../look/notes.tsx';
import { changeSharing, replaceLink, sharingQuery, type Shared, type Sharing } from '../dashboards-data.ts';
import { Passwords } from './passwords.tsx';
import styles from './sharing.module.css';

export function SharingDialog({ path, onClose }: { path: Shared; onClose: () => void }) {
  const sharing = useQuery(sharingQuery(path));
  return (
    <Dialog title="Share by link" isOpen onClose={onClose} width="wide">
      {sharing.isPending && <Skeleton rows={3} />}
      {sharing.isError && <Failure error={sharing.error} onRetry={() => void sharing.refetch()} />}
      {sharing.data && <Settings path={path} sharing={sharing.data} />}
      <Actions>
        <Button kind="quiet" onPress={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  );
}

function Settings({ path, sharing }: { path: Shared; sharing: Sharing }) {
  const queries = useQueryClient();
  const { queryKey } = sharingQuery(path);
  const changing = useMutation({
    mutationFn: (change: Parameters<typeof changeSharing>[1] | 'link') =>
      change === 'link' ? replaceLink(path) : changeSharing(path, change),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  const link = new URL(`/shared/${sharing.access_token}`, location.origin).href;
  return (
    <>
      <Switch
        isSelected={sharing.enabled}
        isDisabled={changing.isPending}
        onChange={(enabled) => changing.mutate({ enabled })}
      >
        Whoever has the link sees this dashboard
      </Switch>
      {sharing.enabled && (
        <>
          <div className={styles.link}>
            <code className="id">{link}</code>
            <Copy text={link} kind="plain">
              Copy
            </Copy>
            <Button kind="quiet" isPending={changing.isPending} onPress={() => changing.mutate('link')}>
              Replace the link
            </Button>
          </div>
          {changing.isSuccess && changing.variables === 'link' && (
            <p role="status">This link is new. The former one works for five minutes more.</p>
          )}
          <Switch
            isSelected={sharing.password_required}
            isDisabled={changing.isPending}
            onChange={(password_required) => changing.mutate({ password_required })}
          >
            It asks for a password
          </Switch>
          {sharing.password_required && <Passwords path={path} passwords={sharing.share_passwords} />}
        </>
      )}
      {changing.error && (
        <p role="alert" className={styles.error}>
          {messageOf(changing.error)}
        </p>
      )}
    </>
  );
}
