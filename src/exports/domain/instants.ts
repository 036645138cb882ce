/** Conversion between ISO text and whole seconds. Stored instants with microseconds are not converted here; see `events/`. */
import type { Millis } from './millis.ts';

/** `2015-05-17T10:00:00Z`: as Temporal writes a nominal time into a workflow id. */
export function isoSeconds(at: Millis): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** `2015-05-17T10:00:00.000000Z`: as Postgres and the API write an instant. */
export function isoMicros(at: Millis): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** Reads either form, or any ISO instant with an offset; a fraction below milliseconds is cut off. */
export function millisOf(iso: string): Millis {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) throw new RangeError(`not an instant: ${iso}`);
  return at;
}
