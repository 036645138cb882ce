import { isDatabaseAway } from '../../platform/db/away.ts';

/**
 * Whether a database is worth asking. After failures in a row nobody asks for a while, so that not every request waits for a
 * database that is away; then one asks for all, and its answer says how it goes on.
 */
export type Availability = {
  /** @returns false while it is not worth asking. A caller that gets true asks, and lets it be watched. */
  mayAsk(): boolean;
  /** @returns what it was given, having seen how it went */
  watch<T>(answer: Promise<T>): Promise<T>;
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
    async watch(answer) {
      try {
        const answered = await answer;
        failures = 0;
        return answered;
      } catch (error) {
        failures = isDatabaseAway(error) ? failures + 1 : 0;
        askAgainAt = now() + PAUSE_MS;
        throw error;
      }
    },
  };
}
