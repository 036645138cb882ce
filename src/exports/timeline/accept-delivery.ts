/** Accepts one side of a foreign delivery: theirs stays, or ours replaces it. */
import { Conflict } from '../../platform/errors.ts';
import type { Author } from '../../people/audit/audit-log.ts';
import type { ExportExecutions } from '../temporal/executions.ts';
import { recordForeignDelivery } from '../batch-exports/audit.ts';
import { millisOf } from '../domain/instants.ts';
import type { ForeignDelivery, Side } from './foreign-deliveries.store.ts';
import type { BoundStores, ExportStores } from '../stores.ts';

export type AcceptDeliveryOptions = { stores: ExportStores; executions: Pick<ExportExecutions, 'wakeDispatcher'> };

export type ForeignDeliveries = ReturnType<typeof foreignDeliveries>;

export function foreignDeliveries({ stores, executions }: AcceptDeliveryOptions) {
  return {
    listWaiting: stores.foreignDeliveries.listWaiting,

    /**
     * @param side `theirs`: the delivery's receipt becomes the interval's, as if a run of this timeline had delivered it; `ours`: the interval
     *   is requested, and its run replaces the delivery under a higher epoch
     * @throws NotFound when the delivery does not wait for a decision
     * @throws Conflict for `theirs`, while a run of the interval is open or may start at any moment, if their commit was interrupted, and if the
     *   delivery cannot become a run (see `adoptRun`)
     */
    async accept(projectId: number, exportId: string, id: string, side: Side, author: Author): Promise<void> {
      await stores.batchExports.get(projectId, exportId);
      await stores.inTransaction(async (tx) => {
        await tx.batchExports.lockRow(exportId);
        const delivery = await tx.foreignDeliveries.lockWaiting(exportId, id);
        if (side === 'theirs') await adopt(tx, delivery, projectId);
        else
          await tx.runRequests.open(
            exportId,
            [{ start: millisOf(delivery.start), end: millisOf(delivery.end) }],
            'retry',
          );
        await tx.foreignDeliveries.accept(id, side);
        await recordForeignDelivery(tx, author, { ...delivery, projectId }, side);
      });
      // The dispatcher starts new requests, and ends backfills whose last interval this was. The reconciler wakes it too.
      await executions.wakeDispatcher(exportId).catch(() => {});
    },
  };
}

async function adopt(tx: BoundStores, delivery: ForeignDelivery, projectId: number): Promise<void> {
  if (delivery.receipt.interrupted)
    throw new Conflict('That delivery was interrupted half-way, so readers ignore it. Accept "ours" instead.');
  const open = await tx.runs.listOpen(delivery.exportId);
  if (open.some(({ end }) => end === delivery.end)) {
    throw new Conflict('A run of this data interval is under way. Cancel it, or wait until it has ended.');
  }
  const run = await tx.foreignDeliveries.adoptRun(delivery, projectId);
  if (!run)
    throw new Conflict(
      'This delivery cannot become a run: no run of this batch export has a plan to copy, or the run that delivered it has ' +
        'a plan of its own here. Accept "ours" instead, or deliver another data interval and try again.',
    );
  await tx.ledger.adopt({ ...delivery, epoch: run.epoch }, run.id, delivery.receipt);
  await endRequests(tx, delivery, run.id);
}

/**
 * Closes the interval's requests whose runs have not started, because such a run would replace the accepted delivery.
 * @throws Conflict when the run of a request may start at any moment
 */
async function endRequests(tx: BoundStores, delivery: ForeignDelivery, runId: string): Promise<void> {
  // tooth: accepted-ends-requests
  await tx.runRequests.closeIfNotStarted(delivery, runId);
  await tx.backfills.removeInterval(delivery);
  if (await tx.runRequests.findOpenKind(delivery.exportId, delivery.end))
    throw new Conflict(
      'A run of this data interval was requested and may start at any moment. Wait until it has ended.',
    );
}
