/** Unpauses an export and, on request, delivers the intervals that the pause missed. */
import type { Author } from '../../people/audit/audit-log.ts';
import type { ExportsApi } from '../api.ts';
import type { Backfill } from '../backfills/backfills.store.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';

export type UnpauseResult = { batchExport: BatchExport; changed: boolean; backfill: Backfill | undefined };

/** @param deliverMissed whether to deliver the intervals that the pause missed; otherwise they stay missing */
export async function unpause(
  { batchExports, backfills }: Pick<ExportsApi, 'batchExports' | 'backfills'>,
  { projectId, id, by }: { projectId: number; id: string; by: Author },
  deliverMissed: boolean,
): Promise<UnpauseResult> {
  let hasChanged = false;
  let backfill: Backfill | undefined;
  const batchExport = await batchExports.unpause(projectId, id, by, async (tx, unpaused) => {
    hasChanged = true;
    if (deliverMissed) backfill = await backfills.openForPause(tx, unpaused, by);
  });
  if (backfill) await backfills.wake(id);
  return { batchExport, changed: hasChanged, backfill };
}
