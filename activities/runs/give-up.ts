/** Ends a run that does not deliver: removes its staged parts, and records the reason in its row. */
import { ApplicationFailure } from '@temporalio/common';
import type { RunEnd, Run } from '../../src/exports/runs/runs.store.ts';
import type { LogLevel } from '../../src/exports/runs/logs.store.ts';
import { toFailure } from '../../src/platform/temporal/failures.ts';
import type { Fault } from '../../src/platform/errors.ts';
import { faultOf, isFault } from '../../src/exports/faults/fault-of.ts';
import { faultOfType, runFault } from '../../src/exports/faults/run-faults.ts';
import { closeRun, type CloseResult } from './close-run.ts';
import { countRun } from './count-run.ts';
import type { Engine } from '../engine.ts';
import { addFaultField } from './add-fault-field.ts';
import type { FinishInstruction } from './finish-instruction.ts';
import { openSessionToSettle, requirePlan } from './open-session.ts';

type GiveUpInstruction = Exclude<FinishInstruction, { how: 'commit' }>;

/** Errors that a retry would repeat, so a person must act; the reconciler retries all others. */
const FINAL_ERRORS = new Set([
  'DeliveredElsewhere',
  'DeliveryWouldShrink',
  'DestinationRejected',
  'IntervalShrank',
  'InvalidInput',
  'NotFound',
]);

const FINAL_PLANNING_ERRORS = new Set([...FINAL_ERRORS, 'Superseded']);

type RunEndWithLevel = RunEnd & { fault: Fault; level: LogLevel };

function runEndOf(instruction: GiveUpInstruction): RunEndWithLevel {
  if (instruction.how === 'cancelled') {
    const fault = runFault('cancelled');
    return { status: 'Cancelled', closedBy: 'api', latestError: 'The run was cancelled', fault, level: 'WARNING' };
  }
  const { type: errorType, message: latestError } = instruction;
  const fault = isFault(instruction.fault) ? instruction.fault : faultOfType(errorType);
  const runEnd = { closedBy: 'run', latestError, fault } as const;
  if (errorType === 'Superseded') return { ...runEnd, status: 'Cancelled', level: 'WARNING' };
  const status = FINAL_ERRORS.has(errorType) ? 'Failed' : 'FailedRetryable';
  return { ...runEnd, status, errorType, level: 'ERROR' };
}

/** Ends a run whose parts or commit failed, or that was cancelled. */
export async function giveUp(
  engine: Engine,
  run: Run,
  instruction: GiveUpInstruction,
  signal: AbortSignal,
): Promise<void> {
  await discard(engine, run, signal);
  await closeAndLog(engine, run, runEndOf(instruction));
}

/**
 * Ends a run whose planning failed permanently, or that another run has superseded. If another attempt has planned the run, the run continues.
 * Errors that are not final leave the row open: Temporal retries planning, or the reconciler learns from Temporal how the execution ended.
 */
export async function giveUpPlanning(engine: Engine, run: Run, error: unknown): Promise<void> {
  const failure = toFailure(error);
  if (!(failure instanceof ApplicationFailure) || !FINAL_PLANNING_ERRORS.has(failure.type ?? '')) return;
  const runEnd = runEndOf({ how: 'failed', type: failure.type!, message: failure.message, fault: faultOf(error) });
  if (await closeAndLog(engine, run, runEnd, { onlyUnplanned: true })) await countRun(engine, run.id);
}

/** @returns whether this call closed the run */
async function closeAndLog(
  engine: Engine,
  run: Run,
  { level, ...end }: RunEndWithLevel,
  { onlyUnplanned = false } = {},
): Promise<boolean> {
  const runEnd = { ...end, fault: await addFaultField(engine.stores, run, end.fault) };
  const { closed, paused } = await engine.stores.inTransaction(async (tx): Promise<CloseResult> => {
    await tx.batchExports.lockRow(run.batchExportId);
    if (onlyUnplanned && (await tx.runs.lock(run.id)).plan) return { closed: false, paused: false };
    const closing = await closeRun(tx, run, runEnd);
    const message = `${runEnd.status}: ${runEnd.latestError}`;
    if (closing.closed) await tx.logs.append({ batchExportId: run.batchExportId, runId: run.id, level, message });
    return closing;
  });
  if (paused) await engine.scheduleSync.trySync(run.batchExportId);
  return closed;
}

/** Removes staged parts, as far as the destination permits now; the rest stays recorded, and the reconciler tries again. */
async function discard(engine: Engine, run: Run, signal: AbortSignal): Promise<void> {
  // While deliveries are blocked, recorded artifacts may be in use by another database.
  if (!run.plan || (await engine.timeline.blockReason()) !== undefined) return;
  try {
    const session = await openSessionToSettle(engine, requirePlan(run), signal);
    try {
      await session.discard();
    } finally {
      await session.close();
    }
  } catch (error) {
    engine.log.warn({ err: error, run_id: run.id }, 'staged parts could not be discarded: the reconciler tries again');
  }
}
