/**
 * How many requests a key may make: at most so many in any minute, and in any hour. Counted in this process alone: with several
 * processes behind one address each grants as much.
 */
import { Throttled } from '../../platform/errors.ts';

export type RequestLimits = { perMinute: number; perHour: number };

/** @throws Throttled, and nothing was counted, when the key made too many requests already */
export type RequestLimit = (keyId: string) => void;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Keys that are remembered: the one that asked longest ago is forgotten first. */
const MAX_KEYS = 10_000;

/**
 * Windows slide: a request counts until a minute, and an hour, after it was made, and one that was refused does not count. So
 * whoever comes back after `Retry-After` is let in.
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
    // The latest caller stands last.
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

/** By halves: to move what stays costs as much as what goes. */
function forgetOlder(times: number[], thanMs: number): void {
  const half = times.length >> 1;
  if (times[half]! <= thanMs) times.splice(0, half);
}
