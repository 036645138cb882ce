/** Assembles the API of experiments and holdouts. */
import type { Pool } from '../../../platform/db/connection.ts';
import type { Route } from '../../../platform/http/route.ts';
import type { FlagStores } from '../../stores.ts';
import { experimentRoutes, type ExperimentRoutesApi } from './experiments.routes.ts';
import { experiments } from './experiments.ts';
import { holdoutRoutes, type HoldoutRoutesApi } from './holdouts.routes.ts';
import { experimentHoldouts } from './holdouts.ts';
import { experimentResultsStore } from './results/results.store.ts';
import { experimentResults } from './results/results.ts';

export type ExperimentsApi = ExperimentRoutesApi & HoldoutRoutesApi;

/**
 * @param pool with `STUDY_OPTIONS`
 * @param now milliseconds since 1970, for the age of cached results
 */
export function experimentsApi({
  stores,
  pool,
  now,
}: {
  stores: FlagStores;
  pool: Pool;
  now: () => number;
}): ExperimentsApi {
  return {
    experiments: experiments({ stores }),
    experimentHoldouts: experimentHoldouts({ stores }),
    experimentResults: experimentResults({ store: experimentResultsStore(pool), now }),
  };
}

export const experimentsApiRoutes: Route<ExperimentsApi>[] = [...experimentRoutes, ...holdoutRoutes];
