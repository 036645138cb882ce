/** Converts between typed dates and times in an export's time zone, and instants. */
import { isOfCalendar } from '../words/cadence.ts';

export type ExportClock = { interval: string; timezone: string; offset_hour: number | null };

const DAY = 86_400_000;

/**
 * Computes the interval boundary on a local date, as the server does. Of a time that the clock shows twice it takes the first; a time that
 * the clock skips moves forward by the length of the jump. For hours and minutes the text is a time in UTC.
 * @param days added to a date, because a range of days includes its last one
 */
export function instantOf(typed: string, { interval, timezone, offset_hour }: ExportClock, days = 0): number {
  if (!isOfCalendar(interval)) return Date.parse(`${typed}Z`);
  const wanted = Date.parse(`${typed}T00:00Z`) + days * DAY + (offset_hour ?? 0) * 3_600_000;
  // No zone changes its clocks twice between these two instants.
  const before = offsetAt(wanted - DAY, timezone);
  const after = offsetAt(wanted + DAY, timezone);
  const either = [wanted - Math.max(before, after), wanted - Math.min(before, after)];
  return either.find((at) => at + offsetAt(at, timezone) === wanted) ?? wanted - before;
}

/** The inverse of `instantOf`. */
export function typedOf(iso: string, { interval, timezone, offset_hour }: ExportClock, days = 0): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return '';
  if (!isOfCalendar(interval)) return new Date(at).toISOString().slice(0, 16);
  const local = at + offsetAt(at, timezone) - (offset_hour ?? 0) * 3_600_000 + days * DAY;
  return new Date(local).toISOString().slice(0, 10);
}

/** Milliseconds by which a zone's clocks are ahead of UTC; 0 if `at` is NaN. */
function offsetAt(at: number, timeZone: string): number {
  if (Number.isNaN(at)) return 0;
  const name = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value;
  // Offsets had seconds until 1972.
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
}
