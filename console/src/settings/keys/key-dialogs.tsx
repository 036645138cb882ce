/** Questions before a key that programs use stops working. */
import { useState } from 'react';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { Select } from '../../look/select.tsx';
import { Time } from '../../look/time.tsx';
import styles from '../settings.module.css';

const GRACES = [
  { value: '0', label: 'Ends at once' },
  { value: '3600', label: 'Works for another hour' },
  { value: '86400', label: 'Works for another day' },
  { value: '604800', label: 'Works for another week' },
];

type Common = { label: string; isPending: boolean; onClose: () => void };

export function RollDialog({
  label,
  error,
  isPending,
  onRoll,
  onClose,
}: Common & { error: unknown; onRoll: (graceSeconds: number) => void }) {
  const [grace, setGrace] = useState('3600');
  return (
    <Dialog title={`Roll ${label}`} isOpen onClose={onClose}>
      <p>It gets a new value. Label, scopes and expiry stay.</p>
      <Select label="The old value" options={GRACES} value={grace} onChange={setGrace} />
      {error !== null && (
        <p role="alert" className={styles.error}>
          {messageOf(error)}
        </p>
      )}
      <Actions>
        <Button kind="primary" isPending={isPending} onPress={() => onRoll(Number(grace))}>
          Roll it
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}

export function DeleteDialog({
  label,
  lastUsedAt,
  isPending,
  onDelete,
  onClose,
}: Common & { lastUsedAt: string | null; onDelete: () => void }) {
  return (
    <Dialog title={`Delete ${label}`} isOpen onClose={onClose}>
      <p>
        {lastUsedAt === null ? (
          'Nobody has used it. '
        ) : (
          <>
            It was last used <Time iso={lastUsedAt} />.{' '}
          </>
        )}
        Programs that use it are refused from now on. This cannot be undone.
      </p>
      <Actions>
        <Button kind="danger" isPending={isPending} onPress={onDelete}>
          Delete it
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
