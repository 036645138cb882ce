/**
 * An export's fate as it should be, told by a model that shares no code with the product: boundaries by looking at a clock on the
 * wall every quarter of an hour, a list of what was wanted when.
 */
import { wallClock } from './matching-times.ts';

export type ModelCadence = { interval: string; timezone: string; offsetDay: number; offsetHour: number };
/** A wish for the interval that ends then, by a backfill if one was needed. */
export type Wish = { end: number; at: number; backfill: string | null };
export type Tile = { start: number; end: number };

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 24 * 60 * MINUTE;
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** Boundaries after `from` and not after `to`. */
export function boundaries(cadence: ModelCadence, from: number, to: number): number[] {
  const minutes = cadence.interval === 'hour' ? 60 : Number(/\d+/.exec(cadence.interval)?.[0]);
  const step = minutes ? minutes * MINUTE : QUARTER;
  const found: number[] = [];
  for (let at = (Math.floor(from / step) + 1) * step; at <= to; at += step) {
    if (minutes || isBoundary(cadence, at)) found.push(at);
  }
  return found;
}

/** Whether a day, week or month begins: the clock shows the hour for the first time, or has just jumped over it. */
function isBoundary({ interval, timezone, offsetDay, offsetHour }: ModelCadence, at: number): boolean {
  const now = wallClock(at, timezone);
  if (interval === 'week' && now.dayOfWeek !== DAYS[offsetDay]) return false;
  if (interval === 'month' && now.dayOfMonth !== 1) return false;
  const reading = now.hour * 60 + now.minute;
  const before = readingAt(timezone, at - QUARTER, now.dayOfMonth);
  const hour = offsetHour * 60;
  if (reading === hour) return ![2, 4].some((n) => readingAt(timezone, at - n * QUARTER, now.dayOfMonth) === hour);
  return reading - before > 15 && before < hour && hour < reading;
}

/** Minutes of the day that the clock shows, negative when it is still the day before. */
function readingAt(timezone: string, at: number, dayOfMonth: number): number {
  const then = wallClock(at, timezone);
  const minutes = then.hour * 60 + then.minute;
  return then.dayOfMonth === dayOfMonth ? minutes : minutes - 24 * 60;
}

function isSame(a: ModelCadence, b: ModelCadence): boolean {
  const ofCalendar = ['day', 'week', 'month'].includes(a.interval);
  if (a.interval !== b.interval || !ofCalendar) return a.interval === b.interval;
  return a.timezone === b.timezone && a.offsetDay === b.offsetDay && a.offsetHour === b.offsetHour;
}

/** The history of an export: its cadences, pauses and wishes. */
export class Model {
  readonly createdAt: number;
  readonly endAt: number;
  private specs: { cadence: ModelCadence; from: number }[];
  private readonly pauses: { from: number; to: number }[] = [];
  private readonly places: { directory: string; turn: number }[] = [];
  readonly wishes: Wish[] = [];

  constructor(cadence: ModelCadence, createdAt: number, endAt: number) {
    this.specs = [{ cadence, from: -Infinity }];
    this.createdAt = createdAt;
    this.endAt = endAt;
  }

  static copyOf(model: Model): Model {
    return Object.setPrototypeOf(structuredClone(model), Model.prototype) as Model;
  }

  /** @param turn in the order of all that was stored and planned */
  move(directory: string, turn: number): void {
    this.places.push({ directory, turn });
  }

  get directory(): string {
    return this.places.at(-1)!.directory;
  }

  /** Where a run delivers that was planned then. */
  directoryAt(turn: number): string {
    return this.places.findLast((place) => place.turn < turn)!.directory;
  }

  get cadence(): ModelCadence {
    return this.specs.at(-1)!.cadence;
  }

  get paused(): boolean {
    return this.pauses.at(-1)?.to === Infinity;
  }

  get pausedAt(): number {
    return this.pauses.at(-1)!.from;
  }

  pause(at: number): void {
    if (!this.paused) this.pauses.push({ from: at, to: Infinity });
  }

  unpause(at: number): void {
    if (this.paused) this.pauses.at(-1)!.to = at;
  }

  change(cadence: ModelCadence, at: number): void {
    const handover = this.tiles(at, at + 45 * DAY).find(({ end }) => end > at)!.end;
    this.specs = this.specs.filter(({ from }) => from < handover);
    if (!isSame(this.cadence, cadence)) this.specs.push({ cadence, from: handover });
  }

  wish(ends: readonly number[], at: number, backfill: string | null): void {
    this.wishes.push(...ends.map((end) => ({ end, at, backfill })));
  }

  /** The data intervals that end after `from` and not after `to`. */
  tiles(from: number, to: number): Tile[] {
    const tiles: Tile[] = [];
    for (const [index, { cadence, from: begin }] of this.specs.entries()) {
      const until = this.specs[index + 1]?.from ?? Infinity;
      const first = Math.max(begin, from - 45 * DAY);
      const last = Math.min(until, to);
      if (last < first) continue;
      const ends = boundaries(cadence, first, last);
      if (until <= to && ends.at(-1) !== until) ends.push(until);
      let start = begin === -Infinity ? undefined : first === begin ? begin : undefined;
      for (const end of ends) {
        if (start !== undefined && end > from) tiles.push({ start, end });
        start = end;
      }
    }
    return tiles;
  }

  isDue(end: number, now: number): boolean {
    const paused = this.pauses.some(({ from, to }) => from <= end && end < to);
    return end > this.createdAt && end <= Math.min(now, this.endAt) && !paused;
  }
}
