/** Selects intervals by the dates and times between which they lie, however far from now; the selection is in the address. */
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import { isOfCalendar } from '../words/cadence.ts';
import styles from './export.module.css';
import { instantOf, typedOf, type Hours } from './local-dates.ts';

type Chosen = { start: string; end: string };

type DatesProps = { one: Hours; start: string | undefined; end: string | undefined; onGo: (range: Chosen) => void };

/** The fields are in the zone of the grid. */
export function Dates({ one, start, end, onGo }: DatesProps) {
  const isDays = isOfCalendar(one.interval);
  const [from, setFrom] = useState(() => (start ? typedOf(start, one) : ''));
  const [to, setTo] = useState(() => (end ? typedOf(end, one, -1) : ''));
  const [error, setError] = useState<string>();
  const field = { type: isDays ? 'date' : 'datetime-local', isRequired: true } as const;
  const zone = isDays ? one.timezone : 'UTC';
  function submit() {
    const range = { start: instantOf(from, one), end: instantOf(to, one, 1) };
    const isEmpty = range.start >= range.end;
    if (isEmpty || range.start > Date.now())
      return setError(
        isEmpty ? 'This is not later than From.' : 'From must be in the past: later intervals have not ended.',
      );
    setError(undefined);
    onGo({ start: new Date(range.start).toISOString(), end: new Date(range.end).toISOString() });
  }
  return (
    <form
      className={styles.dates}
      aria-label="Go to dates"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField label={`From (${zone})`} {...field} value={from} onChange={setFrom} />
      <TextField label={`To (${zone})`} {...field} value={to} onChange={setTo} error={error} />
      <Button type="submit">Go there</Button>
    </form>
  );
}
