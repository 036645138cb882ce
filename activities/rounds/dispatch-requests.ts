/**
 * Does one round over an export's requests. It writes the next requests of backfills, gives free slots to the oldest requests, ends the runs
 * that these replace, and asks the schedule to start their runs. It starts directly the runs that the schedule does not start, and closes
 * answered requests. Safe to repeat; only the export's dispatcher calls it, so no two rounds overlap.
 */
import { millisOf } from '../../src/exports/domain/instants.ts';
import { runWorkflowId } from '../../src/exports/domain/ids.ts';
import { isStartedByPresentSchedule, type Tiling } from '../../src/exports/domain/intervals.ts';
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import type { RunRequest } from '../../src/exports/runs/run-requests.store.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { Execution } from '../../src/exports/temporal/executions.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Attempt } from '../activity.ts';
import { closeLost, lostItsFinalStatus } from '../runs/close-lost-runs.ts';
import type { Engine } from '../engine.ts';

export type DispatchInput = { exportId: string };
/** `progressed`: whether something changed in this round, so the next one should follow soon. */
export type DispatchRound = { open: number; progressed: boolean };

/** Limit of instants in one backfill call to the schedule. */
const ENDS_PER_CALL = 10;
/** Limit of request batches that one round writes, so that runs start before a large backfill is written completely. */
const BATCHES_PER_ROUND = 4;
/** Time that the schedule has to start a requested run; after it, the run is started directly. */
const PATIENCE_MS = 15_000;

export async function dispatchRequests(
  engine: Engine,
  _attempt: Attempt,
  { exportId }: DispatchInput,
): Promise<DispatchRound> {
  const { stores } = engine;
  const batchExport = await stores.batchExports.find(exportId);
  if (!batchExport) {
    await endBackfills(engine, exportId);
    return { open: 0, progressed: true };
  }
  if ((await engine.timeline.blockReason()) !== undefined)
    return { open: await stores.runRequests.countOpen(exportId), progressed: false };
  const tiling = await stores.batchExports.getTiling(exportId);
  const hasWaitingBackfills = await startWaitingBackfills(engine, batchExport);
  const hasUnwrittenRequests = await writeRequests(engine, exportId, tiling);
  const claimed = await claim(engine, batchExport);
  await endReplacedRuns(engine, exportId);
  const requests = await stores.runRequests.listClaimed(exportId);
  const steps = await decideAll(engine, requests);
  const hasRequestedRuns = await startRuns(engine, batchExport, tiling, steps);
  const hasClosed = steps.some(({ action }) => action === 'close');
  await stores.backfills.storeResults(exportId);
  const open = await stores.runRequests.countOpen(exportId);
  return {
    open: open + (hasUnwrittenRequests || hasWaitingBackfills ? 1 : 0),
    progressed: hasUnwrittenRequests || claimed > 0 || hasRequestedRuns || hasClosed,
  };
}

/** Ends the backfills of a deleted export: one with unwritten requests would count towards the project's limit for ever. */
async function endBackfills({ stores }: Engine, exportId: string): Promise<void> {
  await stores.inTransaction(async (tx) => {
    for (const isWaiting of [true, false])
      for (const id of await tx.backfills.listUnwritten(exportId, { waiting: isWaiting }))
        await tx.backfills.cancel(id);
    await tx.runRequests.closeAll(exportId);
  });
}

/** Starts the backfills that wait, oldest first, while their project is below its limit. @returns whether some still wait */
async function startWaitingBackfills({ stores, limits }: Engine, { id, projectId }: BatchExport): Promise<boolean> {
  for (const backfillId of await stores.backfills.listUnwritten(id, { waiting: true })) {
    const hasBegun = await stores.inTransaction(async (tx) => {
      await tx.batchExports.lockRow(id);
      if ((await tx.backfills.countLive(projectId)) >= limits.backfillsPerProject) return false;
      await tx.backfills.endWaiting(backfillId);
      return true;
    });
    if (!hasBegun) return true;
  }
  return false;
}

/** @returns whether more requests are to be written */
async function writeRequests({ stores }: Engine, exportId: string, tiling: Tiling): Promise<boolean> {
  let batches = 0;
  for (const id of await stores.backfills.listUnwritten(exportId, { waiting: false })) {
    const writeBatch = () =>
      stores.inTransaction(async (tx) => {
        await tx.batchExports.lockRow(exportId);
        return tx.backfills.writeRequests(id, tiling);
      });
    while (await writeBatch()) if (++batches >= BATCHES_PER_ROUND) return true;
  }
  return false;
}

/**
 * Asks Temporal to end the runs that backfills replace. Repeated in every round until they have ended: a request may be lost, and a run
 * that is committing ends later.
 */
async function endReplacedRuns(engine: Engine, exportId: string): Promise<void> {
  const { stores, executions, log } = engine;
  for (const { id, workflowId, workflowRunId } of await stores.backfills.listToEnd(exportId)) {
    await executions
      .cancel(workflowId, workflowRunId)
      .catch((error: unknown) =>
        log.warn(
          { ...forLog(error), batch_export_id: exportId, run_id: id },
          'a run could not be ended: the next round tries again',
        ),
      );
  }
}

async function claim({ stores, limits }: Engine, { id, projectId, maxConcurrentRuns }: BatchExport): Promise<number> {
  const claimLimits = { ofExport: maxConcurrentRuns, ofProject: limits.runsPerProject };
  return stores.inTransaction(async (tx) => {
    await tx.batchExports.lockRow(id);
    return tx.runRequests.claim({ id, projectId }, claimLimits);
  });
}

type DispatchStep = {
  request: RunRequest;
  end: number;
  action: 'wait' | 'askSchedule' | 'startDirectly' | 'close';
  newest: Execution | undefined;
};

/** A request whose look-up fails is tried again in the next round, so the other requests of its export need not wait. */
async function decideAll(engine: Engine, requests: readonly RunRequest[]): Promise<DispatchStep[]> {
  const decideOrLog = (request: RunRequest) =>
    decideNext(engine, request).catch((error: unknown) => {
      logRetryLater(engine, request, error);
      return [];
    });
  return (await Promise.all(requests.map(decideOrLog))).flat();
}

function logRetryLater({ log }: Engine, { exportId, end }: RunRequest, error: unknown): void {
  log.warn(
    { ...forLog(error), batch_export_id: exportId, interval_end: end },
    'a run request could not be dispatched: the next round tries again',
  );
}

/** The next step of a request, judged by the newest execution of its interval. */
async function decideNext(engine: Engine, request: RunRequest): Promise<DispatchStep> {
  const end = millisOf(request.end);
  const newest = await engine.executions.find(runWorkflowId(request.exportId, end));
  const makeStep = (action: DispatchStep['action']): DispatchStep => ({ request, end, action, newest });

  // A run under way may have been planned before the request, so its end decides whether the request closes or stays open.
  if (newest?.status === 'RUNNING') return makeStep('wait');
  if (request.newestRunIdWhenAsked === null) return makeStep('askSchedule');
  // The request has led to no run, or Temporal has forgotten the run.
  if (newest === undefined || newest.runId === request.newestRunIdWhenAsked) {
    return makeStep((request.millisSinceAsked ?? 0) > PATIENCE_MS ? 'startDirectly' : 'wait');
  }
  return makeStep((await closeIfAnswered(engine, request, newest)) ? 'close' : 'askSchedule');
}

/**
 * Closes the request of an execution that has ended, whatever its status. The request stays open if it was made again after the run
 * was planned, if it replaces the run, or if a restore of the database lost the run's result.
 * @returns whether the request is closed
 */
async function closeIfAnswered(engine: Engine, request: RunRequest, newest: Execution): Promise<boolean> {
  const { stores } = engine;
  const run = await closeLost(engine, newest);
  // tooth: request-of-lost-run
  if (await isResultLost(engine, request, newest, run)) return false;
  if (run?.plan && run.plan.cutoff < request.requestedAt) return false;
  if (run && run.status !== 'Completed' && (await stores.backfills.isReplaced(request.id, run.id))) return false;
  await stores.runRequests.close(request, run?.id ?? null);
  return true;
}

/**
 * Whether a restore of the database lost the request's result: the execution's delivery or failure belongs to another timeline.
 * A missing row proves this only if the run was asked for before `sluice recover`. Asking again sets
 * `askedAt` to after the recovery, so Sluice asks again only once.
 */
async function isResultLost(
  { stores }: Engine,
  { askedAt }: RunRequest,
  newest: Execution,
  run: Run | undefined,
): Promise<boolean> {
  if (lostItsFinalStatus(newest, run)) return true;
  if (run) return false;
  const { recoveredAt } = await stores.timeline.getState();
  return askedAt !== null && recoveredAt !== null && askedAt < recoveredAt;
}

/** Calls the schedule's backfill once for all runs that the schedule can start, and starts the other runs directly. */
async function startRuns(
  engine: Engine,
  batchExport: BatchExport,
  tiling: Tiling,
  steps: readonly DispatchStep[],
): Promise<boolean> {
  const { stores, schedules, executions } = engine;
  const isSchedulable = ({ end }: DispatchStep) => isStartedBySchedule(batchExport, tiling, end);
  const stepsToAsk = steps.filter(({ action }) => action === 'askSchedule');
  const direct = [
    ...steps.filter(({ action }) => action === 'startDirectly'),
    ...(await markAsked(
      engine,
      stepsToAsk.filter((step) => !isSchedulable(step)),
    )),
  ];
  // A second call would replace the first, so requests that do not fit into one call are started directly.
  const schedulable = stepsToAsk.filter(isSchedulable);
  direct.push(...(await markAsked(engine, schedulable.slice(ENDS_PER_CALL))));
  const asked = await markAsked(engine, schedulable.slice(0, ENDS_PER_CALL));
  const ends = asked.map(({ end }) => end);
  // A later round starts directly what a failed call did not start.
  if (ends.length > 0) {
    const logFailure = (error: unknown) => logRetryLater(engine, asked[0]!.request, error);
    await schedules.backfill(batchExport.id, ends).catch(logFailure);
  }
  for (const { request, end } of direct) {
    try {
      if (await executions.start(batchExport.id, end)) await stores.runRequests.markStartedDirectly(request.id);
    } catch (error) {
      logRetryLater(engine, request, error);
    }
  }
  return asked.length + direct.length > 0;
}

/**
 * Marks requests as asked before the call to the schedule, so no run is asked for twice. If the call's answer is lost, a later round
 * starts the run directly.
 * @returns the requests that are still open
 */
async function markAsked({ stores }: Engine, stepsToAsk: readonly DispatchStep[]): Promise<DispatchStep[]> {
  const marked: DispatchStep[] = [];
  for (const step of stepsToAsk) {
    if (await stores.runRequests.markAsked(step.request.id, step.newest?.runId ?? '')) marked.push(step);
  }
  return marked;
}

/** Whether the schedule, as it is now, has an action at that instant. */
function isStartedBySchedule({ startAt, endAt, jitterSeconds }: BatchExport, tiling: Tiling, end: number): boolean {
  // Jitter moves the action away from the single instant that the call covers.
  if (jitterSeconds > 0) return false;
  if (startAt !== null && end < millisOf(startAt)) return false;
  if (endAt !== null && end > millisOf(endAt)) return false;
  return isStartedByPresentSchedule(tiling, end);
}
