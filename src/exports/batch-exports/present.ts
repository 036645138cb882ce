/** Response bodies of batch exports, runs and log entries. Fields are listed one by one, so none is exposed by accident. */
import type { BatchExport } from './batch-export.ts';
import type { BatchExportBody } from './batch-exports.schema.ts';
import { presentError, type RunError } from '../faults/run-error.ts';
import { anyDestination } from '../destinations/index.ts';
import { promisesOf } from '../destinations/promises.ts';
import type { Freshness } from '../monitoring/freshness.ts';
import { presentContent } from './content-fields.ts';
import type { LogEntryBody } from '../runs/logs.schema.ts';
import type { LogEntry } from '../runs/logs.store.ts';
import { presentPause } from '../pauses/pauses.schema.ts';
import type { RunBody, RunSummaryBody } from '../runs/runs.schema.ts';
import type { Run } from '../runs/runs.store.ts';
import { presentSchedule } from '../schedules/schedule-fields.ts';

const NO_FRESHNESS: Freshness = {
  completeUntil: null,
  lagSeconds: 0,
  troubles: { stale: 0, unsettled: 0, gave_up: 0 },
};

/** The body without the level of its reader. @param latestRuns newest first */
export function presentBatchExport(
  batchExport: BatchExport,
  latestRuns: readonly Run[] = [],
  { completeUntil, lagSeconds, troubles }: Freshness = NO_FRESHNESS,
  unresolvedError?: RunError,
): Omit<BatchExportBody, 'user_access_level'> {
  return {
    id: batchExport.id,
    team_id: batchExport.projectId,
    name: batchExport.name,
    model: batchExport.model as BatchExportBody['model'],
    destination: {
      type: batchExport.destinationType,
      config: batchExport.destinationConfig,
      integration: batchExport.integration?.id ?? null,
    },
    promises: promisesOf(anyDestination(batchExport.destinationType), batchExport.destinationConfig),
    interval: batchExport.interval,
    ...presentSchedule(batchExport),
    max_concurrent_runs: batchExport.maxConcurrentRuns,
    paused: batchExport.paused,
    created_at: batchExport.createdAt,
    last_updated_at: batchExport.lastUpdatedAt,
    last_paused_at: batchExport.lastPausedAt,
    paused_reason: batchExport.pausedReason,
    pause: presentPause(batchExport),
    complete_until: completeUntil,
    lag_seconds: lagSeconds,
    freshness_target_seconds: batchExport.freshnessTargetSeconds,
    redeliver_stale: batchExport.redeliverStale,
    interval_troubles: troubles,
    error: unresolvedError ? presentError(unresolvedError) : null,
    notifications: batchExport.notifications,
    start_at: batchExport.startAt,
    end_at: batchExport.endAt,
    latest_runs: latestRuns.map(presentRunSummary),
    ...presentContent(batchExport.content),
  };
}

/** @param waitingFor why the run waits, if it has been `Starting` for long */
export function presentRun(run: Run, waitingFor?: string): RunBody {
  return { ...presentRunSummary(run), waiting_for: waitingFor ?? null, receipt: run.receipt && { ...run.receipt } };
}

function failedRecordCount({ status, recordsTotalCount }: Run): number | null {
  if (status === 'Completed') return 0;
  return status === 'Failed' || status === 'FailedRetryable' ? recordsTotalCount : null;
}

function presentRunSummary(run: Run): RunSummaryBody {
  return {
    id: run.id,
    status: run.status,
    kind: run.kind,
    records_completed: run.recordsCompleted,
    records_failed: failedRecordCount(run),
    latest_error: run.latestError,
    error: presentError(run),
    data_interval_start: run.start,
    data_interval_end: run.end,
    cursor: run.cursor,
    created_at: run.createdAt,
    finished_at: run.finishedAt,
    verified_at: run.verifiedAt,
    last_updated_at: run.lastUpdatedAt,
    records_total_count: run.recordsTotalCount,
    bytes_exported: run.bytesExported,
    batch_export: run.batchExportId,
    workflow_id: run.workflowId,
    workflow_run_id: run.workflowRunId,
    backfill: run.backfillId,
  };
}

export function presentLogEntry(entry: LogEntry): LogEntryBody {
  return {
    id: entry.id,
    log_source_id: entry.batchExportId,
    instance_id: entry.workflowRunId,
    run: entry.runId,
    attempt: entry.attempt,
    timestamp: entry.timestamp,
    level: entry.level,
    message: entry.message,
  };
}
