/** Dependencies of activities: made once by the composition root of the worker. */
import type { Pool } from '../src/platform/db/connection.ts';
import type { DestinationEnvironment } from '../src/exports/destinations/environment.ts';
import type { EventReader } from '../src/events/reading/read.ts';
import type { Sealer } from '../src/events/table/seal.ts';
import type { ScheduleSync } from '../src/exports/schedules/schedule-sync.ts';
import type { ConfigEncryption } from '../src/exports/integrations/config-encryption.ts';
import type { ProgressMeter } from '../src/exports/runs/progress-meter.ts';
import type { ExportStores } from '../src/exports/stores.ts';
import type { TimelineGuard } from '../src/exports/timeline/timeline-guard.ts';
import type { HostRules } from '../src/platform/net/host-rules.ts';
import type { Mailer } from '../src/platform/notify/mail.ts';
import type { RetentionDays } from '../src/retention/growing-table.ts';
import type { Logger } from '../src/platform/telemetry/logger.ts';
import type { Metrics } from '../src/platform/telemetry/metrics.ts';
import type { Traces } from '../src/platform/telemetry/traces.ts';
import type { ExportExecutions } from '../src/exports/temporal/executions.ts';
import type { ExportSchedules } from '../src/exports/temporal/schedules.ts';

/** A point of a run at which tests stop, kill or freeze a worker. */
export type Step = { name: string; exportId: string; runId: string; end: string };

/** Limits of each project. */
export type ExportLimits = {
  /** Limit of requested runs under way. */
  runsPerProject: number;
  /** Limit of backfills that have not ended. */
  backfillsPerProject: number;
};

export type Engine = {
  stores: ExportStores;
  progress: ProgressMeter;
  events: EventReader;
  /** For work on the table of events that no store does: creating partitions, finding stale intervals. */
  pool: Pool;
  sealer: Sealer;
  configs: ConfigEncryption;
  environment: DestinationEnvironment;
  /** Rules for the hosts that users enter. */
  rules: HostRules;
  /** Absent if this installation sends no mail. */
  mailer: Mailer | undefined;
  metrics: Metrics;
  /** Absent if traces are off. */
  traces: Traces | undefined;
  schedules: ExportSchedules;
  scheduleSync: ScheduleSync;
  executions: ExportExecutions;
  timeline: TimelineGuard;
  limits: ExportLimits;
  /** Hours for which superseded files stay. */
  fileGraceHours: number;
  /** Days after which rows are deleted that nothing needs any more. */
  retention: RetentionDays;
  log: Logger;
  /** Called at every step with an effect that others can see; does nothing outside tests. */
  step(step: Step): Promise<void>;
};
