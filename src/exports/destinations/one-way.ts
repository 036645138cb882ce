/**
 * A session at a destination that takes rows while parts are written, and that cannot be read. A commit only adds up what the destination
 * has acknowledged. There is nothing to find or to take back.
 */
import type { PartSource, Receipt, Session, SessionContext } from './contract.ts';
import type { Delivery, Part, StagedPart } from './delivery.ts';
import { totalsOf } from './totals.ts';

export type OneWay = {
  location: string;
  delivery: Delivery;
  context: SessionContext;
  /** Reads the part to its end; once it returns, every row of it is acknowledged. */
  take(part: Part, source: PartSource): Promise<StagedPart['staged']>;
  /** A warning for the log of a run that ends without a delivery. */
  leftoverWarning?: string;
  close?(): Promise<void>;
};

export function oneWaySession({ location, delivery, context, take, leftoverWarning, close }: OneWay): Session {
  return {
    location,
    async write(part, source) {
      await context.step(`part-${part.index}-begin`);
      const staged = await take(part, source);
      await context.step(`part-${part.index}-end`);
      return { ...source.summary(), index: part.index, staged };
    },
    async commit(parts): Promise<Receipt> {
      const { epoch, cutoff, runId } = delivery;
      return {
        ...totalsOf(parts),
        bytes: parts.reduce((sum, part) => sum + part.contentBytes, 0),
        location,
        epoch,
        cutoff,
        run_id: runId,
        timeline: await context.ownership.getTimeline(),
      };
    },
    findReceipt: async () => undefined,
    findPresentDelivery: async () => undefined,
    async discard() {
      if (leftoverWarning !== undefined) context.log('warning', leftoverWarning);
      return [];
    },
    close: async () => close?.(),
  };
}

/** The deliveries at a destination that cannot be read. */
export async function* noDeliveries(): AsyncGenerator<never> {}
