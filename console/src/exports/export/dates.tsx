/** Selects intervals by their first and last date or time, however far from now; the selection is in the address. */
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import { isOfCalendar } from '../words/cadence.ts';
import styles from './export.module.css';
import { instantOf, typedOf, type ExportClock } from './local-dates.ts';

type Selection = { start: string | undefined; end: string | undefined };

type DatesProps = Selection & { one: ExportClock; onGo: (range: { start: string; end: string }) => void };

/** The fields are in the zone of the grid. */
export function Dates({ one, start, end, onGo }: DatesProps) {
  const isDays = isOfCalendar(one.interval);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [faults, setFaults] = useState<{ from?: string; to?: string }>({});
  // State resets the fields when the selection changes; a `key` would make a new form, and lose the focus.
  const [shown, setShown] = useState<Selection>({ start: undefined, end: undefined });
  if (shown.start !== start || shown.end !== end) {
    setShown({ start, end });
    setFrom(start ? typedOf(start, one) : '');
    setTo(end ? typedOf(end, one, -1) : '');
    setFaults({});
  }
  const field = { type: isDays ? 'date' : 'datetime-local', isRequired: true } as const;
  const zone = isDays ? one.timezone : 'UTC';
  function submit() {
    const range = { start: instantOf(from, one), end: instantOf(to, one, 1) };
    // A year of five digits gives NaN, which fails both comparisons.
    if (!(range.start >= 0 && range.start <= Date.now()))
      return setFaults({ from: 'This must lie between 1970 and now: later intervals have not ended.' });
    if (Number.isNaN(range.end)) return setFaults({ to: 'The year has more than four digits.' });
    if (range.start >= range.end) return setFaults({ to: 'This is not later than From.' });
    setFaults({});
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
      <TextField label={`From (${zone})`} {...field} value={from} onChange={setFrom} error={faults.from} />
      <TextField label={`To (${zone})`} {...field} value={to} onChange={setTo} error={faults.to} />
      <Button type="submit">Go there</Button>
    </form>
  );
}
