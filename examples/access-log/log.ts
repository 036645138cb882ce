/** What the log itself says, read without Sluice: how many requests each hour has. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Range } from './api.ts';

const HOUR_MS = 3_600_000;
const TIME = /\[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})\]/;

/** Requests by the hour in which they happened, the hour as `2015-05-17T10:00:00.000000Z`. */
export type RequestsByHour = Map<string, number>;

export async function countByHour(file: string): Promise<RequestsByHour> {
  const counts: RequestsByHour = new Map();
  const source = createReadStream(file);
  const text = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  for await (const line of createInterface({ input: text })) {
    const [, day, month, year, time, zoneHours, zoneMinutes] = TIME.exec(line) ?? [];
    const at = Date.parse(`${day} ${month} ${year} ${time} ${zoneHours}${zoneMinutes}`);
    if (!Number.isNaN(at)) counts.set(hourOf(at), (counts.get(hourOf(at)) ?? 0) + 1);
  }
  return counts;
}

/** From the first request's hour to the end of the last one's. @throws Error when the log holds no request */
export function rangeOf(counts: RequestsByHour): Range {
  const hours = [...counts.keys()].sort();
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

export function nextHour(hour: string): string {
  return hourOf(Date.parse(hour) + HOUR_MS);
}

/** The hour that an instant is in. @throws RangeError when the text is no instant */
export function hourAt(instant: string): string {
  return hourOf(Date.parse(instant));
}

/** In the form in which the API and the files write instants. */
function hourOf(ms: number): string {
  return new Date(ms - (ms % HOUR_MS)).toISOString().replace('.000Z', '.000000Z');
}
