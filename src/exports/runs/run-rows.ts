/** A run's row, and the `Run` that other code uses. */
import type { Receipt } from '../destinations/contract.ts';
import type { FaultOwner } from '../../platform/errors.ts';
import type { StoredPlan } from '../domain/plan.ts';
import type { RunKind, RunStatus } from '../domain/statuses.ts';

export type Run = {
  id: string;
  projectId: number;
  batchExportId: string;
  /** The data interval `[start, end)`, in ISO 8601. */
  start: string;
  end: string;
  kind: RunKind;
  /** The first of the backfills that requested the run; null if none did. */
  backfillId: string | null;
  status: RunStatus;
  workflowId: string;
  workflowRunId: string;
  epoch: number | null;
  plan: StoredPlan | null;
  receipt: Receipt | null;
  recordsCompleted: number | null;
  recordsTotalCount: number | null;
  bytesExported: number | null;
  latestError: string | null;
  /** Class of the error that ended the run, unless somebody cancelled it. Runs of earlier versions have only this. */
  errorType: string | null;
  errorCode: string | null;
  errorOwner: FaultOwner | null;
  errorField: string | null;
  /** Time of the next attempt of an open run, or of the next run of an ended run's interval; null if there is no automatic retry. */
  nextTryAt: string | null;
  /** When the destination was read back, and held what was delivered. */
  verifiedAt: string | null;
  cursor: string | null;
  createdAt: string;
  finishedAt: string | null;
  lastUpdatedAt: string;
};

export type RunRow = {
  id: string;
  project_id: number;
  batch_export_id: string;
  data_interval_start: string;
  data_interval_end: string;
  kind: RunKind;
  backfill_id: string | null;
  status: RunStatus;
  workflow_id: string;
  workflow_run_id: string;
  epoch: string | null;
  plan: StoredPlan | null;
  receipt: Receipt | null;
  records_completed: string | null;
  records_total_count: string | null;
  bytes_exported: string | null;
  latest_error: string | null;
  error_type: string | null;
  error_code: string | null;
  error_owner: FaultOwner | null;
  error_field: string | null;
  next_try_at: string | null;
  verified_at: string | null;
  cursor: string | null;
  closed_by: string | null;
  created_at: string;
  finished_at: string | null;
  last_updated_at: string;
};

const numberOrNull = (text: string | null) => (text === null ? null : Number(text));

export function runFromRow(row: RunRow): Run {
  return {
    id: row.id,
    projectId: row.project_id,
    batchExportId: row.batch_export_id,
    start: row.data_interval_start,
    end: row.data_interval_end,
    kind: row.kind,
    backfillId: row.backfill_id,
    status: row.status,
    workflowId: row.workflow_id,
    workflowRunId: row.workflow_run_id,
    epoch: numberOrNull(row.epoch),
    plan: row.plan,
    receipt: row.receipt,
    recordsCompleted: numberOrNull(row.records_completed),
    recordsTotalCount: numberOrNull(row.records_total_count),
    bytesExported: numberOrNull(row.bytes_exported),
    latestError: row.latest_error,
    errorType: row.error_type,
    errorCode: row.error_code,
    errorOwner: row.error_owner,
    errorField: row.error_field,
    nextTryAt: row.next_try_at,
    verifiedAt: row.verified_at,
    cursor: row.cursor,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    lastUpdatedAt: row.last_updated_at,
  };
}

/** Limit of files in a listed receipt and of parts in a listed plan, because a receipt of 10,000 files has four megabytes. */
const MAX_LISTED_FILES = 100;

/** Selects a JSON column; a long list in it is replaced by its length. @param count name of the field for the length @param json the column by default */
const countInsteadOfList = (column: string, list: string, count: string, json = column) => `
  case when jsonb_array_length(${column} -> '${list}') > ${MAX_LISTED_FILES}
    then ${json} - '${list}' || jsonb_build_object('${count}', jsonb_array_length(${column} -> '${list}'))
    else ${json} end as ${column}`;

/**
 * The columns of `batch_export_runs` for lists. If a receipt has many files or a plan many parts, only their number is read, as `file_count`
 * and `partCount`, because a page of such rows does not fit into memory. The events of a plan are left out for the same reason. Receipts have wire names, plans have names of code.
 */
export const LISTED_COLUMNS = `
  id, project_id, batch_export_id, data_interval_start, data_interval_end, kind, backfill_id, status, workflow_id, workflow_run_id,
  epoch, records_completed, records_total_count, bytes_exported, latest_error, error_type, error_code, error_owner, error_field,
  next_try_at, verified_at, cursor, closed_by, created_at, finished_at, last_updated_at, ${countInsteadOfList('plan', 'parts', 'partCount', "(plan - 'byEvent')")}, ${countInsteadOfList('receipt', 'files', 'file_count')}`;
