/** Selects intervals by the dates and times between which they lie, however far from now; the selection is in the address. */
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import { isOfCalendar } from '../words/cadence.ts';
import type { ExportBody } from './export-data.ts';
import styles from './export.module.css';

type Chosen = { start: string; end: string };
type Hours = Pick<ExportBody, 'interval' | 'timezone' | 'offset_hour'>;

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

const DAY = 86_400_000;

/** @param days added to a date, because a range of days includes its last one */
function instantOf(typed: string, { interval, timezone, offset_hour }: Hours, days = 0): number {
  if (!isOfCalendar(interval)) return Date.parse(`${typed}Z`);
  const wanted = Date.parse(`${typed}T00:00Z`) + days * DAY + (offset_hour ?? 0) * 3_600_000;
  // The offset at the wanted time is that of an instant near it, except where the clocks change between the two.
  const near = wanted - offsetAt(wanted, timezone);
  return wanted - offsetAt(near, timezone);
}

/** The inverse of `instantOf`. */
function typedOf(iso: string, { interval, timezone, offset_hour }: Hours, days = 0): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return '';
  if (!isOfCalendar(interval)) return new Date(at).toISOString().slice(0, 16);
  const local = at + offsetAt(at, timezone) - (offset_hour ?? 0) * 3_600_000 + days * DAY;
  return new Date(local).toISOString().slice(0, 10);
}

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(at: number, timeZone: string): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value;
  const [, sign, hours = 0, minutes = 0] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
