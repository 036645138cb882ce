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
export async function findStale(pool: Pool, stores: ExportStores, one: ExportToCheck): Promise<number> {
  const { seenUntil, candidates } = await stores.stale.findCandidates(one);
  const ends = new Set<string>();
  for (let from = 0; from < candidates.length; from += INTERVALS_PER_QUERY) {
    for (const end of await findLateImports(pool, one.projectId, candidates.slice(from, from + INTERVALS_PER_QUERY)))
      ends.add(end);
  }
  const late = candidates.filter(({ end }) => ends.has(end));
  return stores.inTransaction(async (inside) => {
    const wereStale = await inside.stale.countStale(one.id);
    const found = await inside.stale.markStale(one, late);
    await inside.stale.recordCheck(one.id, seenUntil);
    if (found > 0 && wereStale === 0) await logAndNotify(inside, one, found);
    return found;
  });
}

/** Notifies about the first stale intervals. Further ones cause no notice until none is stale, because a long import makes many stale. */
async function logAndNotify(
  inside: Pick<ExportStores, 'logs' | 'outbox'>,
  one: ExportToCheck,
  found: number,
): Promise<void> {
  const what = found === 1 ? 'A delivered data interval is' : `${found} delivered data intervals are`;
  const next = one.redeliverStale
    ? 'Delivered again once the import is over.'
    : 'Deliver again with a backfill of `stale`.';
  const summary = `${what} out of date: events were imported into the past. ${next}`;
  await inside.logs.append({ batchExportId: one.id, runId: null, level: 'WARNING', message: summary });
  await inside.outbox.add(one.id, { kind: 'stale', summary, details: { intervals: found } });
}
