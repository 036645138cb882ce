/** Converts between ISO text and milliseconds. For instants whose microseconds matter see `events/`. */
import type { Millis } from './millis.ts';

/** Formats like `2015-05-17T10:00:00Z`, as Temporal does in the workflow ids of a schedule. */
export function isoSeconds(instant: Millis): string {
  return new Date(instant).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Formats like `2015-05-17T10:00:00.000000Z`, as Postgres and the API do. */
export function isoMicros(instant: Millis): string {
  return new Date(instant).toISOString().replace('Z', '000Z');
}

/** Parses both forms, and any ISO instant with an offset; drops digits below milliseconds. */
export function millisOf(iso: string): Millis {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) throw new RangeError(`not an instant: ${iso}`);
  return at;
}
