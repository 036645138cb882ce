/** Composes the API: raw handlers and routes of every room, over their collaborators. */
import { createDashboardParts, dashboardRoutes, type DashboardsApi } from './dashboard-parts.ts';
import { isDatabaseAway } from '../platform/db/away.ts';
import { sharedRoutes } from '../analytics/sharing/description.ts';
import { createCapture, type CaptureOptions } from '../events/capture/capture.ts';
import { captureRoutes } from '../events/capture/description.ts';
import { createSalts } from '../events/cookieless/salts.ts';
import { saltStore } from '../events/cookieless/salts.store.ts';
import { createKnex, createPool, STORE_TIMEOUTS, type Pool } from '../platform/db/connection.ts';
import { POOLS } from '../platform/db/pools.ts';
import { openConsoleFiles } from './console/console-files.ts';
import { createConsolePages } from './console/console-pages.ts';
import { createEngine, type EngineOptions } from './engine.ts';
import { peopleChanges } from '../events/records/changes.ts';
import { eventRoutes, type EventsApi } from '../events/records/events.routes.ts';
import { eventStore } from '../events/records/events.store.ts';
import { groupRoutes, type GroupsApi } from '../events/records/groups.routes.ts';
import { INGEST_TIMEOUTS } from '../events/ingest/ingest.ts';
import { LOOKUP_OPTIONS } from '../events/table/lookup.ts';
import { personRoutes, type PersonsApi } from '../events/records/persons.routes.ts';
import { peopleStores } from '../events/records/stores.ts';
import { createWarningWriter } from '../events/warnings/warning-writer.ts';
import { warningRoutes, type WarningsApi } from '../events/warnings/warnings.routes.ts';
import { warningStore } from '../events/warnings/warnings.store.ts';
import type { ExportsApi } from '../exports/api.ts';
import { backfills } from '../exports/backfills/backfills.ts';
import { foreignDeliveries } from '../exports/timeline/accept-delivery.ts';
import { batchExports } from '../exports/batch-exports/batch-exports.ts';
import { integrations } from '../exports/integrations/integrations.ts';
import { exportFigures } from '../exports/monitoring/figures.ts';
import { exportIntervals } from '../exports/intervals/intervals.ts';
import { exportPreviews } from '../exports/previews/previews.ts';
import { protectedExports } from '../exports/batch-exports/protected.ts';
import { exportRuns } from '../exports/runs/runs.ts';
import { exportTestSteps } from '../exports/integrations/test-steps.ts';
import { exportRoutes } from '../exports/routes.ts';
import { featureFlagStore } from '../flags/feature-flags/feature-flags.store.ts';
import { protectedFlags } from '../flags/feature-flags/protected.ts';
import { createFlagParts, flagRawRoutes, flagRoutes, type FlagsApi } from './flag-parts.ts';
import { partitionedDaysAhead } from '../events/table/partitions.ts';
import { apiChecks } from '../platform/health/checks.ts';
import { createHealth } from '../platform/health/readiness.ts';
import { healthRoutes, type HealthApi } from '../platform/health/routes.ts';
import { createApp } from '../platform/http/app.ts';
import type { DescribedRoute, Route } from '../platform/http/route.ts';
import type { Application } from '../platform/http/server.ts';
import { accessControls } from '../people/access/access-controls.ts';
import type { AccessControlsApi } from '../people/access/access-controls.routes.ts';
import { auditLogRoutes, type AuditLogApi } from '../people/audit/audit-log.routes.ts';
import { apiKeys } from '../people/keys/api-keys.ts';
import { createGatekeeper } from '../people/access/gatekeeper.ts';
import { people, peopleRoutes, type PeopleApi } from '../people/people.ts';
import { personalKeyRoutes, type PersonalKeysApi } from '../people/keys/personal-keys.routes.ts';
import { projectKeyRoutes, type ProjectKeysApi } from '../people/keys/project-keys.routes.ts';
import { projectByToken } from '../people/projects/project-tokens.ts';
import { projectAccessRoutes, PROTECTED_PROJECT_RULES } from '../people/access/project-access.routes.ts';
import { projectRoutes, type IdentityApi } from '../people/projects/projects.routes.ts';
import { createRequestLimit, type RequestLimits } from '../people/keys/request-limits.ts';
import { createSessions } from '../people/accounts/sessions.ts';
import { identityStores } from '../people/stores.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import { codecEndpoint, type CodecEndpointOptions } from '../platform/temporal/codec-endpoint.ts';
import { ensureReachable } from '../platform/temporal/connection.ts';

type Collaborators = HealthApi &
  IdentityApi &
  PeopleApi &
  PersonalKeysApi &
  ProjectKeysApi &
  AccessControlsApi &
  AuditLogApi &
  EventsApi &
  PersonsApi &
  GroupsApi &
  ExportsApi &
  WarningsApi &
  FlagsApi &
  DashboardsApi;

/** Everything with access rules, errors and bodies in the API's own forms; the authorization matrix reads it too. */
export const apiRoutes: readonly Route<Collaborators>[] = [
  ...healthRoutes,
  ...projectRoutes,
  ...peopleRoutes,
  ...projectAccessRoutes,
  ...personalKeyRoutes,
  ...projectKeyRoutes,
  ...auditLogRoutes,
  ...eventRoutes,
  ...personRoutes,
  ...groupRoutes,
  ...exportRoutes,
  ...warningRoutes,
  ...flagRoutes,
  ...dashboardRoutes,
];

/** Everything that raw handlers answer. */
export const rawRoutes: readonly DescribedRoute[] = [...captureRoutes, ...flagRawRoutes, ...sharedRoutes];

export type Api = {
  /** Answers everything; its lane answers capture and decide. */
  application: Application;
  /** Readiness says no from now on, and streams end, which would never end by themselves. */
  drain(): void;
  /** Stores what was accepted, then ends the connections. Call when no request is under way. */
  close(): Promise<void>;
  /** Metrics of capture, and of all exports. */
  metrics: Metrics;
  /** For looking at the server, beside requests. */
  pool: Pool;
};

/** Connects lazily: it can listen while Postgres and Temporal are still away. */
export function createApi(
  options: EngineOptions &
    Pick<CaptureOptions, 'eventsPerSecond' | 'clientAddress' | 'locate'> & {
      publicUrl: string;
      /** Limits of each key. */
      requestLimits: RequestLimits;
      /** Requests for flags that are answered for each project. */
      flagRequestsPerSecond: number;
      /** Distinct ids that a person may get by merges. */
      mostDistinctIds: number;
      /** Where Temporal's UI may have payloads opened; absent: nowhere. */
      codecFor?: Pick<CodecEndpointOptions, 'token' | 'origin'> | undefined;
    },
): Api {
  const { databaseUrl: url, publicUrl, eventsPerSecond, clientAddress, locate, log } = options;
  const engine = createEngine(options);
  const db = createKnex({ url, ...POOLS.identity, ...STORE_TIMEOUTS });
  const lookups = createKnex({ url, ...LOOKUP_OPTIONS });
  const described = peopleStores(lookups);
  const ingestPool = createPool({ url, ...POOLS.capture, ...INGEST_TIMEOUTS });
  const identity = identityStores(db);
  const { projects, auditLog, users } = identity;
  const dashboards = createDashboardParts(options);
  const protectedObjects = {
    ...PROTECTED_PROJECT_RULES,
    ...dashboards.protectedObjects,
    feature_flag: protectedFlags(featureFlagStore(db)),
    batch_export: protectedExports(engine.stores.batchExports),
  };
  const sessions = createSessions({ ...identity, publicUrl });
  const gatekeeper = createGatekeeper({
    ...identity,
    callerOf: sessions.callerOf,
    requestLimit: createRequestLimit(options.requestLimits),
    protectedObjects,
  });
  const ensureTemporal = () => ensureReachable(engine.temporal.client);
  const health = createHealth(
    apiChecks({
      pool: engine.pool,
      partitionedDaysAhead: async () => partitionedDaysAhead(engine.pool),
      ensureTemporal,
      deliveriesBlocked: engine.timeline.reason,
    }),
  );
  const ingestionWarnings = warningStore(db);
  const warnings = createWarningWriter({ store: ingestionWarnings, log });

  const salts = createSalts({ store: saltStore(db), log });
  const capture = createCapture({
    pool: ingestPool,
    projectByToken: projectByToken(projects),
    gatekeeper,
    clientAddress,
    locate,
    salts,
    eventsPerSecond,
    mostDistinctIds: options.mostDistinctIds,
    warn: warnings.note,
    observe: engine.metrics.capture,
    log,
  });
  const flags = createFlagParts({
    ...options,
    gatekeeper,
    salts,
    requestsPerSecond: options.flagRequestsPerSecond,
    observe: engine.metrics.decide,
  });
  const { stores, executions, configs, environment, scheduleSync, notifications } = engine;
  const { codec } = options.temporal;
  const openPayloads = codec && options.codecFor && codecEndpoint({ ...options.codecFor, codec });
  const application = createApp({
    lane: (request, reply) => capture.handle(request, reply) || flags.lane(request, reply),
    rawHandlers: [
      ...flags.rawHandlers,
      dashboards.handle,
      createConsolePages({ files: openConsoleFiles(), log }),
      ...(openPayloads ? [openPayloads] : []),
    ],
    rawRoutes,
    routes: apiRoutes,
    collaborators: {
      health,
      ...people({
        identity,
        sessions,
        publicUrl,
        mailer: engine.mailer,
        addressOf: ({ headers, remoteAddress }) => clientAddress({ headers, socket: { remoteAddress } }),
      }),
      apiKeys: apiKeys(identity),
      accessControls: accessControls({ stores: identity, protectedObjects }),
      events: eventStore(lookups),
      persons: described.persons,
      groups: described.groups,
      groupTypes: described.groupTypes,
      peopleChanges: peopleChanges(described),
      batchExports: batchExports({
        stores,
        scheduleSync: scheduleSync,
        executions,
        configs,
        notifications,
        environment,
        ensureTemporal,
      }),
      backfills: backfills({ stores, pool: engine.pool, executions, limits: engine.limits, log, ensureTemporal }),
      foreignDeliveries: foreignDeliveries(engine),
      intervals: exportIntervals({ stores, pool: engine.pool }),
      previews: exportPreviews(engine),
      runs: exportRuns({ stores, executions, limits: engine.limits, ensureTemporal }),
      exportLogs: stores.logs,
      integrations: integrations({ stores, configs, environment }),
      testSteps: exportTestSteps({ stores, configs, environment, log }),
      ingestionWarnings,
      auditLog,
      users,
      ...flags.collaborators,
      ...dashboards.collaborators,
    },
    gatekeeper,
    publicUrl,
    isAway: isDatabaseAway,
    log,
  });

  engine.metrics.registerExports(() => exportFigures(stores));
  return {
    application,
    metrics: engine.metrics,
    pool: engine.pool,
    drain() {
      health.drain();
      flags.drain();
    },
    async close() {
      await capture.drain();
      await warnings.drain();
      await salts.close();
      await flags.close();
      await dashboards.close();
      await Promise.all([engine.close(), db.destroy(), lookups.destroy(), ingestPool.end()]);
    },
  };
}
