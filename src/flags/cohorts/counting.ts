/** Counts the persons of a changed cohort. The answer to the change waits for the count a moment; the count itself may take seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Counts } from '../matching/counts.ts';
import type { FlagStores } from '../stores.ts';
import type { Cohort } from './cohorts.store.ts';

/** How long the answer to a change waits for the count. */
const MAX_WAIT_MS = 1_000;
/** How long a cohort is marked as being counted; longer than any count may take. */
export const COUNT_MS = 15_000;

/**
 * @returns a function that counts the persons of a cohort marked by `startCount` and stores the count. It never rejects, and
 * resolves when the count is stored or after a short wait
 */
export function createCounting({ stores, counts, log }: { stores: FlagStores; counts: Counts; log: Logger }) {
  async function count(cohort: Cohort): Promise<void> {
    const outcome = await counts.countCohort(cohort.projectId, cohort.id).then(
      (counted) => ({ count: counted, error: null }),
      (error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        return { count: null, error: error.message };
      },
    );
    await stores.cohorts.endCount(cohort, outcome);
  }

  return async (cohort: Cohort): Promise<void> => {
    const counting = count(cohort).catch((error: unknown) => {
      log.warn({ cohort: cohort.id, code: (error as { code?: unknown }).code }, 'a cohort could not be counted');
    });
    await Promise.race([counting, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
  };
}
