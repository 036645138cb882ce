/** Assembles the API of feature flags: decide, OFREP, definitions, and the management of flags and everything that uses them. */
import { configurationRoutes } from './config/description.ts';
import type { Knex, Pool } from '../platform/db/connection.ts';
import { cohortsApi, cohortsApiRoutes, type CohortsApi } from './cohorts/room.ts';
import { createConfiguration } from './config/configuration.ts';
import { createDecide, type DecideOptions } from './decide/decide.ts';
import { createDecider } from './decide/decider.ts';
import { createVisitors, type VisitorsOptions } from './decide/visitors.ts';
import { decideRoutes } from './decide/description.ts';
import { FEED_LIMIT, feedRoutes, type FeedApi } from './definitions/feed.routes.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';
import { featureFlagsApi, featureFlagsApiRoutes, type FeatureFlagsApi } from './feature-flags/room.ts';
import { createCounts } from './matching/counts.ts';
import { createMetering } from './metering/metering.ts';
import { flagRequestRoutes, type FlagRequestsApi } from './metering/requests.routes.ts';
import { requestStore } from './metering/requests.store.ts';
import { createAdmission } from './ofrep/admission.ts';
import { ofrepRoutes } from './ofrep/description.ts';
import { createEventStreams } from './ofrep/event-streams.ts';
import { createOfrep } from './ofrep/ofrep.ts';
import { createStreamTokens } from './ofrep/stream-tokens.ts';
import { experimentsApi, experimentsApiRoutes, type ExperimentsApi } from './extensions/experiments/room.ts';
import { earlyAccessApi, earlyAccessApiRoutes, type EarlyAccessApi } from './extensions/early-access/room.ts';
import { featureFlagStore } from './feature-flags/feature-flags.store.ts';
import { protectedFlags } from './feature-flags/protected.ts';
import { flagUsageRoutes, type FlagUsageApi } from './usage.routes.ts';
import { flagUsageStore } from './usage.store.ts';
import { flagStores } from './stores.ts';
import { surveysApi, surveysApiRoutes, type SurveysApi } from './extensions/surveys/room.ts';
import { createSurveyClock } from './extensions/surveys/clock.ts';
import { responseStore } from './extensions/surveys/responses.store.ts';
import type { FindProtected, Gatekeeper } from '../platform/http/access.ts';
import type { Room } from '../platform/http/room.ts';
import type { DescribedRoute, Route } from '../platform/http/route.ts';
import type { AccessControlsApi } from '../people/access/access-controls.routes.ts';
import { createRateLimit } from '../people/keys/rate-limits.ts';
import type { Lane } from '../platform/lane/request.ts';
import type { KeyRing } from '../platform/secrets/key-ring.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { Locate } from '../platform/wire/geoip.ts';

export type FlagsApi = FlagUsageApi &
  FlagRequestsApi &
  FeedApi &
  FeatureFlagsApi &
  CohortsApi &
  EarlyAccessApi &
  SurveysApi &
  ExperimentsApi;

export const flagRoutes: readonly Route<FlagsApi & AccessControlsApi>[] = [
  // Must precede the routes of single flags, because their paths could be those of a flag.
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
export const flagRawRoutes: readonly DescribedRoute[] = [...decideRoutes, ...ofrepRoutes, ...configurationRoutes];

/** Lookups of the objects that have access controls of their own, for the gatekeeper. */
export function protectedFlagObjects(db: Knex): Record<string, FindProtected> {
  return { feature_flag: protectedFlags(featureFlagStore(db)) };
}

export type FlagsRoomOptions = VisitorsOptions & {
  connections: {
    db: Knex;
    /** Made with LOOKUP_OPTIONS, like `counts`. */
    lookups: Knex;
    counts: Pool;
    /** Made with DECIDE_POOL. */
    decide: Pool;
    /** Made with STUDY_OPTIONS. */
    studies: Pool;
  };
  /** For the definitions, which LISTEN on connections of their own. */
  databaseUrl: string;
  keyRing: KeyRing;
  gatekeeper: Gatekeeper;
  publicUrl: string;
  locate?: Locate | undefined;
  /** Limit of flag requests per project. */
  requestsPerSecond: number;
  observe: DecideOptions['observe'];
  log: Logger;
};

export type FlagsRoom = Room<FlagsApi> & {
  /** Answers decide requests. */
  lane: Lane;
  /** Ends streams. */
  drain(): void;
  close(): Promise<void>;
};

export function createFlagsRoom(options: FlagsRoomOptions): FlagsRoom {
  const { databaseUrl, gatekeeper, publicUrl, keyRing, locate, requestsPerSecond, observe, log } = options;
  const { db, lookups, counts: countPool, decide, studies } = options.connections;
  const definitions = createLiveDefinitions({ databaseUrl, log });
  const stores = flagStores(db, definitions.refresh);
  const decider = createDecider({ pool: decide });
  const visitors = createVisitors(options);
  const flagRequests = requestStore(db);
  const metering = createMetering({ store: flagRequests, log });
  const counts = createCounts({ pool: countPool, now: Date.now });

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
    // OFREP, and the files that pages load.
    rawHandlers: [ofrep.handle, configuration.handle],
    collaborators: {
      flagUsage: flagUsageStore(db),
      hiddenFlags: stores.flags,
      ...surveys,
      ...earlyAccessApi(stores, definitions),
      ...experimentsApi({ stores, pool: studies, now: Date.now }),
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
    },
  };
}
