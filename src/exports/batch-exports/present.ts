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
  one: BatchExport,
  latestRuns: readonly Run[] = [],
  { completeUntil, lagSeconds, troubles }: Freshness = NO_FRESHNESS,
  standingError?: RunError,
): Omit<BatchExportBody, 'user_access_level'> {
  return {
    id: one.id,
    team_id: one.projectId,
    name: one.name,
    model: one.model as BatchExportBody['model'],
    destination: { type: one.destinationType, config: one.destinationConfig, integration: one.integration?.id ?? null },
    promises: promisesOf(anyDestination(one.destinationType), one.destinationConfig),
    interval: one.interval,
    ...presentSchedule(one),
    max_concurrent_runs: one.maxConcurrentRuns,
    paused: one.paused,
    created_at: one.createdAt,
    last_updated_at: one.lastUpdatedAt,
    last_paused_at: one.lastPausedAt,
    paused_reason: one.pausedReason,
    pause: presentPause(one),
    complete_until: completeUntil,
    lag_seconds: lagSeconds,
    freshness_target_seconds: one.freshnessTargetSeconds,
    redeliver_stale: one.redeliverStale,
    interval_troubles: troubles,
    error: standingError ? presentError(standingError) : null,
    notifications: one.notifications,
    start_at: one.startAt,
    end_at: one.endAt,
    latest_runs: latestRuns.map(presentRunSummary),
    ...presentContent(one.content),
  };
}

/** @param waitingFor why the run waits, if it has been `Starting` for long */
export function presentRun(run: Run, waitingFor?: string): RunBody {
  return { ...presentRunSummary(run), waiting_for: waitingFor ?? null, receipt: run.receipt && { ...run.receipt } };
}

function failedRecords({ status, recordsTotalCount }: Run): number | null {
  if (status === 'Completed') return 0;
  return status === 'Failed' || status === 'FailedRetryable' ? recordsTotalCount : null;
}

function presentRunSummary(run: Run): RunSummaryBody {
  return {
    id: run.id,
    status: run.status,
    records_completed: run.recordsCompleted,
    records_failed: failedRecords(run),
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
