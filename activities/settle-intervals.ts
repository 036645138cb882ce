/**
 * Intervals that a run left half way: it is closed, and the ledger still says that it was staging or committing. Once the
 * commit has begun, only the destination knows how far it came.
 */
import type { Receipt } from '../src/destinations/contract.ts';
import { millisOf } from '../src/exports/domain/instants.ts';
import { cursorAfter } from '../src/exports/domain/plan.ts';
import type { LedgerEntry } from '../src/exports/ledger.store.ts';
import type { Run } from '../src/exports/runs.store.ts';
import type { Attempt } from './activity.ts';
import { completeRun } from './close-run.ts';
import type { Engine } from './engine.ts';
import { openSessionToSettle, plannedRun, type PlannedRun } from './open-session.ts';

/** @returns how many intervals were found delivered, and how many are requested anew */
export async function settleIntervals(
  engine: Engine,
  { signal }: Attempt,
): Promise<{ delivered: number; requested: number }> {
  const repairs = { delivered: 0, requested: 0 };
  for (const entry of await engine.stores.ledger.unsettled()) {
    try {
      const did = await settle(engine, entry, signal);
      if (did) repairs[did] += 1;
    } catch (error) {
      // One destination that is away must not keep the others from being settled; the next round tries again.
      engine.log.warn(
        { err: error, batch_export_id: entry.exportId, interval_end: entry.end },
        'an interval is settled later',
      );
    }
  }
  return repairs;
}

async function settle(
  engine: Engine,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<'delivered' | 'requested' | undefined> {
  const run = await engine.stores.runs.byId(entry.runId);
  if (!run.plan) return undefined;
  const planned = plannedRun(run);
  const session = await openSessionToSettle(engine, planned, signal);
  try {
    const receipt = entry.state === 'committing' ? await session.delivered() : undefined;
    if (receipt) {
      await recordDelivery(engine, planned, receipt);
      return 'delivered';
    }
    await session.discard();
  } finally {
    await session.close();
  }
  if (entry.state !== 'committing') return undefined;
  if (await waitsForPerson(engine, run)) await engine.stores.ledger.reopen(entry);
  else if (await requestAgain(engine, entry)) return 'requested';
  return undefined;
}

async function waitsForPerson({ stores }: Engine, { status, batchExportId }: Run): Promise<boolean> {
  return status === 'Failed' || (await stores.batchExports.evenDeleted(batchExportId)).deleted;
}

/** As the ledger's design has it: a closed run whose delivery is there is `Completed`. */
async function recordDelivery({ stores }: Engine, { run, plan, hold }: PlannedRun, receipt: Receipt): Promise<void> {
  await stores.inTransaction(async (inside) => {
    await inside.ledger.markDelivered(hold, receipt);
    await completeRun(inside, run, receipt, cursorAfter(plan, run.end));
    const message = `The commit had succeeded: ${receipt.rows} rows are at ${receipt.location}`;
    await inside.logs.append({ batchExportId: run.batchExportId, runId: run.id, level: 'INFO', message });
  });
}

async function requestAgain({ stores }: Engine, entry: LedgerEntry): Promise<boolean> {
  if (await stores.requests.kindOfOpen(entry.exportId, entry.end)) return false;
  const interval = { start: millisOf(entry.start), end: millisOf(entry.end) };
  await stores.requests.open(entry.exportId, [interval], 'gap');
  return true;
}
