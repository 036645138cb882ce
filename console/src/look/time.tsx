/** Instants and intervals as people read them: in the viewer's zone, which is named, and in UTC. */
import { useSyncExternalStore } from 'react';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** The zone that times are shown in, as `Europe/Berlin`. */
export const viewerZone = zone === 'Etc/UTC' ? 'UTC' : zone;
const isUtc = viewerZone === 'UTC';

type Parts = { weekday?: boolean; date?: boolean; seconds?: boolean; year?: boolean };

function formatter(timeZone: string, { weekday = false, date = true, seconds = false, year = false }: Parts) {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    ...(weekday && { weekday: 'short' }),
    ...(date && { day: 'numeric', month: 'short', ...(year && { year: 'numeric' }) }),
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    hourCycle: 'h23',
  });
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** @param timeZone IANA name; without it the viewer's @returns text such as `22 Nov, 10:00` */
export function formatTime(iso: string, parts: Parts & { timeZone?: string } = {}): string {
  const { timeZone = viewerZone } = parts;
  const instant = new Date(iso);
  const year = yearOf(instant, timeZone) !== thisYear(timeZone);
  const key = `${timeZone} ${parts.weekday} ${parts.date} ${parts.seconds} ${year}`;
  return cachedFormatter(key, () => formatter(timeZone, { ...parts, year })).format(instant);
}

/** The year in the time zone, which begins up to 14 hours before the year in UTC, or up to 12 hours after. */
function yearOf(instant: Date, timeZone: string): string {
  if (timeZone === 'UTC') return String(instant.getUTCFullYear());
  return cachedFormatter(
    `${timeZone} year`,
    () => new Intl.DateTimeFormat('en-GB', { timeZone, year: 'numeric' }),
  ).format(instant);
}

const years = new Map<string, { minute: number; year: string }>();

/** The present year in the zone, cached for a minute: a screen of the grid formats a thousand instants. */
function thisYear(timeZone: string): string {
  const minute = Math.floor(Date.now() / 60_000);
  const known = years.get(timeZone);
  if (known?.minute === minute) return known.year;
  const year = yearOf(new Date(), timeZone);
  years.set(timeZone, { minute, year });
  return year;
}

/** Cached, because making a formatter takes as long as many uses of it. */
function cachedFormatter(key: string, make: () => Intl.DateTimeFormat): Intl.DateTimeFormat {
  const formatter = formatters.get(key) ?? make();
  formatters.set(key, formatter);
  return formatter;
}

/** @returns text such as `UTC` or `GMT+1`, to show next to times */
export function zoneName(iso: string, timeZone = viewerZone): string {
  const names = cachedFormatter(
    `${timeZone} name`,
    () => new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short' }),
  );
  const parts = names.formatToParts(new Date(iso));
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

const IN_UTC = 'sluice.times-in-utc';
let zoneShown: string | undefined;
const zoneListeners = new Set<() => void>();

/** The viewer's zone, or UTC where this browser has switched to it. */
const shownZone = (): string => (zoneShown ??= localStorage.getItem(IN_UTC) === 'on' ? 'UTC' : viewerZone);

export const useShownZone = (): string =>
  useSyncExternalStore((changed) => {
    zoneListeners.add(changed);
    return () => zoneListeners.delete(changed);
  }, shownZone);

/** Shows all times in the other zone: the title of a time, with the same, is for pointers only. @returns the zone */
export function switchZone(): string {
  zoneShown = shownZone() === 'UTC' ? viewerZone : 'UTC';
  localStorage.setItem(IN_UTC, zoneShown === 'UTC' ? 'on' : 'off');
  for (const changed of zoneListeners) changed();
  return zoneShown;
}

/** An instant in the shown zone; its title has it in the other one. */
export function Time({ iso, ...parts }: { iso: string } & Parts) {
  const timeZone = useShownZone();
  const other = timeZone === 'UTC' ? viewerZone : 'UTC';
  return (
    <time
      dateTime={iso}
      title={isUtc ? iso : `${formatTime(iso, { ...parts, date: true, timeZone: other })} ${zoneName(iso, other)}`}
    >
      {formatTime(iso, { ...parts, timeZone })} {zoneName(iso, timeZone)}
    </time>
  );
}

/** Whether an instant is today in the viewer's zone; sentences then leave out the date. */
export const isToday = (iso: string): boolean => new Date(iso).toDateString() === new Date().toDateString();

/** The last end that was formatted, which is also the start of the grid's next interval: a screen of the grid formats a thousand intervals. */
let lastEnd = { iso: '', timeZone: '', text: '' };

/** @returns a data interval, in UTC unless another zone is given: `22 Nov 10:00–11:00 UTC`, or `22 Nov 00:00–23 Nov 00:00 UTC` */
export function formatInterval(start: string, end: string, timeZone = 'UTC'): string {
  const isKnown = lastEnd.iso === start && lastEnd.timeZone === timeZone;
  const [startDay, startTime] = (isKnown ? lastEnd.text : formatTime(start, { timeZone })).split(', ');
  lastEnd = { iso: end, timeZone, text: formatTime(end, { timeZone }) };
  const [endDay, endTime] = lastEnd.text.split(', ');
  return `${startDay} ${startTime}–${endDay === startDay ? '' : `${endDay} `}${endTime} ${timeZone === 'UTC' ? 'UTC' : zoneName(start, timeZone)}`;
}

const UNITS = [
  ['day', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** @returns the duration in its largest unit alone, as `4 min`, `3 h`, `2 days` */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  for (const [unit, size] of UNITS) {
    if (seconds < size) continue;
    const count = Math.floor(seconds / size);
    return unit === 'day' ? `${count} ${count === 1 ? 'day' : 'days'}` : `${count} ${unit}`;
  }
  return `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s`;
}

/** @returns how long ago, or how long until, as `4 min ago` and `in 4 min` */
export function formatRelativeTime(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1000;
  if (Math.abs(seconds) < 5) return 'just now';
  return seconds > 0 ? `${formatDuration(seconds)} ago` : `in ${formatDuration(-seconds)}`;
}

export const formatCount = (count: number): string => count.toLocaleString('en-US');

const BYTES = ['B', 'kB', 'MB', 'GB', 'TB'];

/** @returns in powers of 1,000, as `4.2 MB` */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${BYTES[power]}`;
}

/** @returns the value of a `datetime-local` input for this instant, in the viewer's zone: `2026-11-24T18:00` */
export function localInput(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param typed the value of an input for local times @returns ISO; undefined if it is not a time */
export function instantOf(typed: string): string | undefined {
  return Number.isNaN(Date.parse(typed)) ? undefined : new Date(typed).toISOString();
}
