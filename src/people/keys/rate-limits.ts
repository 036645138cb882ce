/**
 * Limits the events or requests per second of a sender. Each process counts on its own, so with several processes behind one address the
 * limit applies to each.
 *
 * Overload gets 503 instead. The difference matters to clients: posthog-js drops events after 429, but repeats requests up
 * to ten times after 503, not before `Retry-After`. posthog-node and posthog-python repeat after both, three times.
 */
import { Throttled } from '../../platform/errors.ts';

const BURST_SECONDS = 10;
/** Maximum number of senders in memory; a forgotten one starts with a full bucket. */
const MAX_SENDERS = 10_000;

type Bucket = { tokens: number; atMs: number };

export type RateLimit<Sender> = {
  /** @throws Throttled, without counting the amount, if the sender has no token left */
  charge(sender: Sender, amount: number): void;
  /** Returns an amount that was charged but turned out not to count. */
  giveBack(sender: Sender, amount: number): void;
};

/**
 * Creates a limit with a token bucket for each sender. A sender with any tokens left may spend more than it has, and must then wait until
 * the debt is paid off. So even a batch larger than the bucket passes. (rate-limiter-flexible counts windows, always refuses such a batch,
 * and counts refused ones.)
 *
 * @param burstSeconds size of the bucket, in seconds of the limit
 */
export function createRateLimit<Sender>(
  perSecond: number,
  now: () => number = () => performance.now(),
  burstSeconds: number = BURST_SECONDS,
): RateLimit<Sender> {
  const size = perSecond * burstSeconds;
  const buckets = new Map<Sender, Bucket>();

  function bucketOf(sender: Sender): Bucket {
    const found = buckets.get(sender);
    if (found) return found;
    if (buckets.size === MAX_SENDERS) buckets.delete(buckets.keys().next().value!);
    const bucket = { tokens: size, atMs: now() };
    buckets.set(sender, bucket);
    return bucket;
  }

  return {
    charge(sender, amount) {
      const bucket = bucketOf(sender);
      const atMs = now();
      bucket.tokens = Math.min(size, bucket.tokens + ((atMs - bucket.atMs) / 1000) * perSecond);
      bucket.atMs = atMs;
      // tooth: rate-limit
      if (bucket.tokens <= 0) throw new Throttled(Math.max(1, Math.ceil(-bucket.tokens / perSecond)));
      bucket.tokens -= amount;
    },

    giveBack(sender, amount) {
      const bucket = buckets.get(sender);
      if (bucket) bucket.tokens = Math.min(size, bucket.tokens + amount);
    },
  };
}
