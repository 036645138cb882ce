/** What a destination may ask about the deliveries of a data interval: which of them are this database's own. */
import type { Ownership } from '../destinations/ownership.ts';
import type { ExportInterval } from './holds.store.ts';
import type { ExportStores } from './stores.ts';

type Stores = Pick<ExportStores, 'foreignDeliveries' | 'ledger' | 'timeline'>;

export function ownershipOf({ foreignDeliveries, ledger, timeline }: Stores, interval: ExportInterval): Ownership {
  return {
    timeline: () => timeline.id(),
    knows: (runId) => foreignDeliveries.knowsRun(interval, runId),
    mayReplace: (receipt) => foreignDeliveries.isReplaceable(interval, receipt),
    stagedUnder: (epoch) => foreignDeliveries.stagedUnder(interval, epoch),
    async lastReceipt() {
      return (await ledger.find(interval))?.receipt ?? undefined;
    },
  };
}
