/** User operations on runs: listing them, explaining why they wait, cancelling them. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import type { ExportExecutions } from '../temporal/executions.ts';
import { isLive, isOpen } from '../domain/statuses.ts';
import { SYSTEM_AUTHOR, recordRun } from '../batch-exports/audit.ts';
import type { Backfill } from '../backfills/backfills.store.ts';
import type { Run } from './run-rows.ts';
import type { ExportStores } from '../stores.ts';
import { describeBlock } from '../timeline/timeline-guard.ts';

export type ExportRunsOptions = {
  stores: ExportStores;
  executions: ExportExecutions;
  limits: { runsPerProject: number };
  /** @throws Unavailable while Temporal is away */
  ensureTemporal(): Promise<void>;
};

/** Time within which a run usually starts; a longer wait is explained to users. */
const USUAL_WAIT_MS = 10_000;
/** Limit of runs that one request looks up in Temporal. */
const MAX_LOOKED_UP = 20;

const NO_WORKER = 'No worker asks Temporal for work: start one with `sluice worker`.';
const NO_FREE_WORKER = 'Waits for a worker that is free.';
const ITS_TURN = 'Waits for its turn: this project has as many backfills in progress as it may have at once.';
const SEALING =
  'Waits until its data interval is sealed: transactions that store events and began before have to end first.';

export type ExportRuns = ReturnType<typeof exportRuns>;

export function exportRuns({ stores, executions, limits, ensureTemporal }: ExportRunsOptions) {
  const { get, list, listLatest, countPerDay, findUnresolvedErrors } = stores.runs;

  async function waitingReason({ workflowId, workflowRunId, latestError }: Run): Promise<string | undefined> {
    const isBeingWorkedOn = await executions.isBeingWorkedOn(workflowId, workflowRunId);
    if (isBeingWorkedOn === undefined) return undefined;
    if (isBeingWorkedOn) return SEALING;
    return latestError === null ? NO_FREE_WORKER : `Sluice will retry it: ${latestError}`;
  }

  return {
    get,
    list,
    latest: listLatest,
    perDay: countPerDay,
    unresolvedErrors: findUnresolvedErrors,
    attempts: stores.attempts.listOfRun,
    progress: stores.progress.getOfRun,

    /** Explains by run id, in a sentence for people, why runs have been `Starting` for long. Empty while Temporal is away. */
    async waitingReasons(runs: readonly Run[]): Promise<Map<string, string>> {
      const oldStarts = runs.filter(({ status, createdAt }) => status === 'Starting' && isOld(createdAt));
      if (oldStarts.length === 0) return new Map();
      try {
        if (!(await executions.hasWorkers())) return new Map(oldStarts.map(({ id }) => [id, NO_WORKER]));
        const reasons = oldStarts
          .slice(0, MAX_LOOKED_UP)
          .map(async (run) => [run.id, await waitingReason(run)] as const);
        return new Map((await Promise.all(reasons)).filter((one): one is [string, string] => one[1] !== undefined));
      } catch {
        return new Map();
      }
    },

    /** Explains why a live backfill has no run under way; null if there is no known reason. */
    async backfillWaitingReason(backfill: Backfill): Promise<string | null> {
      if (!isLive(backfill.status) || !isOld(backfill.lastUpdatedAt)) return null;
      const { blocked } = await stores.timeline.getState();
      if (blocked !== null) return describeBlock(blocked);
      if (!(await executions.hasWorkers().catch(() => true))) return NO_WORKER;
      if (backfill.waits) return ITS_TURN;
      const { projectId, batchExportId } = backfill;
      const { maxConcurrentRuns } = await stores.batchExports.get(projectId, batchExportId);
      const claimedCounts = await stores.runRequests.countClaimed({ id: batchExportId, projectId }, backfill.id);
      if (claimedCounts.ofBackfill > 0) return null;
      if (claimedCounts.ofExport >= maxConcurrentRuns)
        return `Waits for other runs: ${claimedCounts.ofExport} requested runs of this batch export are under way, which is its limit.`;
      if (claimedCounts.ofProject >= limits.runsPerProject)
        return `Waits for other runs: ${claimedCounts.ofProject} requested runs of this project are under way, which is its limit.`;
      return null;
    },

    /**
     * Ends a run that is under way, so none of its data becomes visible, unless it is delivering already.
     * @throws InvalidInput when the run has ended
     */
    async cancel(projectId: number, exportId: string, id: string, author: Author = SYSTEM_AUTHOR): Promise<void> {
      await stores.batchExports.get(projectId, exportId);
      const run = await get(projectId, exportId, id);
      const { status, workflowId, workflowRunId } = run;
      if (!isOpen(status)) throw new InvalidInput(`Cannot cancel a run that is in '${status}' status`);
      await ensureTemporal();
      // Temporal ends the run later, so the audit log records the request.
      await recordRun(stores, author, { ...run, projectId });
      await executions.cancel(workflowId, workflowRunId);
    },
  };
}

function isOld(createdAt: string): boolean {
  return Date.now() - Date.parse(createdAt) > USUAL_WAIT_MS;
}
