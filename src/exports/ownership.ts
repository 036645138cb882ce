/** What a destination may ask about the deliveries of a data interval: which of them are this database's own. */
import type { Ownership } from '../destinations/ownership.ts';
import { Superseded } from '../errors.ts';
import type { Hold } from './holds.store.ts';
import type { ExportStores } from './stores.ts';

type Stores = Pick<ExportStores, 'foreignDeliveries' | 'ledger' | 'timeline'>;

/**
 * @param hold the epoch that asks: once a later one has the interval, also by an operator's decision, there is no answer but `Superseded`. A
 *   frozen commit would take for its own what was accepted meanwhile.
 */
export function ownershipOf({ foreignDeliveries, ledger, timeline }: Stores, hold: Hold): Ownership {
  return {
    timeline: () => timeline.id(),
    knows: (runId) => foreignDeliveries.knowsRun(hold, runId),
    mayReplace: (receipt) => foreignDeliveries.isReplaceable(hold, receipt),
    stagedUnder: (epoch) => foreignDeliveries.stagedUnder(hold, epoch),
    async lastReceipt() {
      const entry = await ledger.find(hold);
      if (entry && entry.epoch > hold.epoch) throw new Superseded(`superseded by run ${entry.runId}`);
      return entry?.receipt ?? undefined;
    },
  };
}
