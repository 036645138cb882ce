/** Diagnoses why a run did not deliver: its error, changes before it, and what its data interval waits for. */
import type { AuthoredEntry, EntryAuthor } from '../../people/audit/audit-log.store.ts';
import { listChangedFields, type ChangedField } from '../../people/audit/changed-fields.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { BatchExportBody } from '../batch-exports/batch-exports.schema.ts';
import { isOpen } from '../domain/statuses.ts';
import { presentError, type RunErrorBody } from '../faults/run-error.ts';
import type { Run } from '../runs/run-rows.ts';
import type { ExportRuns } from '../runs/runs.ts';
import type { ExportStores } from '../stores.ts';
import { describeBlock } from '../timeline/timeline-guard.ts';

export type CauseCandidate = {
  at: string;
  author: EntryAuthor | null;
  changedObject: 'batch_export' | 'integration';
  fields: ChangedField[];
};

export type Diagnosis = {
  run: Run;
  cause: RunErrorBody;
  lastSuccess: Run | undefined;
  /** Newest first. */
  changes: CauseCandidate[];
  hasMoreChanges: boolean;
  waitingReason: string | null;
  /** The newest run of the data interval, if it is a later one. */
  laterRun: Run | undefined;
};

export const MAX_CHANGES = 50;
/** Limit of a value's length; longer values are left out. */
export const MAX_VALUE_LENGTH = 1_000;

/** Fields that do not affect runs. */
const IRRELEVANT_FIELDS = new Set(['last_paused_at', 'paused_reason', 'pause', 'name']);

export type ExportDiagnoses = ReturnType<typeof exportDiagnoses>;

export function exportDiagnoses({ stores, runs }: { stores: ExportStores; runs: Pick<ExportRuns, 'waitingReasons'> }) {
  /** Lists the changes since the last successful run began, because that run's plan has the configuration of that time. */
  async function listChangesBefore(batchExport: BatchExport, run: Run, lastSuccess: Run | undefined) {
    const { projectId, id, integration, createdAt } = batchExport;
    const subjects = [
      { scope: 'BatchExport', itemId: id },
      ...(integration ? [{ scope: 'Integration', itemId: integration.id }] : []),
    ];
    const entries = await stores.auditLog.listBetween(projectId, subjects, {
      after: lastSuccess?.createdAt ?? createdAt,
      until: run.finishedAt ?? (await stores.batchExports.now()),
      limit: MAX_CHANGES + 1,
    });
    const changes = entries.slice(0, MAX_CHANGES).flatMap(changesIn);
    return { changes, moreChanges: entries.length > MAX_CHANGES };
  }

  async function findWaitingReason(run: Run, cause: RunErrorBody, laterRun: Run | undefined): Promise<string | null> {
    if (run.status === 'Completed' || laterRun?.status === 'Completed') return null;
    const { blocked } = await stores.timeline.getState();
    if (blocked !== null) return describeBlock(blocked);
    if (isOpen(run.status)) return (await runs.waitingReasons([run])).get(run.id) ?? null;
    if (laterRun && isOpen(laterRun.status)) return 'Its data interval has a new run, which is in progress.';
    if (await stores.runRequests.findOpenKind(run.batchExportId, run.end))
      return 'Its data interval is requested again, and waits for its turn.';
    if (laterRun) return 'Its data interval has had a newer run: look at that one.';
    if (run.nextTryAt !== null) return 'Sluice will retry its data interval automatically.';
    return cause ? remedyOf(run, cause) : 'It waits for you: nothing tries it again automatically. Retry the run.';
  }

  return {
    /** @throws NotFound */
    async of(projectId: number, exportId: string, runId: string): Promise<Diagnosis> {
      const batchExport = await stores.batchExports.get(projectId, exportId);
      const run = await stores.runs.get(projectId, exportId, runId);
      const cause = presentError(run);
      const [lastSuccess, newest] = await Promise.all([
        stores.runs.findLastSuccess(exportId, run.createdAt),
        stores.runs.findNewestOfInterval(exportId, run.end),
      ]);
      const laterRun = newest && newest.id !== run.id ? newest : undefined;
      const [{ changes, moreChanges }, waiting] = await Promise.all([
        listChangesBefore(batchExport, run, lastSuccess),
        findWaitingReason(run, cause, laterRun),
      ]);
      return { run, cause, lastSuccess, changes, hasMoreChanges: moreChanges, waitingReason: waiting, laterRun };
    },
  };
}

/** Tells what a person can do about a run without automatic retries. */
function remedyOf({ errorType }: Run, { owner, field }: NonNullable<RunErrorBody>): string {
  if (errorType === 'DeliveredElsewhere')
    return 'It waits for a decision between two deliveries of its data interval: accept theirs, or ours.';
  if (owner !== 'you') return 'Nothing tries it again automatically. Once the cause is gone, retry the run.';
  if (field === null) return 'It waits for you: resolve the error, then retry the run.';
  return `It waits for you: resolve the error or change \`${field}\`, then retry the run.`;
}

/** The change in an entry of the audit log; none if it does not affect runs, such as a change of access. */
function changesIn({ scope, createdAt, author, activity, detail }: AuthoredEntry): CauseCandidate[] {
  if (activity !== 'updated') return [];
  const kind = scope === 'Integration' ? ('integration' as const) : ('batch_export' as const);
  const relevant = detail.changes.filter(({ field }) => kind === 'integration' || affectsRuns(field));
  // An entry without any field stands for a new secret, which the log cannot compare.
  if (relevant.length === 0 && detail.changes.length > 0) return [];
  const fields = relevant.flatMap((change) => listChangedFields(change)).map(shortenValues);
  return [{ at: createdAt, author, changedObject: kind, fields }];
}

function affectsRuns(field: string): boolean {
  return Object.hasOwn(BatchExportBody.properties, field) && !IRRELEVANT_FIELDS.has(field);
}

function shortenValues({ field, before, after }: ChangedField): ChangedField {
  return { field, before: shorten(before), after: shorten(after) };
}

function shorten(value: unknown): unknown {
  return JSON.stringify(value ?? null).length > MAX_VALUE_LENGTH ? null : (value ?? null);
}
