/**
 * Stages parts at the destination, where they are not visible yet. Safe to repeat, even if an attempt that was thought dead resumes: where
 * two attempts stage the same part, the staging that was recorded last before the commit began wins.
 */
import type { Session } from '../../src/exports/destinations/contract.ts';
import { hashKeyOf } from '../../src/exports/batch-exports/content.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import type { Attempt } from '../activity.ts';
import type { Engine } from '../engine.ts';
import { withFailureRecorded } from '../with-failure-recorded.ts';
import { openSession, requirePlan, type PlannedRun } from './open-session.ts';
import { partSource, type RunPartSource } from './part-source.ts';
import { stageTogether, type NumberedPart } from './stage-together.ts';
import { attemptOfRun } from './run-attempt.ts';
import { recordStep } from './recorded-step.ts';

export type ExportPartInput = { runId: string; part: number };
/** Half-open. */
export type ExportPartsInput = { runId: string; from: number; to: number };

/** @throws DeliveriesBlocked, Superseded, IntervalShrank, DestinationRejected, DestinationUnavailable */
export async function exportPart(
  engine: Engine,
  activityAttempt: Attempt,
  { runId, part }: ExportPartInput,
): Promise<{ rows: number }> {
  const run = await engine.stores.runs.getById(runId);
  const attempt = await attemptOfRun(engine, activityAttempt, runId, ['plan']);
  return recordStaging(engine, run, attempt, () =>
    stageParts(engine, requirePlan(run, attempt.number), { from: part, to: part + 1 }, new Set(), attempt.signal),
  );
}

/**
 * Stages a range of parts, one after another, or the parts of a plan by event in one reading. An attempt continues after the parts that earlier attempts have recorded.
 * @returns the rows that this attempt staged
 * @throws as exportPart
 */
export async function exportParts(
  engine: Engine,
  activityAttempt: Attempt,
  { runId, from, to }: ExportPartsInput,
): Promise<{ rows: number }> {
  const { runs } = engine.stores;
  const run = await runs.getById(runId);
  const attempt = await attemptOfRun(engine, activityAttempt, runId, ['plan']);
  return recordStaging(engine, run, attempt, async () =>
    stageParts(
      engine,
      requirePlan(run, attempt.number),
      { from, to },
      await runs.listStagedIndexes(runId, from, to),
      attempt.signal,
    ),
  );
}

function recordStaging<T>(engine: Engine, run: Run, attempt: Attempt, work: () => Promise<T>): Promise<T> {
  return recordStep(engine, run, attempt, 'stage', () => withFailureRecorded(engine, run, attempt, work));
}

async function stageParts(
  engine: Engine,
  planned: PlannedRun,
  { from, to }: Omit<ExportPartsInput, 'runId'>,
  recorded: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<{ rows: number }> {
  const { stores, events, configs } = engine;
  await engine.timeline.assertDeliverable();
  await stores.ledger.lockIfOpen(planned.lease);
  const ranges = await stores.runs.listPlannedParts(planned.run, from, to);
  if (ranges.length < to - from) throw new Error(`run ${planned.run.id} has no parts ${from} to ${to}`);
  const parts = ranges.map((range, offset) => ({ index: from + offset, range }));
  const hashKey = hashKeyOf(configs, planned.run);
  const session = await openSession(engine, planned, signal);
  const stage = (part: NumberedPart, source: RunPartSource) => stagePart(engine, planned, session, part, source);
  try {
    if (planned.plan.byEvent)
      return { rows: await stageTogether(events, planned, { parts, recorded }, { stage, hashKey, signal }) };
    let rows = 0;
    for (const part of parts) {
      if (recorded.has(part.index)) continue;
      signal.throwIfAborted();
      rows += await stage(part, partSource(events, planned, part.range, hashKey, signal));
    }
    return { rows };
  } finally {
    await session.close();
  }
}

/** Writes and records one part. @returns its rows */
async function stagePart(
  { stores, progress }: Engine,
  { run, lease }: PlannedRun,
  session: Session,
  { index, range }: NumberedPart,
  source: RunPartSource,
): Promise<number> {
  const stopFollowing = progress.follow(run.id, index, source.readProgress);
  const staged = await session.write({ index, rows: range.rows }, source).finally(stopFollowing);
  await stores.inTransaction(async (tx) => {
    await tx.ledger.lockIfOpen(lease);
    await tx.runs.stagePart(run.id, staged);
  });
  return staged.rows;
}
