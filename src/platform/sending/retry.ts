import { setTimeout as sleep } from 'node:timers/promises';

export type RetryPolicy = {
  firstDelayMs: number;
  /** Longest wait, whatever the server asks for. */
  maxDelayMs: number;
  /** Time from the first attempt after which a failure is final. */
  giveUpAfterMs: number;
};

export const RETRY: RetryPolicy = { firstDelayMs: 250, maxDelayMs: 30_000, giveUpAfterMs: 5 * 60_000 };

/** A failure that may pass. */
export class TryAgain extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Repeats `attempt` while it throws `TryAgain`. Waits twice as long each time, or as long as the server asked; its own waits are shortened
 * by up to half, at random, so many senders spread out. A server that asks for less than the first delay does not shorten a wait:
 * `Retry-After: 0` from one that stays overloaded would be a busy loop.
 * @param onRetry called before each wait, with why the attempt failed
 * @throws whatever else `attempt` throws, or the last TryAgain when time is up
 */
export async function retryAttempts<T>(
  attempt: () => Promise<T>,
  { policy, signal, onRetry }: { policy: RetryPolicy; signal: AbortSignal; onRetry: (reason: string) => void },
): Promise<T> {
  const deadline = performance.now() + policy.giveUpAfterMs;
  for (let delayMs = policy.firstDelayMs; ; delayMs = Math.min(delayMs * 2, policy.maxDelayMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      const { retryAfterMs: requestedMs = 0 } = error;
      const ownMs = delayMs * (1 - Math.random() / 2);
      const waitMs = Math.min(requestedMs >= policy.firstDelayMs ? requestedMs : ownMs, policy.maxDelayMs);
      if (performance.now() + waitMs > deadline) throw error;
      onRetry(error.message);
      await sleep(waitMs, undefined, { signal });
    }
  }
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date (RFC 9110, 10.2.3); undefined when absent or neither. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
