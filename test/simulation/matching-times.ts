/** When a schedule's spec starts something, read as Temporal documents it; every time zone here is a multiple of a quarter of an hour. */
import type { CalendarSpecDescription, ScheduleOptions } from '@temporalio/client';

const QUARTER = 15 * 60_000;

type Spec = ScheduleOptions['spec'] & { timezone?: string };

/** Instants after `from` and not after `to`. */
export function matchingTimes(spec: Spec, from: number, to: number): number[] {
  const times = new Set<number>();
  for (const { every } of spec.intervals ?? []) {
    const span = Number(every);
    for (let at = (Math.floor(from / span) + 1) * span; at <= to; at += span) times.add(at);
  }
  const calendars = (spec.calendars ?? []) as unknown as CalendarSpecDescription[];
  const skip = (spec.skip ?? []) as unknown as CalendarSpecDescription[];
  if (calendars.length > 0) {
    for (let at = (Math.floor(from / QUARTER) + 1) * QUARTER; at <= to; at += QUARTER) {
      const fields = wallClock(at, spec.timezone ?? 'UTC');
      if (calendars.some((one) => matches(one, fields)) && !skip.some((one) => matches(one, fields))) times.add(at);
    }
  }
  return [...times]
    .filter((at) => (!spec.startAt || at >= spec.startAt.getTime()) && (!spec.endAt || at <= spec.endAt.getTime()))
    .sort((a, b) => a - b);
}

export type WallClock = {
  year: number;
  month: string;
  dayOfMonth: number;
  dayOfWeek: string;
  hour: number;
  minute: number;
};

type Shown = { format: Intl.DateTimeFormat; at: Map<number, WallClock> };

/** Lives begin on the same few days: what clocks show then is looked up again and again. */
const shown = new Map<string, Shown>();

/** The time on a clock in the zone, in Temporal's words. */
export function wallClock(at: number, timeZone: string): WallClock {
  let zone = shown.get(timeZone);
  if (!zone) {
    zone = { format: formatOf(timeZone), at: new Map() };
    shown.set(timeZone, zone);
  }
  let clock = zone.at.get(at);
  if (!clock) {
    clock = read(zone.format, at);
    zone.at.set(at, clock);
  }
  return clock;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric' as const;
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'long',
    year: numeric,
    month: 'long',
    day: numeric,
    hour: numeric,
    minute: numeric,
  });
}

function read(format: Intl.DateTimeFormat, at: number): WallClock {
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    year: Number(part['year']),
    month: part['month']!.toUpperCase(),
    dayOfMonth: Number(part['day']),
    dayOfWeek: part['weekday']!.toUpperCase(),
    hour: Number(part['hour']),
    minute: Number(part['minute']),
  };
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];
const MONTHS = 'JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER'.split(' ');

function matches(calendar: CalendarSpecDescription, at: WallClock): boolean {
  const numbers = { second: 0, minute: at.minute, hour: at.hour, dayOfMonth: at.dayOfMonth, year: at.year };
  for (const [name, value] of Object.entries(numbers)) {
    const ranges = calendar[name as keyof typeof numbers] as { start: number; end: number }[];
    const any = name === 'year' && ranges.length === 0;
    if (!any && !ranges.some(({ start, end }) => start <= value && value <= end)) return false;
  }
  return isInRanges(calendar.month, at.month, MONTHS) && isInRanges(calendar.dayOfWeek, at.dayOfWeek, DAYS);
}

function isInRanges(
  ranges: readonly { start: string; end: string }[],
  value: string,
  order: readonly string[],
): boolean {
  const place = order.indexOf(value);
  return ranges.some(({ start, end }) => order.indexOf(start) <= place && place <= order.indexOf(end));
}
