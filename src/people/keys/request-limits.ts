/**
 * Limits how many requests a key may make in any minute and in any hour. Counted in this process alone, so with several
 * processes behind one address the limit applies to each.
 */
import { Throttled } from '../../platform/errors.ts';

export type RequestLimits = { perMinute: number; perHour: number };

/** @throws Throttled, and nothing was counted, when the key made too many requests already */
export type RequestLimit = (keyId: string) => void;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Maximum number of keys in memory; the least recently used is forgotten first. */
const MAX_KEYS = 10_000;

/**
 * Windows slide: a request counts for a minute, and for an hour, after it was made; a refused request does not count. So
 * a caller that waits for `Retry-After` is let in.
 *
 * @param now milliseconds of a clock that never goes back
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
    forgetOlder(times, atMs - HOUR_MS);
  };
}

/** Drops the older half once all of it is old: moving the rest costs as much. */
function forgetOlder(times: number[], thanMs: number): void {
  const half = times.length >> 1;
  if (times[half]! <= thanMs) times.splice(0, half);
}
