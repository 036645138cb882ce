/** Closes rows of runs whose execution ended without closing them: terminated or timed out in Temporal, or no longer known there. */
import type { Fault } from '../../src/platform/errors.ts';
import { isOpen, type RunStatus } from '../../src/exports/domain/statuses.ts';
import { runFault } from '../../src/exports/faults/run-faults.ts';
import type { Run, RunEnd } from '../../src/exports/runs/runs.store.ts';
import type { Execution } from '../../src/exports/temporal/executions.ts';
import { closeRun } from './close-run.ts';
import { countRun } from './count-run.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields, shuffle } from '../round-steps.ts';

/** Temporal's statuses of ended executions, and the status that each gives a row that is still open. */
const ROW_ENDS: Record<string, { status: Extract<RunStatus, RunEnd['status']>; latestError: string }> = {
  TERMINATED: { status: 'Terminated', latestError: 'The workflow was terminated in Temporal' },
  TIMED_OUT: { status: 'TimedOut', latestError: 'The workflow timed out in Temporal' },
  CANCELLED: { status: 'Cancelled', latestError: 'The workflow was cancelled before it could begin' },
  CONTINUED_AS_NEW: { status: 'ContinuedAsNew', latestError: 'The workflow continued as a new execution' },
  COMPLETED: { status: 'FailedRetryable', latestError: 'The workflow ended without reporting a result' },
  FAILED: { status: 'FailedRetryable', latestError: 'The workflow failed before it could report an error' },
};
const UNKNOWN_END = { status: 'TimedOut', latestError: 'Temporal no longer knows the workflow' } as const;

/** Whether a restore of the database lost the run's final status, or its row: an execution completes only after its row is `Completed`. */
export function lostItsFinalStatus(execution: Execution | undefined, run: Run | undefined): boolean {
  return execution?.status === 'COMPLETED' && run?.status !== 'Completed';
}

/** Gives a closed execution's row its end, if it has none. @returns the row, if the execution ever had one */
export async function closeLost(engine: Engine, execution: Execution): Promise<Run | undefined> {
  const run = await engine.stores.runs.findByExecution(execution.runId);
  if (run && isOpen(run.status) && execution.status !== 'RUNNING') await close(engine, run, execution);
  return run;
}

/** Closes other open rows of the run's interval: Temporal allows one open execution of an interval, so the others must have ended. */
export async function closeLostOfInterval(engine: Engine, run: Run): Promise<void> {
  const { stores, executions } = engine;
  for (const openRun of await stores.runs.listOpen(run.batchExportId)) {
    if (openRun.end !== run.end || openRun.id === run.id) continue;
    const execution = await executions.find(openRun.workflowId, openRun.workflowRunId);
    if (execution?.status !== 'RUNNING') await close(engine, openRun, execution);
  }
}

/** Limit of simultaneous requests to Temporal. */
const AT_ONCE = 10;

/** Looks up every open run without a recent update. @returns how many were closed */
export async function closeLostRuns(engine: Engine, idleSeconds: number, signal: AbortSignal): Promise<number> {
  const { stores, executions } = engine;
  const idle = shuffle(await stores.runs.listIdleOpen(idleSeconds)).values();
  let closed = 0;
  const closeIfLost = async (run: Run) => {
    const execution = await executions.find(run.workflowId, run.workflowRunId);
    if (execution?.status !== 'RUNNING' && (await close(engine, run, execution))) closed += 1;
  };
  // The workers share one iterator.
  const worker = async () =>
    forEachLoggingFailures(
      engine,
      signal,
      'a run could not be looked up: the next round tries again',
      idle,
      ({ batchExportId }) => exportLogFields(batchExportId),
      closeIfLost,
    );
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return closed;
}

/** Returns `workflow_ended` for a run that a person ended in Temporal, else the fault of its last attempt, else `workflow_lost`. */
function faultOfLost({ errorCode: code, errorOwner: owner, errorField: field }: Run, status: RunStatus): Fault {
  if (status === 'Terminated' || status === 'Cancelled') return runFault('workflow_ended');
  return code === null || owner === null ? runFault('workflow_lost') : { code, owner, field };
}

async function close(engine: Engine, run: Run, execution: Execution | undefined): Promise<boolean> {
  const { status, latestError: ended } = (execution && ROW_ENDS[execution.status]) ?? UNKNOWN_END;
  const latestError = run.latestError === null ? ended : `${ended}. Before that: ${run.latestError}`;
  const wasOpen = await engine.stores.inTransaction(async (tx) => {
    const end = { status, latestError, closedBy: 'reconciler', fault: faultOfLost(run, status) } as const;
    const { closed } = await closeRun(tx, run, end, { settlesRequests: !lostItsFinalStatus(execution, run) });
    if (closed) {
      const message = `${status}: ${latestError}`;
      await tx.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'WARNING', message });
    }
    return closed;
  });
  if (wasOpen) await countRun(engine, run.id);
  return wasOpen;
}
