/** Assembles the API of cohorts. */
import type { Pool } from '../../platform/db/connection.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Counts } from '../matching/counts.ts';
import type { FlagStores } from '../stores.ts';
import { cohortPersons } from './cohort-persons.ts';
import { cohorts } from './cohorts.ts';
import { cohortRoutes } from './cohorts.routes.ts';
import { createCounting } from './counting.ts';
import { listedPersonRoutes, type ListedPersonsApi } from './listed-persons.routes.ts';

export type CohortsApi = ListedPersonsApi;

export const cohortsApiRoutes = [...cohortRoutes, ...listedPersonRoutes];

/** @param pool with a timeout for statements */
export function cohortsApi({
  stores,
  counts,
  pool,
  log,
}: {
  stores: FlagStores;
  counts: Counts;
  pool: Pool;
  log: Logger;
}): CohortsApi {
  const count = createCounting({ stores, counts, log });
  return { cohorts: cohorts({ stores, count }), cohortPersons: cohortPersons({ pool, now: Date.now }) };
}
