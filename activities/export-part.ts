/**
 * Stages one part at the destination, where nobody sees it yet. Safe to repeat, also beside a frozen attempt of itself: each
 * attempt stages afresh, and the one that is recorded last before the commit begins is the winner.
 */
import { hashKeyOf } from '../src/exports/content.ts';
import type { Attempt } from './activity.ts';
import type { Engine } from './engine.ts';
import { notingFailure } from './note-failure.ts';
import { openSession, plannedRun, type PlannedRun } from './open-session.ts';
import { partSource } from './part-source.ts';

export type ExportPartInput = { runId: string; part: number };

/** @throws Superseded, IntervalShrank, DestinationRejected, DestinationUnavailable */
export async function exportPart(
  engine: Engine,
  { signal }: Attempt,
  { runId, part }: ExportPartInput,
): Promise<{ rows: number }> {
  const run = await engine.stores.runs.byId(runId);
  return notingFailure(engine, run, signal, () => stagePart(engine, plannedRun(run), part, signal));
}

async function stagePart(
  engine: Engine,
  planned: PlannedRun,
  part: number,
  signal: AbortSignal,
): Promise<{ rows: number }> {
  const { stores } = engine;
  await stores.ledger.lockOpen(planned.hold);
  const session = await openSession(engine, planned, signal);
  try {
    const source = partSource(engine.events, planned, hashKeyOf(engine.sealed, planned.run), part, signal);
    const staged = await session.write(planned.delivery.parts[part]!, source);
    await stores.inTransaction(async (inside) => {
      await inside.ledger.lockOpen(planned.hold);
      await inside.runs.stagePart(planned.run.id, staged);
    });
    return { rows: staged.rows };
  } finally {
    await session.close();
  }
}
