/** The keys of an owner in a table, with the actions on each. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { showNotice } from '../../look/notice.tsx';
import { PageHead } from '../../look/page-head.tsx';
import styles from '../settings.module.css';
import type { Key, KeysOfOwner } from './keys-data.ts';
import { KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { DeleteDialog, RollDialog } from './key-dialogs.tsx';
import { ShownOnce } from './shown-once.tsx';

type KeySectionProps = {
  title: string;
  keys: KeysOfOwner;
  isPersonal: boolean;
  /** Text shown when there are no keys. */
  empty: string;
};

type Open = { to: 'create' } | { to: 'roll' | 'delete'; key: Key };

export function KeySection({ title, keys, isPersonal, empty }: KeySectionProps) {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open>();
  // The value is not cached in a query, so it is gone with the page.
  const [made, setMade] = useState<Key>();
  const list = useQuery({ queryKey: keys.queryKey, queryFn: ({ signal }) => keys.list(signal) });
  const changed = () => queries.invalidateQueries({ queryKey: keys.queryKey });
  const close = () => setOpen(undefined);
  const show = (key: Key) => {
    setMade(key);
    close();
    void changed();
  };
  const rolling = useMutation({
    mutationFn: ({ key, grace }: { key: Key; grace: number }) => keys.roll(key.id, grace),
    onSuccess: show,
  });
  const removing = useMutation({
    mutationFn: (key: Key) => keys.remove(key.id),
    onSuccess(_, key) {
      if (made?.id === key.id) setMade(undefined);
      showNotice({ text: `${key.label} is deleted.` });
      close();
    },
    onSettled: changed,
  });
  return (
    <section className={styles.section} aria-label={title}>
      <PageHead
        title={title}
        action={
          list.data && (
            <Button kind="primary" onPress={() => setOpen({ to: 'create' })}>
              New key
            </Button>
          )
        }
      />
      {made?.value && <ShownOnce label={made.label} value={made.value} onClose={() => setMade(undefined)} />}
      {list.isPending && <Skeleton rows={3} />}
      {list.isError && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.length === 0 && <Empty>{empty}</Empty>}
      {list.data && list.data.length > 0 && (
        <KeyTable
          keys={list.data}
          onRoll={(key) => {
            rolling.reset();
            setOpen({ to: 'roll', key });
          }}
          onDelete={(key) => {
            removing.reset();
            setOpen({ to: 'delete', key });
          }}
        />
      )}
      {open?.to === 'create' && <NewKeyDialog keys={keys} isPersonal={isPersonal} onMade={show} onClose={close} />}
      {open?.to === 'roll' && (
        <RollDialog
          label={open.key.label}
          request={rolling}
          onRoll={(grace) => rolling.mutate({ key: open.key, grace })}
          onClose={close}
        />
      )}
      {open?.to === 'delete' && (
        <DeleteDialog
          label={open.key.label}
          lastUsedAt={open.key.last_used_at}
          request={removing}
          onDelete={() => removing.mutate(open.key)}
          onClose={close}
        />
      )}
    </section>
  );
}
