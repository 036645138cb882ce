/** Response bodies of backfills and data intervals. */
import type { IntervalBody, BackfillBody, PreviewBody } from './backfills.schema.ts';
import type { Preview } from './backfill-previews.ts';
import type { Backfill } from './backfills.store.ts';
import { isoMicros } from '../domain/instants.ts';
import type { IntervalState } from '../intervals/interval-states.ts';

/** @param waitingFor why the backfill waits, if it has no run under way */
export function presentBackfill(backfill: Backfill, waitingFor: string | null = null): BackfillBody {
  const { totalRuns, finishedRuns } = backfill;
  return {
    id: backfill.id,
    team: backfill.projectId,
    batch_export: backfill.batchExportId,
    kind: backfill.kind,
    start_at: backfill.startAt,
    end_at: backfill.endAt,
    adjusted_start_at: backfill.adjustedStartAt,
    status: backfill.status,
    created_at: backfill.createdAt,
    finished_at: backfill.finishedAt,
    last_updated_at: backfill.lastUpdatedAt,
    waiting_for: waitingFor,
    total_records_count: backfill.totalRecords,
    progress: {
      total_runs: totalRuns,
      finished_runs: finishedRuns,
      failed_runs: backfill.failedRuns,
      progress: totalRuns === 0 ? 1 : Math.floor((10 * finishedRuns) / totalRuns) / 10,
    },
  };
}

export function presentInterval({ start, end, status, runId, rows, ...marks }: IntervalState): IntervalBody {
  return {
    data_interval_start: isoMicros(start),
    data_interval_end: isoMicros(end),
    status,
    run: runId,
    records_delivered: rows,
    unsettled: marks.unsettled,
    gave_up: marks.gaveUp,
    awaiting_decision: marks.awaitsDecision,
  };
}

export function presentPreview(preview: Preview): PreviewBody {
  const { missing, failed, stale, delivered, running } = preview.byStatus;
  const presentGroup = ({ count, first }: typeof missing) => ({ count, first: first.map(presentInterval) });
  return {
    dry_run: true,
    plan: preview.token,
    start_at: preview.startAt,
    end_at: preview.endAt,
    total_runs: preview.totalRuns,
    intervals: {
      missing: presentGroup(missing),
      failed: presentGroup(failed),
      stale: presentGroup(stale),
      delivered: presentGroup(delivered),
      running: presentGroup(running),
    },
    skipped: preview.skipped,
    awaiting_decision: presentGroup(preview.awaitingDecision),
    rows: preview.rows && { count: preview.rows.rows, exact: preview.rows.exact },
    overwrites: {
      intervals: preview.overwrites.intervals,
      records: preview.overwrites.rows,
      files: preview.overwrites.files,
    },
    estimate: preview.estimate,
  };
}
