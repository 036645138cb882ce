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
    async accept(projectId: number, exportId: string, id: string, side: Side, by: Author): Promise<void> {
      await stores.batchExports.get(projectId, exportId);
      await stores.inTransaction(async (inside) => {
        await inside.batchExports.lockRow(exportId);
        const found = await inside.foreignDeliveries.lockWaiting(exportId, id);
        if (side === 'theirs') await adopt(inside, found, projectId);
        else
          await inside.runRequests.open(
            exportId,
            [{ start: millisOf(found.start), end: millisOf(found.end) }],
            'retry',
          );
        await inside.foreignDeliveries.accept(id, side);
        await recordForeignDelivery(inside, by, { ...found, projectId }, side);
      });
      // The dispatcher starts new requests, and ends backfills whose last interval this was. The reconciler wakes it too.
      await executions.wakeDispatcher(exportId).catch(() => {});
    },
  };
}

async function adopt(inside: BoundStores, found: ForeignDelivery, projectId: number): Promise<void> {
  if (found.receipt.interrupted)
    throw new Conflict('That delivery was interrupted half-way, so readers ignore it. Accept "ours" instead.');
  const open = await inside.runs.listOpen(found.exportId);
  if (open.some(({ end }) => end === found.end)) {
    throw new Conflict('A run of this data interval is under way. Cancel it, or wait until it has ended.');
  }
  const run = await inside.foreignDeliveries.adoptRun(found, projectId);
  if (!run) throw new Conflict('No run of this batch export has a plan yet. Let one run be planned first.');
  await inside.ledger.adopt({ ...found, epoch: run.epoch }, run.id, found.receipt);
  await endRequests(inside, found, run.id);
}

/** Ends earlier requests of the interval whose runs have not begun, because these runs would replace the accepted delivery. */
async function endRequests(inside: BoundStores, found: ForeignDelivery, runId: string): Promise<void> {
  // tooth: accepted-ends-requests
  await inside.runRequests.closeIfNotStarted(found, runId);
  await inside.backfills.removeInterval(found);
  if (await inside.runRequests.findOpenKind(found.exportId, found.end))
    throw new Conflict('A run of this data interval was asked for, and may begin any moment. Wait until it has ended.');
}
