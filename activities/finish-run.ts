/**
 * Ends a run: commits what is staged and reads it back, or says why not. Safe to repeat: a run ends once, and a commit that was
 * interrupted is recognised by the destination and completed.
 */
import type { Receipt } from '../src/destinations/contract.ts';
import { ReadBackDiffers, StagedLost, Superseded } from '../src/errors.ts';
import { cursorAfter } from '../src/exports/domain/plan.ts';
import { isOpen, type RunStatus } from '../src/exports/domain/statuses.ts';
import type { LogLevel } from '../src/exports/logs.store.ts';
import type { Run, RunEnd } from '../src/exports/runs.store.ts';
import type { Attempt } from './activity.ts';
import { closeRun, completeRun } from './close-run.ts';
import { countRun } from './count-run.ts';
import type { Engine } from './engine.ts';
import { notingFailure } from './note-failure.ts';
import { openSession, openSessionToSettle, plannedRun, type PlannedRun } from './open-session.ts';

/** How the parts went. `type` is the class of the error that ended them, `message` a sentence for the user. */
export type RunEnding = { how: 'commit' } | { how: 'cancelled' } | { how: 'failed'; type: string; message: string };
export type FinishRunInput = { runId: string; ending: RunEnding };
export type RunOutcome = { status: RunStatus; rows: number; message?: string };

export async function finishRun(
  engine: Engine,
  { signal }: Attempt,
  { runId, ending }: FinishRunInput,
): Promise<RunOutcome> {
  const run = await engine.stores.runs.byId(runId);
  if (!isOpen(run.status)) return outcomeOf(run);
  if (ending.how === 'commit') await notingFailure(engine, run, signal, () => deliver(engine, plannedRun(run), signal));
  else await giveUp(engine, run, ending, signal);
  return outcomeOf(await countRun(engine, runId));
}

function outcomeOf({ status, recordsCompleted, latestError }: Run): RunOutcome {
  return { status, rows: recordsCompleted ?? 0, ...(latestError !== null && { message: latestError }) };
}

/** @throws Superseded, StagedLost, ReadBackDiffers, DestinationRejected, DestinationUnavailable */
async function deliver(engine: Engine, planned: PlannedRun, signal: AbortSignal): Promise<void> {
  const { stores } = engine;
  const { run, hold } = planned;
  const at = (name: string) => engine.step({ name, exportId: run.batchExportId, runId: run.id, end: run.end });
  await at('before-committing');
  await stores.ledger.beginCommit(hold);
  const parts = await stores.runs.stagedParts(run.id);
  const session = await openSession(engine, planned, signal);
  try {
    const receipt = await session.commit(parts);
    await at('before-read-back');
    const differences = await session.verify(receipt, { deep: false });
    checkRows(
      planned,
      receipt,
      differences.map(({ what }) => what),
    );
    await at('before-delivered');
    await markDelivered(engine, planned, receipt);
  } catch (error) {
    if (error instanceof ReadBackDiffers) await stores.ledger.reopen(hold);
    if (error instanceof Superseded) await blame(engine, planned);
    throw error;
  } finally {
    await session.close();
  }
}

/** A destination sees that something of ours is gone; only the ledger knows whether another run has taken it. */
async function blame({ stores }: Engine, { hold }: PlannedRun): Promise<never> {
  await stores.ledger.beginCommit(hold);
  throw new StagedLost('What this run had staged is no longer at the destination. The interval is delivered again.');
}

function checkRows({ plan }: PlannedRun, receipt: Receipt, differences: readonly string[]): void {
  const found =
    receipt.rows === plan.rows
      ? differences
      : [`${plan.rows} rows were planned, ${receipt.rows} delivered`, ...differences];
  if (found.length > 0)
    throw new ReadBackDiffers(`What the destination holds is not what was delivered: ${found.join('; ')}`);
}

async function markDelivered({ stores }: Engine, planned: PlannedRun, receipt: Receipt): Promise<void> {
  const { run, plan, hold } = planned;
  await stores.inTransaction(async (inside) => {
    await inside.ledger.markDelivered(hold, receipt);
    const cursor = cursorAfter(plan, run.end);
    const { closed } = await closeRun(inside, run, { status: 'Completed', closedBy: 'run', receipt, cursor });
    // Its workflow was ended in Temporal meanwhile, and so was its row; what counts is what the destination holds.
    if (!closed) await completeRun(inside, run, receipt, cursor);
    const message = `Delivered ${receipt.rows} rows, ${receipt.bytes} bytes, to ${receipt.location}`;
    await inside.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'INFO', message });
  });
}

type Failed = Exclude<RunEnding, { how: 'commit' }>;

/** What would say no again waits for a person; the rest is tried again by the reconciler. */
const FINAL_ERRORS = new Set(['DestinationRejected', 'IntervalShrank', 'InvalidInput', 'NotFound']);

function endOf(ending: Failed): RunEnd & { level: LogLevel } {
  if (ending.how === 'cancelled')
    return { status: 'Cancelled', closedBy: 'api', latestError: 'The run was cancelled', level: 'WARNING' };
  const latestError = ending.message;
  if (ending.type === 'Superseded') return { status: 'Cancelled', closedBy: 'run', latestError, level: 'WARNING' };
  const status = FINAL_ERRORS.has(ending.type) ? 'Failed' : 'FailedRetryable';
  return { status, closedBy: 'run', latestError, level: 'ERROR' };
}

async function giveUp(engine: Engine, run: Run, ending: Failed, signal: AbortSignal): Promise<void> {
  const { level, ...end } = endOf(ending);
  await discard(engine, run, signal);
  const { paused } = await engine.stores.inTransaction(async (inside) => {
    const message = `${end.status}: ${end.latestError}`;
    await inside.logs.append({ batchExportId: run.batchExportId, runId: run.id, level, message });
    return closeRun(inside, run, end);
  });
  if (paused) await engine.setter.follow(run.batchExportId);
}

/** Takes back what was staged, as far as the destination lets us now: what stays is recorded, and the reconciler tries again. */
async function discard(engine: Engine, run: Run, signal: AbortSignal): Promise<void> {
  if (!run.plan) return;
  try {
    const session = await openSessionToSettle(engine, plannedRun(run), signal);
    try {
      await session.discard();
    } finally {
      await session.close();
    }
  } catch (error) {
    engine.log.warn({ err: error, run_id: run.id }, 'what was staged is discarded later');
  }
}
