/**
 * Limits how many requests a key may make in any minute and in any hour. Each process counts on its own, so with several processes behind
 * one address the limit applies to each.
 */
import { Throttled } from '../../platform/errors.ts';

export type RequestLimits = { perMinute: number; perHour: number };

/** Counts a request. @throws Throttled, without counting it, if the key has made too many */
export type RequestLimit = (keyId: string) => void;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Maximum number of keys in memory; the least recently used is forgotten first. */
const MAX_KEYS = 10_000;

/**
 * Creates a limit with sliding windows: a request counts for a minute, and for an hour, after it was made. Refused requests do not count,
 * so a caller that waits for `Retry-After` is admitted.
 *
 * @param now a monotonic clock, in milliseconds
 */
export function createRequestLimit(
  { perMinute, perHour }: RequestLimits,
  now: () => number = () => performance.now(),
): RequestLimit {
  const windows = [
    { requests: perMinute, ms: MINUTE_MS },
    { requests: perHour, ms: HOUR_MS },
  ];
  const timesByKey = new Map<string, number[]>();

  function timesOf(keyId: string): number[] {
    const times = timesByKey.get(keyId) ?? [];
    // Moves the key to the end of the map: the latest caller is last.
    timesByKey.delete(keyId);
    timesByKey.set(keyId, times);
    if (timesByKey.size > MAX_KEYS) timesByKey.delete(timesByKey.keys().next().value!);
    return times;
  }

  return (keyId) => {
    const times = timesOf(keyId);
    const atMs = now();
    const waits = windows.map(({ requests, ms }) => (times.at(-requests) ?? -Infinity) + ms - atMs);
    const waitMs = Math.max(...waits);
    // tooth: request-limit
    if (waitMs > 0) throw new Throttled(Math.ceil(waitMs / 1000));
    times.push(atMs);
    dropExpired(times, atMs - HOUR_MS);
  };
}

/** Drops the older half only once all of it has expired, because removing elements moves the rest. */
function dropExpired(times: number[], beforeMs: number): void {
  const half = times.length >> 1;
  if (times[half]! <= beforeMs) times.splice(0, half);
}
