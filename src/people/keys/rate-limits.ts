/**
 * Limits the events per second that a sender may store, and the requests that it may make. Counted in this process alone, so
 * with several processes behind one address the limit applies to each.
 *
 * Limits are not for overload, which is answered 503, and the difference matters to clients: on 429 posthog-js drops events, while
 * it repeats 503 ten times, after `Retry-After` at the earliest. posthog-node and posthog-python repeat both, three times.
 */
import { Throttled } from '../../platform/errors.ts';

const BURST_SECONDS = 10;
/** Senders that are remembered; one that is forgotten begins with a full bucket. */
const MAX_SENDERS = 10_000;

type Bucket = { tokens: number; atMs: number };

export type RateLimit<Sender> = {
  /** @throws Throttled, and nothing was counted, when the sender had too many already */
  charge(sender: Sender, amount: number): void;
  /** Gives back an amount that was charged before it was known that it does not count. */
  giveBack(sender: Sender, amount: number): void;
};

/**
 * A token bucket for each sender. A sender with a token left may spend more than it has, and then waits for the debt to be paid: so
 * a batch that is larger than the whole bucket passes too. (rate-limiter-flexible counts windows, refuses such a batch for ever,
 * and counts what it refused.)
 *
 * @param burstSeconds so many seconds of the limit may be used at once by a sender that was quiet before
 */
export function createRateLimit<Sender>(
  perSecond: number,
  now: () => number = () => performance.now(),
  burstSeconds: number = BURST_SECONDS,
): RateLimit<Sender> {
  const size = perSecond * burstSeconds;
  const buckets = new Map<Sender, Bucket>();

  function bucketOf(sender: Sender): Bucket {
    const known = buckets.get(sender);
    if (known) return known;
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
