/** Ownership of deliveries: guards against another database, which epochs cannot do because they count within one. */
import type { Receipt } from './receipt.ts';
import type { StagedPart } from './delivery.ts';

/**
 * Which deliveries of the interval are this database's own: a commit replaces only those. A database that was restored, or copied,
 * repeats epochs; ids of runs never repeat.
 */
export type Ownership = {
  /** This database's present timeline id: kept with each delivery, for people. */
  timeline(): Promise<string>;
  /**
   * Whether the run is one of the interval's in this database, or an operator decided that its delivery may be replaced.
   * @throws Superseded when a later epoch has the interval in our database, so a delivery known since then is not ours to replace
   */
  knows(runId: string): Promise<boolean>;
  /** The receipt of the interval's last delivery in this database. @throws Superseded as `knows` does */
  lastReceipt(): Promise<Receipt | undefined>;
  /** Whether an operator decided that a delivery without a run id may be replaced. */
  mayReplace(receipt: Receipt): Promise<boolean>;
  /** Parts that this database's runs of the interval staged under the epoch. */
  stagedUnder(epoch: number): Promise<readonly StagedPart[]>;
};

/** `known`: it may be replaced, see `Ownership`. */
export type PresentDelivery = { receipt: Receipt; known: boolean };
