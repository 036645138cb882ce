import { isDatabaseAway } from '../../platform/db/away.ts';

/**
 * A circuit breaker for the database. After several failures in a row no request queries it for a while, so requests do not all wait for
 * a database that is down; then a single request tries again, and its result decides for all others.
 */
export type Availability = {
  /** @returns false while the database counts as down. A caller that gets true must query it, and pass the query to `watch`. */
  mayAsk(): boolean;
  /** @returns the given promise, after recording whether it succeeded */
  watch<T>(answer: Promise<T>): Promise<T>;
};

/** Failures in a row that count as an outage: a single slow query does not. */
const FAILURES_OF_OUTAGE = 3;
const RETRY_DELAY_MS = 500;

/** @param now a monotonic clock, in milliseconds */
export function createAvailability(now: () => number = () => performance.now()): Availability {
  let failures = 0;
  let askAgainAt = 0;

  return {
    mayAsk() {
      if (failures < FAILURES_OF_OUTAGE) return true;
      if (now() < askAgainAt) return false;
      askAgainAt = now() + RETRY_DELAY_MS;
      return true;
    },
    async watch(answer) {
      try {
        const result = await answer;
        failures = 0;
        return result;
      } catch (error) {
        failures = isDatabaseAway(error) ? failures + 1 : 0;
        askAgainAt = now() + RETRY_DELAY_MS;
        throw error;
      }
    },
  };
}
