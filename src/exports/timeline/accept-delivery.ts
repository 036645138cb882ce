/** Carries out an operator's decision about a delivery that this database does not know: theirs stays, or ours replaces it. */
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
     * `theirs`: the delivery's receipt becomes the interval's, as if a run of ours had delivered it. `ours`: the delivery may be replaced, under
     * a higher epoch, and the interval is requested.
     * @throws NotFound when the delivery does not wait for a decision; Conflict for `theirs` while a run of the interval is under way or may begin
     *   any moment, and if their commit was interrupted
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
  if (!run) throw new Conflict('No run of this batch export has a plan yet. Let one run be planned first.');
  await tx.ledger.adopt({ ...delivery, epoch: run.epoch }, run.id, delivery.receipt);
  await endRequests(tx, delivery, run.id);
}

/** Ends earlier requests of the interval whose runs have not begun, because these runs would replace the accepted delivery. */
async function endRequests(tx: BoundStores, delivery: ForeignDelivery, runId: string): Promise<void> {
  // tooth: accepted-ends-requests
  await tx.runRequests.closeIfNotStarted(delivery, runId);
  await tx.backfills.removeInterval(delivery);
  if (await tx.runRequests.findOpenKind(delivery.exportId, delivery.end))
    throw new Conflict(
      'A run of this data interval was requested and may start at any moment. Wait until it has ended.',
    );
}
