/** Finds intervals that imports have made stale since the last check, and records them. */
import type { Pool } from '../../platform/db/connection.ts';
import { findLateImports } from '../../events/table/late-imports.ts';
import type { ExportStores } from '../stores.ts';
import type { ExportToCheck } from './stale.store.ts';

/** Number of intervals in one query. */
const INTERVALS_PER_QUERY = 1_000;

/**
 * Checks the imports since the last check, and the deliveries made meanwhile, because an import may have come between a run's cutoff
 * and its end.
 * @returns how many intervals are newly stale
 */
export async function findStale(pool: Pool, stores: ExportStores, batchExport: ExportToCheck): Promise<number> {
  const { seenUntil, candidates } = await stores.stale.findCandidates(batchExport);
  const ends = new Set<string>();
  for (let from = 0; from < candidates.length; from += INTERVALS_PER_QUERY) {
    for (const end of await findLateImports(
      pool,
      batchExport.projectId,
      candidates.slice(from, from + INTERVALS_PER_QUERY),
    ))
      ends.add(end);
  }
  const lateDeliveries = candidates.filter(({ end }) => ends.has(end));
  return stores.inTransaction(async (tx) => {
    const staleBefore = await tx.stale.countStale(batchExport.id);
    const newlyStale = await tx.stale.markStale(batchExport, lateDeliveries);
    await tx.stale.recordCheck(batchExport.id, seenUntil);
    if (newlyStale > 0 && staleBefore === 0) await logAndNotify(tx, batchExport, newlyStale);
    return newlyStale;
  });
}

/** Notifies about the first stale intervals. Further ones cause no notice until none is stale, because a long import makes many stale. */
async function logAndNotify(
  tx: Pick<ExportStores, 'logs' | 'outbox'>,
  batchExport: ExportToCheck,
  staleCount: number,
): Promise<void> {
  const subject = staleCount === 1 ? 'A delivered data interval is' : `${staleCount} delivered data intervals are`;
  const next = batchExport.redeliverStale
    ? 'Delivered again once the import is over.'
    : 'Deliver again with a backfill of `stale`.';
  const summary = `${subject} out of date: events were imported into the past. ${next}`;
  await tx.logs.append({ batchExportId: batchExport.id, runId: null, level: 'WARNING', message: summary });
  await tx.outbox.add(batchExport.id, { kind: 'stale', summary, details: { intervals: staleCount } });
}
