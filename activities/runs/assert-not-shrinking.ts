/** Automatic runs never remove delivered rows: rows missing at the source may have been lost in a failover, so a person decides; erased rows are recorded. */
import { DeliveryWouldShrink } from '../../src/platform/errors.ts';
import type { Content } from '../../src/conditions/rows/content.ts';
import type { Engine } from '../engine.ts';
import type { PlannedRun } from './open-session.ts';

/**
 * Counts the source up to the cutoff of the last delivery, unless a person requested the run. Changed filters may
 * select fewer rows.
 * @throws DeliveryWouldShrink
 */
export async function assertNotShrinking(
  { stores, events }: Pick<Engine, 'stores' | 'events'>,
  { run, plan, slice, lease }: PlannedRun,
): Promise<void> {
  if (run.kind === 'retry' || run.kind === 'backfill') return;
  const entry = await stores.ledger.find(lease);
  if (!entry?.receipt) return;
  const deliveredRun = await stores.runs.getDeliveredRun(run.batchExportId, run.end);
  if (!deliveredRun.plan || selectionOf(deliveredRun.plan.content) !== selectionOf(plan.content)) return;
  const { rows } = await events.digest({ ...slice, cutoff: entry.receipt.cutoff });
  if (rows >= entry.receipt.rows) return;
  const missing =
    entry.receipt.rows - rows - (await stores.erasedDeliveries.countErased(lease, deliveredRun, entry.receipt));
  if (missing > 0) throw new DeliveryWouldShrink(missing);
}

/** Settings that decide which rows are selected; columns and transformations do not. */
function selectionOf({ model, includeEvents, excludeEvents, filters, query }: Content): string {
  return JSON.stringify([model, includeEvents, excludeEvents, filters, query]);
}
