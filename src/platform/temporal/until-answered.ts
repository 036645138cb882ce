/** Waiting for a Temporal server that does not answer: it is starting, being upgraded, or hung. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../errors.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** gRPC's INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: another attempt would get them again. */
const FINAL = new Set([3, 7, 12, 16]);

export type Waiting = {
  signal: AbortSignal;
  /** Called with every attempt that failed. */
  onFailure(error: unknown): void;
};

/**
 * Makes attempts until Temporal answers one, with pauses that grow to ten seconds.
 * @param attempt ends by itself when Temporal is silent
 * @throws an error that a retry would meet again, such as a missing permission; errors that are not Temporal's; the signal's reason
 */
export async function untilAnswered<T>(attempt: () => Promise<T>, { signal, onFailure }: Waiting): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      onFailure(error);
    }
    await sleep(pause, undefined, { signal });
  }
}

/** `TransportError` is of the worker's SDK, whose native parts not every process loads. */
function mayPass(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof Unavailable || at.name === 'TransportError') return true;
    const { code } = at as { code?: unknown };
    if (typeof code === 'number') return !FINAL.has(code);
  }
  return false;
}
