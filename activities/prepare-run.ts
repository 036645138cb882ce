/**
 * Plans a run: checks that it is one of the export's data intervals, seals, counts, divides into parts, and takes the interval's
 * next epoch together with storing the plan. Safe to repeat: an execution has one plan, whatever attempt made it.
 */
import { destinationOf } from '../src/destinations/index.ts';
import { InvalidInput, NotFound, Superseded } from '../src/errors.ts';
import type { BatchExport } from '../src/exports/batch-exports.store.ts';
import { contentOf } from '../src/exports/content.ts';
import { isoMicros, isoSeconds, millisOf } from '../src/exports/domain/instants.ts';
import { runWorkflowId } from '../src/exports/domain/ids.ts';
import { intervalEndingAt } from '../src/exports/domain/intervals.ts';
import type { Plan } from '../src/exports/domain/plan.ts';
import { isOpen, type RunKind } from '../src/exports/domain/statuses.ts';
import { planOf } from '../src/exports/planning.ts';
import type { Run } from '../src/exports/runs.store.ts';
import type { Attempt } from './activity.ts';
import { closeLostOfInterval } from './close-lost-runs.ts';
import type { Engine } from './engine.ts';
import { notingFailure } from './note-failure.ts';

/** `end`: the end of the data interval, ISO. */
export type PrepareRunInput = { exportId: string; end: string };
/** The run's row; instants are ISO seconds, for people. */
export type PreparedRun = { runId: string; kind: RunKind; start: string; end: string; rows: number; parts: number };

export async function prepareRun(
  engine: Engine,
  attempt: Attempt,
  { exportId, end }: PrepareRunInput,
): Promise<PreparedRun> {
  const { stores } = engine;
  const [batchExport, interval, createdAt] = await Promise.all([
    stores.batchExports.find(exportId),
    tileEndingAt(engine, attempt, exportId, millisOf(end)),
    runningSince(engine, attempt),
  ]);
  if (!batchExport) throw new NotFound('The batch export was deleted.');
  const run = await stores.runs.open({
    createdAt,
    projectId: batchExport.projectId,
    batchExportId: exportId,
    ...interval,
    kind: (await stores.requests.kindOfOpen(exportId, interval.end)) ?? 'scheduled',
    workflowId: attempt.workflowId,
    workflowRunId: attempt.workflowRunId,
  });
  if (run.plan) return prepared(run, run.plan);
  await closeLostOfInterval(engine, run);

  const stored = await notingFailure(engine, run, attempt.signal, async () => {
    await engine.step({ name: 'before-plan', exportId, runId: run.id, end: run.end });
    return storePlan(engine, run, await makePlan(engine, batchExport, run, attempt.signal));
  });
  await engine.step({ name: 'after-plan', exportId, runId: run.id, end: run.end });
  return prepared(run, stored);
}

/** Anybody may start a workflow by hand in Temporal: only the export's own intervals, under their own names, are run. */
async function tileEndingAt({ stores }: Engine, { workflowId }: Attempt, exportId: string, end: number) {
  const interval = intervalEndingAt(await stores.batchExports.tiling(exportId), end);
  if (!interval || runWorkflowId(exportId, end) !== workflowId) {
    throw new InvalidInput(`No data interval of this batch export ends at ${isoSeconds(end)}.`);
  }
  return { start: isoMicros(interval.start), end: isoMicros(interval.end) };
}

/**
 * An instant at which the attempt's execution had not ended yet. The rows of executions that come after it are younger, and so
 * `storePlan` can tell which of two is a thing of the past: an attempt may be frozen between any two lines here.
 */
async function runningSince({ stores, executions }: Engine, { workflowId, workflowRunId }: Attempt): Promise<string> {
  const now = await stores.batchExports.now();
  const execution = await executions.find(workflowId, workflowRunId);
  if (execution?.status !== 'RUNNING') throw new Superseded('The workflow of this run has ended.');
  return now;
}

async function makePlan(engine: Engine, batchExport: BatchExport, run: Run, signal: AbortSignal): Promise<Plan> {
  const destination = destinationOf(batchExport.destinationType, engine.environment);
  const cutoff = await engine.sealer.sealPast(run.end, signal);
  const slice = { projectId: run.projectId, start: run.start, end: run.end, cutoff, content: contentOf(batchExport) };
  const { destinationConfig: config, hashKey } = batchExport;
  return planOf(engine.events, { destination, config, slice, hashKey });
}

/** One transaction: the plan, and the epoch that fences every earlier one. A late attempt finds the plan and changes nothing. */
async function storePlan({ stores }: Engine, run: Run, plan: Plan): Promise<Plan> {
  return stores.inTransaction(async (inside) => {
    const locked = await inside.runs.lock(run.id);
    if (locked.plan) return locked.plan;
    // A frozen attempt of an execution that was terminated meanwhile must not fence the run that came after it.
    const newest = await inside.runs.newestOfInterval(run.batchExportId, run.end);
    if (!isOpen(locked.status) || newest?.id !== run.id)
      throw new Superseded('Another run has this data interval now.');
    const epoch = await inside.ledger.take({ exportId: run.batchExportId, start: run.start, end: run.end }, run.id);
    await inside.runs.setPlan(run.id, plan, epoch);
    const message = `Planned ${plan.rows} rows in ${plan.parts.length} parts, stored before ${plan.cutoff}`;
    await inside.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'INFO', message });
    return plan;
  });
}

function prepared(run: Run, plan: Plan): PreparedRun {
  const [start, end] = [isoSeconds(millisOf(run.start)), isoSeconds(millisOf(run.end))];
  return { runId: run.id, kind: run.kind, start, end, rows: plan.rows, parts: plan.parts.length };
}
