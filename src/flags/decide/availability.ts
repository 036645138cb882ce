/**
 * Whether a database is worth asking. After failures in a row nobody asks for a while, so that not every request waits for a
 * database that is away; then one asks for all, and its answer says how it goes on.
 */
export type Availability = {
  /** @returns false while it is not worth asking. Whoever gets true asks, and tells how it went. */
  mayAsk(): boolean;
  answered(): void;
  failed(): void;
};

/** One slow query is no outage. */
const FAILURES = 3;
const PAUSE_MS = 500;

/** @param now milliseconds, never going back */
export function createAvailability(now: () => number = () => performance.now()): Availability {
  let failures = 0;
  let askAgainAt = 0;

  return {
    mayAsk() {
      if (failures < FAILURES) return true;
      if (now() < askAgainAt) return false;
      askAgainAt = now() + PAUSE_MS;
      return true;
    },
    answered() {
      failures = 0;
    },
    failed() {
      failures += 1;
      askAgainAt = now() + PAUSE_MS;
    },
  };
}
