/** The log's own account, read without Sluice: how many requests each hour has. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Range } from './api.ts';

const HOUR_MS = 3_600_000;

const QUOTED = String.raw`(?:[^"\\]|\\.)*`;
const MONTH = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const TIME = String.raw`(\d{2})/${MONTH}/(\d{4}):([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60) ([+-])(\d{2})(\d{2})`;
/** The combined log format; the user agent may be cut off, and what follows it is anything. */
const LINE = new RegExp(
  String.raw`^\S+ \S+ \S+ \[${TIME}\] "${QUOTED}" \d{3} (?:\d+|-) "${QUOTED}" "${QUOTED}(?:".*)?$`,
);

/** Requests by the hour in which they happened, the hour as `2015-05-17T10:00:00.000000Z`. */
export type RequestsByHour = Map<string, number>;

/** `badLines`: neither blank nor in the combined log format; `sluice capture` leaves them out, too. */
export type Log = { requests: RequestsByHour; badLines: number };

/** @throws Error when the file cannot be read */
export async function readLog(file: string): Promise<Log> {
  const requests: RequestsByHour = new Map();
  let badLines = 0;
  for await (const line of linesOf(file)) {
    if (line.trim() === '') continue;
    const at = requestTime(line);
    if (at === undefined) badLines += 1;
    else requests.set(hourOf(at), (requests.get(hourOf(at)) ?? 0) + 1);
  }
  return { requests, badLines };
}

/** Lines end with `\n` alone: other ends, which `node:readline` knows, may be inside a user agent. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  try {
    // A failure on the way surfaces where the text is read, hence the empty callback.
    const stored = createReadStream(file);
    const text = file.endsWith('.gz') ? pipeline(stored, createGunzip(), () => {}) : stored;
    for await (const block of text.setEncoding('utf8') as AsyncIterable<string>) {
      const pieces = (rest + block).split('\n');
      rest = pieces.pop() ?? '';
      yield* pieces;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${file} cannot be read (${code ?? message}).`, { cause: error });
  }
  yield rest;
}

/** @returns in milliseconds since 1970; undefined when the line is no request, or its day does not exist */
export function requestTime(line: string): number | undefined {
  const [, day, month, year, hour, minute, second, sign, zoneHours, zoneMinutes] = LINE.exec(line.trim()) ?? [];
  const midnight = Date.parse(`${day} ${month} ${year} UTC`);
  // 31 February would be 3 March.
  if (new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  const clock = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000;
  return midnight + clock + (sign === '-' ? zone : -zone);
}

/** From the first request's hour to the end of the last one's. @throws Error when the log holds no request */
export function rangeOf(requests: RequestsByHour): Range {
  const hours = [...requests.keys()].sort();
  const [first, last] = [hours[0], hours.at(-1)];
  if (first === undefined || last === undefined)
    throw new Error('The log holds no request in the combined log format.');
  return { from: first, to: hourOf(Date.parse(last) + HOUR_MS) };
}

/** Every hour of the range, those without a request too. */
export function hoursOf({ from, to }: Range): string[] {
  const hours = (Date.parse(to) - Date.parse(from)) / HOUR_MS;
  return Array.from({ length: hours }, (_, index) => hourOf(Date.parse(from) + index * HOUR_MS));
}

/** A data interval that should be delivered, with as many rows as the log has requests in it. */
export type Expected = { start: string; end: string; requests: number };

export function expectedOf(hours: readonly string[], counts: RequestsByHour, interval: 'hour' | 'day'): Expected[] {
  const length = interval === 'hour' ? HOUR_MS : 24 * HOUR_MS;
  const byStart = Map.groupBy(hours, (hour) => Date.parse(hour) - (Date.parse(hour) % length));
  return [...byStart].map(([start, inside]) => ({
    start: hourOf(start),
    end: hourOf(start + length),
    requests: inside.reduce((sum, hour) => sum + (counts.get(hour) ?? 0), 0),
  }));
}

/** The hour that an instant is in. @throws Error when the text is no instant */
export function hourAt(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) throw new Error(`${instant} is no instant like 2015-05-17T10:00:00Z.`);
  return hourOf(ms);
}

/** In the form in which the API and the files write instants. */
function hourOf(ms: number): string {
  return new Date(ms - (ms % HOUR_MS)).toISOString().replace('.000Z', '.000000Z');
}
