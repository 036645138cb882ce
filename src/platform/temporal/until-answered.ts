/** Waits for a Temporal server that does not answer, because it is starting, is being upgraded or hangs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../errors.ts';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** gRPC's INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: another attempt would get them again. */
const FINAL_CODES = new Set([3, 7, 12, 16]);

export type Waiting = {
  signal: AbortSignal;
  /** Called with every attempt that failed. */
  onFailure(error: unknown): void;
};

/**
 * Repeats an attempt until Temporal answers it, with delays that grow to ten seconds.
 * @param attempt must fail, rather than wait for ever, while Temporal is silent
 * @throws the attempt's error if another attempt would meet it again, such as a missing permission, or if Temporal did not cause it;
 * the signal's reason once it is aborted
 */
export async function retryUntilAnswered<T>(attempt: () => Promise<T>, { signal, onFailure }: Waiting): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      onFailure(error);
    }
    // An aborted sleep rejects with an error of its own; the next round throws the signal's reason.
    await sleep(delayMs, undefined, { signal }).catch(() => {});
  }
}

/** Tests `TransportError` by name, because it comes from the worker's SDK, whose native parts not every process loads. */
function mayPass(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof Unavailable || cause.name === 'TransportError') return true;
    const { code } = cause as { code?: unknown };
    if (typeof code === 'number') return !FINAL_CODES.has(code);
  }
  return false;
}
