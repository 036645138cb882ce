/** Pauses: spans of time in which an export's schedule starts nothing. */
import { millisOf } from './instants.ts';
import type { Millis } from './millis.ts';

/** Half-open, ISO; a pause without an end is the current one. */
export type Pause = { pausedAt: string; unpausedAt: string | null };

export function isPausedAt(pauses: readonly Pause[], instant: Millis): boolean {
  return pauses.some(
    ({ pausedAt, unpausedAt }) =>
      millisOf(pausedAt) <= instant && (unpausedAt === null || instant < millisOf(unpausedAt)),
  );
}
