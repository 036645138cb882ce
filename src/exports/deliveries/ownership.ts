/** Tells a destination which deliveries of a data interval are this database's own. */
import type { Ownership } from '../destinations/ownership.ts';
import { Superseded } from '../../platform/errors.ts';
import type { EpochLease } from './epoch-lease.store.ts';
import type { ExportStores } from '../stores.ts';

type Stores = Pick<ExportStores, 'foreignDeliveries' | 'ledger' | 'timeline'>;

/**
 * @param lease the epoch that asks. Once a later epoch has the interval, even by an operator's decision, looking up runs and
 *   receipts throws `Superseded`. Without this, a frozen commit that resumes would treat a delivery that was accepted meanwhile as its own.
 */
export function ownershipOf({ foreignDeliveries, ledger, timeline }: Stores, lease: EpochLease): Ownership {
  async function findEntry() {
    const entry = await ledger.find(lease);
    if (entry && entry.epoch > lease.epoch) throw new Superseded(`superseded by run ${entry.runId}`);
    return entry;
  }

  return {
    getTimeline: () => timeline.getId(),
    knowsRun: (runId) => foreignDeliveries.knowsRun(lease, runId),
    mayReplace: (receipt) => foreignDeliveries.isReplaceable(lease, receipt),
    listStagedParts: (epoch) => foreignDeliveries.listStagedParts(lease, epoch),
    assertNotSuperseded: async () => void (await findEntry()),
    findLastReceipt: async () => (await findEntry())?.receipt ?? undefined,
  };
}
