/** The time at which a dashboard's link stops working, in the viewer's zone. */
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import { Form } from '../../look/edits/form.tsx';
import { useNow } from '../../look/now.ts';
import { Select } from '../../look/select.tsx';
import { formatRelativeTime, instantOf, localInput, Time, viewerZone } from '../../look/time.tsx';
import type { Sharing } from '../dashboards-data.ts';
import styles from './sharing.module.css';

const DAY = 86_400_000;
/** Days from the moment of the choice. */
const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30 };

const CHOICES = [
  { value: 'never', label: 'Never' },
  { value: 'day', label: 'In 24 hours' },
  { value: 'week', label: 'In 7 days' },
  { value: 'month', label: 'In 30 days' },
  { value: 'at', label: 'At a certain time' },
];

type ExpiryProps = {
  sharing: Pick<Sharing, 'enabled' | 'expires_at'>;
  isPending: boolean;
  error: string | undefined;
  onChange: (expires_at: string | null) => void;
};

export function Expiry({ sharing: { enabled, expires_at: expiresAt }, isPending, error, onChange }: ExpiryProps) {
  const [isTimeChosen, setTimeChosen] = useState(false);
  const choice = isTimeChosen || expiresAt !== null ? 'at' : 'never';

  function choose(chosen: string) {
    setTimeChosen(chosen === 'at');
    if (chosen === 'never') onChange(null);
    if (chosen in DAYS) onChange(new Date(Date.now() + DAYS[chosen]! * DAY).toISOString());
  }

  return (
    <section aria-label="Expiry" className={styles.part}>
      <div className={styles.expiry}>
        <Select
          label="The link stops working"
          options={CHOICES}
          value={choice}
          onChange={choose}
          isDisabled={isPending}
          error={choice === 'at' ? undefined : error}
        />
        {choice === 'at' && (
          // A new stored time replaces what was typed.
          <ExpiryTimeForm
            key={expiresAt}
            expiresAt={expiresAt}
            isPending={isPending}
            error={error}
            onChange={onChange}
          />
        )}
      </div>
      {expiresAt !== null && <Validity expiresAt={expiresAt} enabled={enabled} />}
    </section>
  );
}

type AtProps = Omit<ExpiryProps, 'sharing'> & { expiresAt: string | null };

function ExpiryTimeForm({ expiresAt, isPending, error, onChange }: AtProps) {
  const storedValue = expiresAt === null ? '' : localInput(expiresAt);
  const [typed, setTyped] = useState(storedValue);
  return (
    <Form className={styles.at!} isPending={isPending} onSubmit={() => onChange(instantOf(typed) ?? typed)}>
      <TextField
        label={`Time (${viewerZone})`}
        type="datetime-local"
        value={typed}
        onChange={setTyped}
        isRequired
        error={error}
      />
      <Button type="submit" isPending={isPending} isDisabled={typed === storedValue}>
        Set the time
      </Button>
    </Form>
  );
}

export function Validity({ expiresAt, enabled }: { expiresAt: string; enabled: boolean }) {
  const now = useNow();
  const time = <Time iso={expiresAt} weekday />;
  if (Date.parse(expiresAt) > now) {
    return (
      <p role="status">
        It works until {time}, {formatRelativeTime(expiresAt, now)}.
      </p>
    );
  }
  return (
    <p role="status" className={styles.error}>
      <strong>Expired</strong> {time}.{' '}
      {enabled
        ? 'Visitors see “not found”. If you set a later time or “Never”, the same link works again.'
        : 'Set a later time or “Never” before you share the dashboard again.'}
    </p>
  );
}
