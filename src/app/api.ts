/** Assembles the API from its rooms, which share connections. Each `room.ts` creates the collaborators of that room's routes. */
import { createRequire } from 'node:module';
import {
  analyticsRawRoutes,
  analyticsRoutes,
  createAnalyticsRoom,
  protectedAnalyticsObjects,
  type AnalyticsApi,
} from '../analytics/room.ts';
import type { CaptureOptions } from '../events/capture/capture.ts';
import { createEventsRoom, eventsRawRoutes, eventsRoutes, type EventsRoomApi } from '../events/room.ts';
import { countPartitionedDaysAhead } from '../events/table/partitions.ts';
import type { ExportsApi } from '../exports/api.ts';
import { exportFigures } from '../exports/monitoring/figures.ts';
import { createExportsRoom, exportRoutes, protectedExportObjects } from '../exports/room.ts';
import { createFlagsRoom, flagRawRoutes, flagRoutes, protectedFlagObjects, type FlagsApi } from '../flags/room.ts';
import type { RequestLimits } from '../people/keys/request-limits.ts';
import { createPeopleRoom, peopleRoutes, type PeopleApi } from '../people/room.ts';
import { isDatabaseAway } from '../platform/db/away.ts';
import type { Pool } from '../platform/db/connection.ts';
import { apiChecks } from '../platform/health/checks.ts';
import { createHealthRoom, healthRoutes, type HealthApi } from '../platform/health/room.ts';
import { createApp } from '../platform/http/app.ts';
import type { RawHandler } from '../platform/http/raw-answers.ts';
import type { Room } from '../platform/http/room.ts';
import type { DescribedRoute, Route } from '../platform/http/route.ts';
import type { Application } from '../platform/http/server.ts';
import { createKeyRing } from '../platform/secrets/key-ring.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { codecEndpoint, type CodecEndpointOptions } from '../platform/temporal/codec-endpoint.ts';
import { createRetentionRoom, retentionRoutes, type RetentionApi } from '../retention/room.ts';
import { createApiPage } from './api-page/api-page.ts';
import type { OpenApi } from './api-page/document.ts';
import { openConsoleFiles } from './console/console-files.ts';
import { createConsolePages } from './console/console-pages.ts';
import { openConnections } from './connections.ts';
import { databaseFigures } from './database-figures.ts';
import { createEngine, type EngineOptions } from './engine.ts';

const { version: VERSION } = createRequire(import.meta.url)('../../package.json') as { version: string };

type Collaborators = HealthApi & PeopleApi & EventsRoomApi & ExportsApi & FlagsApi & AnalyticsApi & RetentionApi;

/** Routes of the router, which applies its access rules and format of errors; the authorization matrix covers them, too. */
export const apiRoutes: readonly Route<Collaborators>[] = [
  ...healthRoutes,
  ...peopleRoutes,
  ...eventsRoutes,
  ...exportRoutes,
  ...flagRoutes,
  ...analyticsRoutes,
  ...retentionRoutes,
];

/** Routes that raw handlers answer. */
export const rawRoutes: readonly DescribedRoute[] = [...eventsRawRoutes, ...flagRawRoutes, ...analyticsRawRoutes];

export type Api = {
  /** Answers all requests; its lane answers capture and decide. */
  application: Application;
  /** Makes the API unready, and ends its streams, which would stay open otherwise. */
  drain(): void;
  /** Stores accepted data, then closes the connections. Call when no request is under way. */
  close(): Promise<void>;
  /** Metrics of capture, and of all exports. */
  metrics: Metrics;
  /** Pool for monitoring the server. */
  pool: Pool;
};

export type ApiOptions = EngineOptions &
  Pick<CaptureOptions, 'eventsPerSecond' | 'clientAddress' | 'locate'> & {
    publicUrl: string;
    /** URL of Temporal's UI for links, if it is known. */
    temporalUiUrl?: string | undefined;
    /** Limits of each key. */
    requestLimits: RequestLimits;
    /** Limit of flag requests per project. */
    flagRequestsPerSecond: number;
    /** Maximum number of distinct ids that a person may get by merges. */
    maxDistinctIds: number;
    /** Access for Temporal's UI to decrypt payloads; absent: it has none. */
    codecAccess?: Pick<CodecEndpointOptions, 'token' | 'origin'> | undefined;
  };

/** Creates the API. Connects lazily, so it can listen before Postgres and Temporal are available. */
export function createApi(options: ApiOptions): Api {
  const { databaseUrl, publicUrl, clientAddress, log } = options;
  const engine = createEngine(options);
  const { stores, pool, metrics, ensureTemporal } = engine;
  const connections = openConnections(databaseUrl);
  const keyRing = createKeyRing(options.encryptionKeys);

  const health = createHealthRoom(
    apiChecks({
      pool,
      partitionedDaysAhead: async () => countPartitionedDaysAhead(pool),
      ensureTemporal,
      deliveryBlockReason: engine.timeline.reason,
    }),
    {
      version: VERSION,
      publicUrl,
      temporal: { uiUrl: options.temporalUiUrl, namespace: options.temporal.namespace },
      mail: engine.mailer !== undefined,
      deliveriesBlocked: engine.timeline.reason,
    },
  );
  const people = createPeopleRoom({
    db: connections.identity,
    publicUrl,
    mailer: engine.mailer,
    log,
    requestLimits: options.requestLimits,
    addressOf: ({ headers, remoteAddress }) => clientAddress({ headers, socket: { remoteAddress } }),
    protectedObjects: {
      ...protectedExportObjects(stores),
      ...protectedFlagObjects(connections.identity),
      ...protectedAnalyticsObjects(connections.analytics.db),
    },
  });
  const { gatekeeper } = people;
  const events = createEventsRoom({
    ...options,
    connections: connections.events,
    projectByToken: people.projectByToken,
    gatekeeper,
    observe: metrics.capture,
  });
  const exports = createExportsRoom(engine);
  const flags = createFlagsRoom({
    ...options,
    connections: connections.flags,
    keyRing,
    gatekeeper,
    salts: events.salts,
    requestsPerSecond: options.flagRequestsPerSecond,
    observe: metrics.decide,
  });
  const analytics = createAnalyticsRoom({ ...options, connections: connections.analytics, keyRing });
  const retention = createRetentionRoom(connections.events.lookups);
  /** Rooms in the order in which their raw handlers are called, and in which they are closed. */
  const rooms: readonly Room<unknown>[] = [health, people, events, exports, flags, analytics, retention];

  metrics.registerExports(() => exportFigures(stores));
  metrics.registerDatabase(() => databaseFigures(pool));
  return {
    application: createApp({
      lane: (request, reply) => events.lane(request, reply) || flags.lane(request, reply),
      rawHandlers: [
        ...rooms.flatMap((room) => room.rawHandlers ?? []),
        createConsolePages({ files: openConsoleFiles(), log }),
        ...payloadCodecHandlers(options),
      ],
      rawRoutes,
      routes: apiRoutes,
      documentPage: (document) => createApiPage(document as OpenApi),
      collaborators: {
        ...health.collaborators,
        ...people.collaborators,
        ...events.collaborators,
        ...exports.collaborators,
        ...flags.collaborators,
        ...analytics.collaborators,
        ...retention.collaborators,
      },
      gatekeeper,
      publicUrl,
      isAway: isDatabaseAway,
      log,
    }),
    metrics,
    pool,
    drain() {
      for (const room of rooms) room.drain?.();
    },
    async close() {
      for (const room of rooms) await room.close?.();
      await Promise.all([engine.close(), connections.close()]);
    },
  };
}

/** Handlers that decrypt payloads for Temporal's UI, if it has access. */
function payloadCodecHandlers({ codecAccess, temporal: { codec } }: ApiOptions): RawHandler[] {
  return codec && codecAccess ? [codecEndpoint({ ...codecAccess, codec })] : [];
}
