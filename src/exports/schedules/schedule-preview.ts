/** Computes the next runs of an unsaved schedule, with their data intervals in UTC and in local time. */
import { boundaryAfter, boundaryAtOrBefore, type Cadence } from '../domain/cadence.ts';
import type { Millis } from '../domain/millis.ts';
import { wallClockAt } from '../domain/wall-clock.ts';

export type PreviewedRun = {
  start: Millis;
  /** End of the data interval; the run starts then, or up to the jitter later. */
  end: Millis;
  /** By how much clocks are set forward (or, below 0, back) during the interval, in milliseconds. */
  clockChange: Millis;
};

/** Runs start at `from` or later, and at `to` or earlier; `to` is null if there is no end. */
export type PreviewBounds = { from: Millis; to: Millis | null; count: number };

/** Last day whose ISO 8601 text has a year of four digits. */
const LATEST = Date.UTC(9999, 11, 31);

/** @returns oldest first */
export function nextRuns(cadence: Cadence, { from, to, count }: PreviewBounds): PreviewedRun[] {
  const runs: PreviewedRun[] = [];
  let start = boundaryAtOrBefore(cadence, from - 1);
  while (runs.length < count) {
    const end = boundaryAfter(cadence, start);
    if (end > Math.min(to ?? Infinity, LATEST)) break;
    const clockChange = offsetAt(cadence.timezone, end) - offsetAt(cadence.timezone, start);
    runs.push({ start, end, clockChange });
    start = end;
  }
  return runs;
}

function offsetAt(zone: string, instant: Millis): Millis {
  return wallClockAt(zone, instant) - instant;
}

/** Local time with the offset from UTC, such as `2026-10-25T00:00:00+02:00`. */
export function localIso(zone: string, instant: Millis): string {
  const offset = offsetAt(zone, instant);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${new Date(instant + offset).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${hour}:${minute}`;
}
