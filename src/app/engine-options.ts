/** Engine options, read from the environment. */
import { entriesOf, type Config } from '../platform/config.ts';
import type { PlannedProcesses } from '../platform/db/connection-budget.ts';
import type { EngineOptions } from './engine.ts';
import { CommandFailed } from '../platform/errors.ts';
import { createKeyRing } from '../platform/secrets/key-ring.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { payloadCodec } from '../platform/temporal/payload-codec.ts';

/** @throws CommandFailed naming the variables that are missing */
export function engineOptions(config: Config, log: Logger): EngineOptions {
  const { DATABASE_URL, TEMPORAL_ADDRESS, SLUICE_ENCRYPTION_KEYS } = config;
  if (!DATABASE_URL || !TEMPORAL_ADDRESS || !SLUICE_ENCRYPTION_KEYS) {
    const missingVariables = Object.entries({ DATABASE_URL, TEMPORAL_ADDRESS, SLUICE_ENCRYPTION_KEYS }).filter(
      ([, value]) => !value,
    );
    throw new CommandFailed(
      `Set ${missingVariables.map(([name]) => name).join(', ')}, or use \`sluice up\`, which sets them.`,
    );
  }
  return {
    databaseUrl: DATABASE_URL,
    temporal: {
      address: TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
      codec: payloadCodec(createKeyRing(SLUICE_ENCRYPTION_KEYS)),
    },
    encryptionKeys: SLUICE_ENCRYPTION_KEYS,
    environment: {
      localRoot: config.EXPORT_LOCAL_ROOT,
      localQuotaMb: config.EXPORT_LOCAL_QUOTA_MB,
      localFileMode: Number.parseInt(config.EXPORT_LOCAL_FILE_MODE, 8),
      allowedHosts: entriesOf(config.EXPORT_ALLOWED_HOSTS),
    },
    assumesRoles: config.EXPORT_AWS_ROLES === 'on',
    mail: config.SMTP_URL === undefined ? undefined : { url: config.SMTP_URL, from: config.MAIL_FROM },
    partsAtOnce: config.SLUICE_WORKER_CONCURRENCY,
    limits: {
      runsPerProject: config.EXPORT_RUNS_PER_PROJECT,
      backfillsPerProject: config.EXPORT_BACKFILLS_PER_PROJECT,
    },
    fileGraceHours: config.EXPORT_FILE_GRACE_HOURS,
    retention: config,
    log,
  };
}

/** Numbers of processes in the installation, which determine how many connections it needs. */
export function plannedProcesses(config: Config): PlannedProcesses {
  return {
    apiProcesses: config.SLUICE_API_PROCESSES,
    workerProcesses: config.SLUICE_WORKER_PROCESSES,
    partsAtOnce: config.SLUICE_WORKER_CONCURRENCY,
  };
}
