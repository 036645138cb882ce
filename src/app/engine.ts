/** Composes the export engine: used by the worker's activities, the API and `sluice verify`. */
import type { Engine, ExportLimits, Step } from '../../activities/engine.ts';
import { DEFAULT_FILE_GRACE_HOURS } from '../platform/config.ts';
import { createKnex, createPool } from '../platform/db/connection.ts';
import { POOLS, rowsPool } from '../platform/db/pools.ts';
import type { DestinationEnvironment } from '../exports/destinations/environment.ts';
import { awsRoles, externalIdOfProject } from '../exports/destinations/s3/roles.ts';
import { projectStore } from '../people/projects/projects.store.ts';
import { eventReader } from '../events/reading/read.ts';
import { createSealer, type Sealer } from '../events/table/seal.ts';
import { notificationSettings, type NotificationSettings } from '../exports/monitoring/notifications.ts';
import { scheduleSync } from '../exports/schedules/schedule-sync.ts';
import { configEncryption } from '../exports/integrations/config-encryption.ts';
import { progressMeter } from '../exports/runs/progress-meter.ts';
import { exportStores } from '../exports/stores.ts';
import { timelineGuard } from '../exports/timeline/timeline-guard.ts';
import { hostRules } from '../platform/net/host-rules.ts';
import { createMailer, type MailOptions } from '../platform/notify/mail.ts';
import { createKeyRing } from '../platform/secrets/key-ring.ts';
import type { RetentionDays } from '../retention/growing-table.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import { connectTemporal, ensureReachable, type TemporalOptions } from '../platform/temporal/connection.ts';
import { exportExecutions } from '../exports/temporal/executions.ts';
import { exportSchedules } from '../exports/temporal/schedules.ts';
import { timelineWitness } from '../exports/temporal/witness.ts';

export type EngineOptions = {
  databaseUrl: string;
  temporal: TemporalOptions;
  /** SLUICE_ENCRYPTION_KEYS */
  encryptionKeys: string;
  environment: DestinationEnvironment;
  /** Whether destinations may name AWS roles. */
  assumesRoles?: boolean;
  /** Absent: no mail is sent. */
  mail?: MailOptions | undefined;
  /** Number of parts moved at once, each of which needs a connection. */
  partsAtOnce: number;
  limits: ExportLimits;
  /** Value of EXPORT_FILE_GRACE_HOURS. */
  fileGraceHours?: number;
  /** Absent: no row is deleted because of its age. */
  retention?: RetentionDays;
  /** Absent if traces are off. The caller closes it. */
  traces?: Traces | undefined;
  log: Logger;
  /** For tests that stop the engine at a step of a run. */
  step?: (step: Step) => Promise<void>;
};

export type ComposedEngine = Engine & {
  databaseUrl: string;
  temporal: ReturnType<typeof connectTemporal>;
  notifications: NotificationSettings;
  /** @throws while Temporal is away */
  ensureTemporal(): Promise<void>;
  close(): Promise<void>;
};

/** Timeouts after which Postgres ends the session of a worker that froze inside a transaction, so its rows do not stay locked. */
const TRANSACTION_TIMEOUTS = { idleInTransactionTimeoutMs: 10_000, lockTimeoutMs: 20_000 };

export function createEngine(options: EngineOptions): ComposedEngine {
  const { databaseUrl: url, log } = options;
  const db = createKnex({ url, ...POOLS.engine, ...TRANSACTION_TIMEOUTS });
  const pool = createPool({ url, ...rowsPool(options.partsAtOnce) });
  const configs = configEncryption(createKeyRing(options.encryptionKeys));
  const temporal = connectTemporal(options.temporal);
  const stores = exportStores(db);
  const { allowedHosts } = options.environment;
  const rules = hostRules(allowedHosts);
  const externalIdOf = async (projectId: number) => externalIdOfProject(await projectStore(db).getUuid(projectId));
  const metrics = createMetrics();
  const mailer = options.mail && createMailer(options.mail);
  const schedules = exportSchedules(temporal.client);
  return {
    databaseUrl: url,
    stores,
    progress: progressMeter(stores, log),
    pool,
    events: eventReader(pool),
    sealer: measureSeals(createSealer(pool), metrics),
    configs,
    environment: {
      ...(options.assumesRoles && { awsRoles: awsRoles({ allowedHosts, externalIdOf }) }),
      ...options.environment,
    },
    rules,
    mailer,
    metrics,
    traces: options.traces,
    notifications: notificationSettings(configs, rules, mailer !== undefined),
    schedules,
    scheduleSync: scheduleSync({ stores, schedules, log }),
    executions: exportExecutions(temporal.client),
    timeline: timelineGuard({ stores, witness: timelineWitness(temporal.client), log }),
    limits: options.limits,
    fileGraceHours: options.fileGraceHours ?? DEFAULT_FILE_GRACE_HOURS,
    retention: options.retention ?? {},
    log,
    step: options.step ?? (async () => {}),
    temporal,
    ensureTemporal: () => ensureReachable(temporal.client),
    async close() {
      mailer?.close();
      await Promise.all([temporal.close(), pool.end(), db.destroy()]);
    },
  };
}

/** Measures how long runs wait for a seal, the most likely reason for late runs. */
function measureSeals({ seal, sealPast }: Sealer, metrics: Metrics): Sealer {
  return {
    seal,
    async sealPast(instant, signal) {
      const endWait = metrics.beginSeal();
      try {
        return await sealPast(instant, signal);
      } finally {
        endWait();
      }
    },
  };
}
