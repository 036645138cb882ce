/** Questions before a key that programs use stops working. */
import { useState } from 'react';
import { FormDialog } from '../../look/dialog.tsx';
import { Select } from '../../look/select.tsx';
import { Time } from '../../look/time.tsx';

const AT_ONCE = '0';
const GRACES = [
  { value: AT_ONCE, label: 'Stops working at once' },
  { value: '3600', label: 'Works for another hour' },
  { value: '86400', label: 'Works for another day' },
  { value: '604800', label: 'Works for another week' },
];

type Common = { label: string; request: { error: unknown; isPending: boolean }; onClose: () => void };

export function RollDialog({ label, request, onRoll, onClose }: Common & { onRoll: (graceSeconds: number) => void }) {
  const [grace, setGrace] = useState('3600');
  return (
    <FormDialog
      title={`Roll ${label}`}
      action="Roll key"
      request={request}
      onSubmit={() => onRoll(Number(grace))}
      onClose={onClose}
    >
      <p>The key gets a new value, which is shown once. Its label, scopes and expiry stay the same.</p>
      <Select
        label="Old value"
        description={
          grace === AT_ONCE
            ? 'Every program that uses the key gets 401 at once, until it has the new value.'
            : 'After that, every program that still uses the old value gets 401.'
        }
        options={GRACES}
        value={grace}
        onChange={setGrace}
      />
    </FormDialog>
  );
}

export function DeleteDialog({
  label,
  lastUsedAt,
  request,
  onDelete,
  onClose,
}: Common & { lastUsedAt: string | null; onDelete: () => void }) {
  return (
    <FormDialog
      title={`Delete ${label}`}
      action="Delete key"
      kind="danger"
      request={request}
      onSubmit={onDelete}
      onClose={onClose}
    >
      <p>
        {lastUsedAt === null ? (
          'The key has never been used. '
        ) : (
          <>
            The key was last used <Time iso={lastUsedAt} />.{' '}
          </>
        )}
        Every program that uses it gets 401 at once. This cannot be undone.
      </p>
    </FormDialog>
  );
}
