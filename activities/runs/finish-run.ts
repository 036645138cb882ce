/**
 * Ends a run: commits the staged parts and reads them back, or records why that failed. Safe to repeat: a run ends once, and a commit that
 * was interrupted is recognised by the destination and completed.
 */
import type { Receipt, Session } from '../../src/exports/destinations/contract.ts';
import { DeliveredElsewhere, ReadBackDiffers, StagedLost, Superseded } from '../../src/platform/errors.ts';
import { countParts } from '../../src/exports/domain/plan.ts';
import { isOpen, type RunStatus } from '../../src/exports/domain/statuses.ts';
import type { RunDelivery, Run } from '../../src/exports/runs/runs.store.ts';
import type { Attempt } from '../activity.ts';
import { assertNotShrinking } from './assert-not-shrinking.ts';
import { closeRun, completeRun } from './close-run.ts';
import { countRun } from './count-run.ts';
import type { Engine } from '../engine.ts';
import { giveUp } from './give-up.ts';
import { withFailureRecorded } from '../with-failure-recorded.ts';
import { openSessionToSettle, requirePlan, type PlannedRun } from './open-session.ts';
import { recordStep } from './recorded-step.ts';
import { attemptOfRun } from './run-attempt.ts';
import { traceStep } from './traced-step.ts';
import type { FinishInstruction } from './finish-instruction.ts';

export type FinishRunInput = { runId: string; ending: FinishInstruction };
export type RunOutcome = { status: RunStatus; rows: number; message?: string };

export async function finishRun(
  engine: Engine,
  activityAttempt: Attempt,
  { runId, ending: instruction }: FinishRunInput,
): Promise<RunOutcome> {
  const { signal } = activityAttempt;
  const run = await engine.stores.runs.getById(runId);
  if (!isOpen(run.status)) return outcomeOf(run);
  if (instruction.how === 'commit') {
    const attempt = await attemptOfRun(engine, activityAttempt, runId, ['plan', 'stage']);
    await withFailureRecorded(engine, run, attempt, () => deliver(engine, attempt, requirePlan(run, attempt.number)));
  } else await giveUp(engine, run, instruction, signal);
  return outcomeOf(await countRun(engine, runId));
}

function outcomeOf({ status, recordsCompleted, latestError }: Run): RunOutcome {
  return { status, rows: recordsCompleted ?? 0, ...(latestError !== null && { message: latestError }) };
}

/**
 * @throws DeliveriesBlocked, DeliveryWouldShrink, Superseded, StagedLost, ReadBackDiffers, DeliveredElsewhere, DestinationRejected,
 *   DestinationUnavailable
 */
async function deliver(engine: Engine, attempt: Attempt, planned: PlannedRun): Promise<void> {
  const { stores } = engine;
  const { run, lease } = planned;
  const step = (name: string) => engine.step({ name, exportId: run.batchExportId, runId: run.id, end: run.end });
  const holder: { session?: Session } = {};
  try {
    const receipt = await recordStep(engine, run, attempt, 'commit', async () => {
      await step('before-committing');
      await engine.timeline.assertDeliverable();
      await assertNotShrinking(engine, planned);
      await stores.ledger.beginCommit(lease);
      const parts = await stores.runs.listStagedParts(run.id);
      if (parts.length !== countParts(planned.plan))
        throw new StagedLost('Not every part of this run is staged. Sluice will deliver the interval again.');
      // A commit that has begun runs to its end, also when the export was deleted since.
      holder.session = await openSessionToSettle(engine, planned, attempt.signal);
      return holder.session.commit(parts);
    });
    const verifiedAt = await recordStep(engine, run, attempt, 'verify', async () => {
      await step('before-read-back');
      const differences = await holder.session!.verify?.(receipt, { deep: false });
      checkRows(
        planned,
        receipt,
        (differences ?? []).map(({ what }) => what),
      );
      return differences && stores.batchExports.now();
    });
    await step('before-delivered');
    await traceStep(engine, run, attempt, 'receipt', () =>
      markDelivered(engine, planned, { receipt, cursor: run.end, verifiedAt }),
    );
  } catch (error) {
    const { session } = holder;
    if (session && error instanceof ReadBackDiffers) await stores.ledger.reopen(lease);
    if (session && error instanceof DeliveredElsewhere) await listForeign(engine, planned, session);
    if (session && error instanceof Superseded) await throwSupersededOrLost(engine, planned);
    throw error;
  } finally {
    await holder.session?.close();
  }
}

/** A foreign delivery stays, and is listed for an operator. Our commit changed nothing: the interval is open again. */
async function listForeign({ stores }: Engine, { lease }: PlannedRun, session: Session): Promise<void> {
  const delivery = await session.findPresentDelivery();
  await stores.inTransaction(async (tx) => {
    if (delivery && !delivery.isKnown) await tx.foreignDeliveries.recordFound(lease, delivery.receipt);
    await tx.ledger.reopen(lease);
  });
}

/** The destination only shows that staged data is missing; the ledger shows whether another run removed it. */
async function throwSupersededOrLost({ stores }: Engine, { lease }: PlannedRun): Promise<never> {
  await stores.ledger.beginCommit(lease);
  throw new StagedLost(
    'The staged data of this run is no longer at the destination. Sluice will deliver the interval again.',
  );
}

const MAX_DIFFERENCES = 5;

function checkRows({ plan }: PlannedRun, receipt: Receipt, differences: readonly string[]): void {
  const unequal =
    receipt.rows === plan.rows
      ? differences
      : [`${plan.rows} rows were planned, ${receipt.rows} delivered`, ...differences];
  if (unequal.length === 0) return;
  // The message is limited because it goes into a history and a row, and thousands of files may differ.
  const more = unequal.length > MAX_DIFFERENCES ? `; and ${unequal.length - MAX_DIFFERENCES} more` : '';
  const summary = unequal.slice(0, MAX_DIFFERENCES).join('; ');
  throw new ReadBackDiffers(`The content of the destination differs from what was delivered: ${summary}${more}`);
}

async function markDelivered({ stores }: Engine, planned: PlannedRun, delivered: RunDelivery): Promise<void> {
  const { run, lease, attempt } = planned;
  const { receipt } = delivered;
  await stores.inTransaction(async (tx) => {
    await tx.ledger.markDelivered(lease, receipt);
    const { closed } = await closeRun(tx, run, { status: 'Completed', closedBy: 'run', ...delivered });
    // The workflow was ended in Temporal meanwhile, and with it the run's row; the destination's content decides.
    if (!closed) await completeRun(tx, run, delivered);
    const message = `Delivered ${receipt.rows} rows, ${receipt.bytes} bytes, to ${receipt.location}`;
    await tx.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'INFO', message, attempt });
  });
}
