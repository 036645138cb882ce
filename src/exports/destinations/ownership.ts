/** Ownership of deliveries, which guards against another database; epochs cannot, because each database counts its own. */
import type { Receipt } from './receipt.ts';
import type { StagedPart } from './delivery.ts';

/**
 * Tells which deliveries of the interval are this database's own; a commit replaces only those. They are told apart by the ids of runs,
 * because a restored or copied database repeats epochs.
 */
export type Ownership = {
  /** Returns this database's present timeline id, which is stored with each delivery for people. */
  getTimeline(): Promise<string>;
  /**
   * Whether this database planned the run for the interval, or an operator has allowed its delivery to be replaced.
   * @throws Superseded when a later epoch has the interval: our database may have come to know the run only with that epoch
   */
  knowsRun(runId: string): Promise<boolean>;
  /** Called before an effect that no fence at the destination would prevent. @throws Superseded when a later epoch has the interval */
  assertNotSuperseded(): Promise<void>;
  /** The receipt of the interval's last delivery in this database. @throws Superseded when a later epoch has the interval */
  findLastReceipt(): Promise<Receipt | undefined>;
  /** Whether an operator decided that a delivery without a run id may be replaced. */
  mayReplace(receipt: Receipt): Promise<boolean>;
  /** Parts that this database's runs of the interval staged under the epoch. */
  listStagedParts(epoch: number): Promise<readonly StagedPart[]>;
};

/** `isKnown`: whether our database knows the delivery, so it may be replaced. */
export type PresentDelivery = { receipt: Receipt; isKnown: boolean };
