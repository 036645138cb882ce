/**
 * Local times of a time zone, and when its clocks show them. A reading is written as the instant at which a clock in UTC shows it:
 * 02:30 in Berlin is `Date.UTC(..., 2, 30)`. Depends on the runtime's table of zones, so workflows must not compute with it.
 */
import type { Millis } from './millis.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Creating a formatter takes as long as using it a hundred times. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const [numeric, twoDigits] = ['numeric', '2-digit'] as const;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: numeric,
    month: twoDigits,
    day: twoDigits,
    hour: twoDigits,
    minute: twoDigits,
    second: twoDigits,
  });
  formatters.set(zone, made);
  return made;
}

/** Local time at the instant, to the second. */
export function wallClockAt(zone: string, instant: Millis): Millis {
  if (zone === 'UTC') return instant;
  const second = Math.floor(instant / 1000) * 1000;
  return second + offsetAt(zone, second);
}

/** Shorter than the time between two changes of a zone's offset, so a stretch whose two ends have the same offset has no change. */
const OFFSET_PROBE_SPAN = 2 * DAY;

/**
 * How far the clock is ahead of UTC. Formatting is slow, so it is used only at the ends of stretches, and within a stretch that has a change.
 */
function offsetAt(zone: string, instant: Millis): Millis {
  const stretch = Math.floor(instant / OFFSET_PROBE_SPAN);
  const before = offsetAtStartOf(zone, stretch);
  return before === offsetAtStartOf(zone, stretch + 1) ? before : formattedOffsetAt(zone, instant);
}

/** Limit of known offsets, for all zones together a few megabytes; when it is reached, all are forgotten. */
const MAX_KNOWN_OFFSETS = 100_000;
/** Offsets at the starts of stretches, by zone and number of the stretch. */
const knownOffsets = new Map<string, Map<number, Millis>>();
let knownCount = 0;

function offsetAtStartOf(zone: string, stretch: number): Millis {
  const known = knownOffsets.get(zone)?.get(stretch);
  if (known !== undefined) return known;
  if (knownCount === MAX_KNOWN_OFFSETS) {
    knownOffsets.clear();
    knownCount = 0;
  }
  const ofZone = knownOffsets.get(zone) ?? new Map<number, Millis>();
  const offset = formattedOffsetAt(zone, stretch * OFFSET_PROBE_SPAN);
  knownOffsets.set(zone, ofZone.set(stretch, offset));
  knownCount += 1;
  return offset;
}

function formattedOffsetAt(zone: string, instant: Millis): Millis {
  const second = Math.floor(instant / 1000) * 1000;
  // `05/17/2015, 10:30:00`
  const [month, day, year, hour, minute, seconds] = formatterOf(zone).format(second).split(/\D+/).map(Number);
  // Date.UTC takes the years 0 to 99 for those of the 20th century.
  const shown = new Date(0).setUTCFullYear(year!, month! - 1, day) + hour! * HOUR + minute! * 60_000 + seconds! * 1000;
  return shown - second;
}

/**
 * When the clock shows a reading. For a reading that is shown twice, the first time; a reading that is skipped is moved
 * forward by the length of the jump (02:30 becomes 03:30): the `compatible` way of RFC 5545 and of ECMAScript's Temporal.
 */
export function instantOf(zone: string, reading: Millis): Millis {
  if (zone === 'UTC') return reading;
  const [first] = shownAt(zone, reading);
  return first ?? reading - offsetAt(zone, reading - DAY);
}

/** The instants at which the clock shows a reading, the earlier first: none, one or two. */
function shownAt(zone: string, reading: Millis): Millis[] {
  // Between these two instants the clock is changed at most once.
  const before = offsetAt(zone, reading - DAY);
  const after = offsetAt(zone, reading + DAY);
  if (before === after) return [reading - before];
  const either = [reading - Math.max(before, after), reading - Math.min(before, after)];
  return either.filter((at) => wallClockAt(zone, at) === reading);
}

/** Whether the clock shows a reading twice. */
export function isShownTwice(zone: string, reading: Millis): boolean {
  return shownAt(zone, reading).length > 1;
}

/** Whether the clock is changed in the two hours before an instant or the two after. */
export function isChangedNear(zone: string, instant: Millis): boolean {
  return zone !== 'UTC' && offsetAt(zone, instant - 2 * HOUR) !== offsetAt(zone, instant + 2 * HOUR);
}
