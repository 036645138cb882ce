/** Composes what the API does with feature flags: raw handlers, routes, and what they share. */
import { configurationRoutes } from '../flags/config/description.ts';
import { createKnex, createPool, STORE_TIMEOUTS } from '../platform/db/connection.ts';
import { POOLS } from '../platform/db/pools.ts';
import type { EngineOptions } from './engine.ts';
import { LOOKUP_OPTIONS } from '../events/table/lookup.ts';
import { cohortsApi, cohortsApiRoutes, type CohortsApi } from '../flags/cohorts/api.ts';
import { createConfiguration } from '../flags/config/configuration.ts';
import { createDecide, type DecideOptions } from '../flags/decide/decide.ts';
import { createDecider } from '../flags/decide/decider.ts';
import { createVisitors, type VisitorsOptions } from '../flags/decide/visitors.ts';
import { decideRoutes } from '../flags/decide/description.ts';
import { DECIDE_POOL } from '../flags/decide/facts.ts';
import { FEED_LIMIT, feedRoutes, type FeedApi } from '../flags/definitions/feed.routes.ts';
import { createLiveDefinitions } from '../flags/definitions/live-definitions.ts';
import { featureFlagsApi, featureFlagsApiRoutes, type FeatureFlagsApi } from '../flags/feature-flags/api.ts';
import { createCounts } from '../flags/matching/counts.ts';
import { createMetering } from '../flags/metering/metering.ts';
import { flagRequestRoutes, type FlagRequestsApi } from '../flags/metering/requests.routes.ts';
import { requestStore } from '../flags/metering/requests.store.ts';
import { createAdmission } from '../flags/ofrep/admission.ts';
import { ofrepRoutes } from '../flags/ofrep/description.ts';
import { createEventStreams } from '../flags/ofrep/event-streams.ts';
import { createOfrep } from '../flags/ofrep/ofrep.ts';
import { createStreamTokens } from '../flags/ofrep/stream-tokens.ts';
import { experimentsApi, experimentsApiRoutes, type ExperimentsApi } from '../flags/extensions/experiments/api.ts';
import { STUDY_OPTIONS } from '../flags/extensions/experiments/results/results.store.ts';
import { earlyAccessApi, earlyAccessApiRoutes, type EarlyAccessApi } from '../flags/extensions/early-access/api.ts';
import { flagUsageRoutes, type FlagUsageApi } from '../flags/usage.routes.ts';
import { flagUsageStore } from '../flags/usage.store.ts';
import { flagStores } from '../flags/stores.ts';
import { surveysApi, surveysApiRoutes, type SurveysApi } from '../flags/extensions/surveys/api.ts';
import { createSurveyClock } from '../flags/extensions/surveys/clock.ts';
import { responseStore } from '../flags/extensions/surveys/responses.store.ts';
import type { Gatekeeper } from '../platform/http/access.ts';
import type { RawHandler } from '../platform/http/raw-answers.ts';
import type { DescribedRoute, Route } from '../platform/http/route.ts';
import type { AccessControlsApi } from '../people/access/access-controls.routes.ts';
import { createRateLimit } from '../people/keys/rate-limits.ts';
import type { Lane } from '../platform/lane/request.ts';
import { createKeyRing } from '../platform/secrets/key-ring.ts';
import type { Locate } from '../platform/wire/geoip.ts';

export type FlagsApi = FlagUsageApi &
  FlagRequestsApi &
  FeedApi &
  FeatureFlagsApi &
  CohortsApi &
  EarlyAccessApi &
  SurveysApi &
  ExperimentsApi;

export const flagRoutes: Route<FlagsApi & AccessControlsApi>[] = [
  // Before those of single flags: their paths could be those of a flag.
  ...flagUsageRoutes,
  ...flagRequestRoutes,
  ...feedRoutes,
  ...featureFlagsApiRoutes,
  ...cohortsApiRoutes,
  ...earlyAccessApiRoutes,
  ...surveysApiRoutes,
  ...experimentsApiRoutes,
];

/** Routes that the lane and the raw handlers answer. */
export const flagRawRoutes: DescribedRoute[] = [...decideRoutes, ...ofrepRoutes, ...configurationRoutes];

export type FlagPartsOptions = Pick<EngineOptions, 'databaseUrl' | 'encryptionKeys' | 'log'> &
  VisitorsOptions & {
    gatekeeper: Gatekeeper;
    publicUrl: string;
    locate?: Locate | undefined;
    /** Requests for flags that are answered for each project. */
    requestsPerSecond: number;
    observe: DecideOptions['observe'];
  };

export type FlagParts = {
  /** Decide. */
  lane: Lane;
  /** OFREP, and the files that pages load. */
  rawHandlers: readonly RawHandler[];
  collaborators: FlagsApi;
  /** Ends streams, which would never end by themselves. */
  drain(): void;
  close(): Promise<void>;
};

/** Connects lazily. */
export function createFlagParts(options: FlagPartsOptions): FlagParts {
  const { databaseUrl: url, gatekeeper, publicUrl, locate, requestsPerSecond, observe, log } = options;
  const db = createKnex({ url, ...POOLS.flags, ...STORE_TIMEOUTS });
  const lookups = createKnex({ url, ...LOOKUP_OPTIONS });
  const decidePool = createPool({ url, ...DECIDE_POOL });
  const countPool = createPool({ url, ...LOOKUP_OPTIONS });
  const studyPool = createPool({ url, ...STUDY_OPTIONS });
  const definitions = createLiveDefinitions({ databaseUrl: url, log });
  const stores = flagStores(db, definitions.refresh);
  const decider = createDecider({ pool: decidePool });
  const visitors = createVisitors(options);
  const flagRequests = requestStore(db);
  const metering = createMetering({ store: flagRequests, log });
  const counts = createCounts({ pool: countPool, now: Date.now });
  const keyRing = createKeyRing(options.encryptionKeys);

  const streams = createEventStreams({ definitions, tokens: createStreamTokens(keyRing), publicUrl });
  const admit = createAdmission({ definitions, gatekeeper });
  const ofrep = createOfrep({
    definitions,
    decider,
    visitors,
    streams,
    admit,
    metering,
    requestsPerSecond,
    locate,
    log,
  });
  const configuration = createConfiguration({ definitions, log });

  const responses = responseStore(lookups);
  const surveys = surveysApi({ stores, responses, definitions });
  const surveyClock = createSurveyClock({ surveys: surveys.surveys, store: stores.surveys, responses, log });

  return {
    lane: createDecide({
      definitions,
      decider,
      visitors,
      clientAddress: options.clientAddress,
      locate,
      metering,
      requestsPerSecond,
      observe,
      log,
    }),
    rawHandlers: [ofrep.handle, configuration.handle],
    collaborators: {
      flagUsage: flagUsageStore(db),
      hiddenFlags: stores.flags,
      ...surveys,
      ...earlyAccessApi(stores, definitions),
      ...experimentsApi({ stores, pool: studyPool, now: Date.now }),
      ...featureFlagsApi({ stores, definitions, decider, counts, keyRing }),
      ...cohortsApi({ stores, counts, pool: countPool, log }),
      flagRequests,
      liveDefinitions: definitions,
      metering,
      gatekeeper,
      feedLimit: createRateLimit(FEED_LIMIT.perSecond, undefined, FEED_LIMIT.burstSeconds),
    },
    drain: streams.close,
    async close() {
      streams.close();
      await surveyClock.stop();
      await metering.close();
      await definitions.close();
      await Promise.all([db.destroy(), lookups.destroy(), decidePool.end(), countPool.end(), studyPool.end()]);
    },
  };
}
