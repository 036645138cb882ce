/**
 * Plans a run: checks that it is for one of the export's data intervals, seals the interval, counts its rows, divides them into parts, and
 * stores the plan together with the interval's next epoch. Safe to repeat: an execution has one plan, whatever attempt made it.
 */
import { destinationOf } from '../../src/exports/destinations/index.ts';
import { promisesOf } from '../../src/exports/destinations/promises.ts';
import { DestinationRejected, InvalidInput, NotFound, Superseded, Unavailable } from '../../src/platform/errors.ts';
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import { contentOf } from '../../src/exports/batch-exports/content.ts';
import { isoMicros, isoSeconds, millisOf } from '../../src/exports/domain/instants.ts';
import { runWorkflowId } from '../../src/exports/domain/ids.ts';
import { intervalEndingAt } from '../../src/exports/domain/intervals.ts';
import { countParts, type Plan, type StoredPlan } from '../../src/exports/domain/plan.ts';
import { isOpen, type RunKind } from '../../src/exports/domain/statuses.ts';
import { pinnedDestination } from '../../src/exports/integrations/pinned-destination.ts';
import { RUN_FAULTS, runFault } from '../../src/exports/faults/run-faults.ts';
import { planContent } from '../../src/exports/runs/planning.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { Attempt } from '../activity.ts';
import { closeLostOfInterval } from './close-lost-runs.ts';
import type { Engine } from '../engine.ts';
import { giveUpPlanning } from './give-up.ts';
import { withFailureRecorded } from '../with-failure-recorded.ts';
import { recordStep } from './recorded-step.ts';

/** `end`: the end of the data interval, ISO. */
export type PrepareRunInput = { exportId: string; end: string };
/** The run's row; instants are ISO seconds, for people. `readings`: ends of the ranges of parts that are read together. */
export type PreparedRun = {
  runId: string;
  kind: RunKind;
  start: string;
  end: string;
  rows: number;
  parts: number;
  readings?: readonly number[];
};

/** Seconds for `Unavailable`; without effect here, because Temporal's retry policy decides. */
const BLOCKED_RETRY_SECONDS = 60;

/** @throws the failure; if it would recur, the run's row is `Failed` with the same message */
export async function prepareRun(engine: Engine, attempt: Attempt, input: PrepareRunInput): Promise<PreparedRun> {
  try {
    return await planRun(engine, attempt, input);
  } catch (error) {
    if (!attempt.signal.aborted) {
      const run = await engine.stores.runs.findByExecution(attempt.workflowRunId);
      if (run) await giveUpPlanning(engine, run, error);
    }
    throw error;
  }
}

async function planRun(engine: Engine, attempt: Attempt, { exportId, end }: PrepareRunInput): Promise<PreparedRun> {
  const { stores } = engine;
  const batchExport = await stores.batchExports.find(exportId);
  if (!batchExport) return forgetExport(engine, exportId);
  const [interval, createdAt] = await Promise.all([
    tileEndingAt(engine, attempt, exportId, millisOf(end)),
    instantWhileRunning(engine, attempt),
  ]);
  const run = await stores.runs.open({
    createdAt,
    projectId: batchExport.projectId,
    batchExportId: exportId,
    ...interval,
    kind: (await stores.runRequests.findOpenKind(exportId, interval.end)) ?? 'scheduled',
    workflowId: attempt.workflowId,
    workflowRunId: attempt.workflowRunId,
  });
  if (run.plan) return describePrepared(run, run.plan);
  await closeLostOfInterval(engine, run);

  const makeAndStore = async () => {
    await assertDeliveriesAllowed(engine);
    await engine.step({ name: 'before-plan', exportId, runId: run.id, end: run.end });
    for (
      let current: BatchExport | undefined = batchExport;
      current;
      current = await stores.batchExports.find(exportId)
    ) {
      const stored = await storePlan(
        engine,
        run,
        { keySpace: current.keySpace, attempt: attempt.number },
        await makePlan(engine, current, run, attempt.signal),
      );
      if (stored) return stored;
    }
    throw new NotFound('The batch export was deleted.');
  };
  const stored = await recordStep(engine, run, attempt, 'plan', () =>
    withFailureRecorded(engine, run, attempt, makeAndStore),
  );
  await engine.step({ name: 'after-plan', exportId, runId: run.id, end: run.end });
  return describePrepared(run, stored);
}

/**
 * Fails while deliveries are blocked, so that Temporal retries later: the database may be a copy or an older state, and a plan would follow
 * from that.
 * @throws Unavailable
 */
async function assertDeliveriesAllowed({ timeline }: Engine): Promise<void> {
  const reason = await timeline.blockReason();
  if (reason !== undefined)
    throw new Unavailable(reason, BLOCKED_RETRY_SECONDS, { fault: runFault('deliveries_blocked') });
}

/**
 * Fails a run whose export was deleted, or was lost in a restore, and removes the export's schedule, because no other code removes it in
 * these cases. While deliveries are blocked the schedule stays, because another database may still have the export.
 * @throws NotFound, Unavailable
 */
async function forgetExport(engine: Engine, exportId: string): Promise<never> {
  await assertDeliveriesAllowed(engine);
  await engine.schedules.remove(exportId);
  throw new NotFound('The batch export was deleted.');
}

/**
 * Finds the data interval that ends at an instant.
 * @throws InvalidInput when there is none, or the workflow's id is not that of its run, as when somebody has started it by hand in Temporal
 */
async function tileEndingAt({ stores }: Engine, { workflowId }: Attempt, exportId: string, end: number) {
  const interval = intervalEndingAt(await stores.batchExports.getTiling(exportId), end);
  if (!interval || runWorkflowId(exportId, end) !== workflowId) {
    const message = `No data interval of this batch export ends at ${isoSeconds(end)}.`;
    await logWarning(stores, exportId, message);
    throw new InvalidInput(message);
  }
  return { start: isoMicros(interval.start), end: isoMicros(interval.end) };
}

/** Logs why a run could not begin. Such a run has no row, so the export's log is the only record of the reason. */
async function logWarning(stores: Engine['stores'], exportId: string, reason: string): Promise<void> {
  if (!(await stores.batchExports.find(exportId))) return;
  const message = `A run could not begin: ${reason}`;
  await stores.logs.append({ batchExportId: exportId, runId: null, level: 'WARNING', message });
}

/**
 * Returns an instant at which the attempt's execution was still running. Rows of later executions are younger, so `storePlan` can tell which of
 * two executions is outdated, even if an attempt was frozen between any two lines here.
 */
async function instantWhileRunning(
  { stores, executions }: Engine,
  { workflowId, workflowRunId }: Attempt,
): Promise<string> {
  const now = await stores.batchExports.now();
  const execution = await executions.find(workflowId, workflowRunId);
  if (execution?.status !== 'RUNNING') throw new Superseded('The workflow of this run has ended.');
  return now;
}

async function makePlan(engine: Engine, batchExport: BatchExport, run: Run, signal: AbortSignal): Promise<Plan> {
  const destination = destinationOf(batchExport.destinationType, engine.environment);
  const { redelivery } = promisesOf(destination, batchExport.destinationConfig);
  if (redelivery === 'repeats_by_uuid') await assertDeliveryKnown(engine, run);
  const cutoff = await engine.sealer.sealPast(run.end, signal);
  const slice = { projectId: run.projectId, start: run.start, end: run.end, cutoff, content: contentOf(batchExport) };
  const { destinationConfig: config, hashKey } = batchExport;
  const plan = await planContent(engine.events, { destination, config, slice, hashKey });
  return { ...plan, destination: pinnedDestination(batchExport) };
}

/**
 * Refuses automatic runs of intervals that ended before the last recovery. The receiver cannot say which of them it has, and the restored
 * database no longer knows, so a person decides.
 * @throws DestinationRejected
 */
async function assertDeliveryKnown({ stores }: Engine, { kind, end }: Run): Promise<void> {
  if (kind === 'retry' || kind === 'backfill') return;
  const { recoveredAt } = await stores.timeline.getState();
  // tooth: one-way-recovered
  if (recoveredAt !== null && millisOf(end) <= millisOf(recoveredAt))
    throw new DestinationRejected(RUN_FAULTS.delivery_unknown.sentence, { fault: runFault('delivery_unknown') });
}

/**
 * Stores the plan and takes the epoch that fences every earlier one, in one transaction. A late attempt finds the plan and changes nothing.
 * @param keySpace the key space that the plan was made for
 * @returns undefined if the export has moved or was deleted meanwhile, because the place is no longer reserved for this run
 */
async function storePlan(
  { stores }: Engine,
  run: Run,
  { keySpace, attempt }: { keySpace: string; attempt: number },
  plan: Plan,
): Promise<StoredPlan | undefined> {
  return stores.inTransaction(async (tx) => {
    const currentKeySpace = await tx.places.shareKeySpace(run.batchExportId);
    const lockedRun = await tx.runs.lock(run.id);
    if (lockedRun.plan) return lockedRun.plan;
    // tooth: plan-place
    if (currentKeySpace !== keySpace) return undefined;
    // A frozen attempt of an execution that was terminated meanwhile must not fence the run that came after it.
    const newest = await tx.runs.findNewestOfInterval(run.batchExportId, run.end);
    // tooth: run-newest
    if (!isOpen(lockedRun.status) || newest?.id !== run.id)
      throw new Superseded('Another run has this data interval now.');
    const epoch = await tx.ledger.takeEpoch({ exportId: run.batchExportId, start: run.start, end: run.end }, run.id);
    const stored = await tx.runs.setPlan(run.id, plan, epoch);
    const summary = `${count(plan.rows, 'row')} in ${count(plan.parts.length, 'part')}`;
    const message = `Planned ${summary}: rows stored before ${plan.cutoff}`;
    await tx.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'INFO', message, attempt });
    return stored;
  });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function describePrepared(run: Run, plan: StoredPlan): PreparedRun {
  const [start, end] = [isoSeconds(millisOf(run.start)), isoSeconds(millisOf(run.end))];
  return {
    runId: run.id,
    kind: run.kind,
    start,
    end,
    rows: plan.rows,
    parts: countParts(plan),
    ...(plan.byEvent && { readings: plan.byEvent.readings }),
  };
}
