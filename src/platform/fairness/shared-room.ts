/**
 * A bounded amount of something (bytes, places in a queue, transactions) that many share. No holder may get more than
 * is still free: one alone gets half, two get a third each, and some is left for the next holder.
 *
 * These are the dynamic thresholds of Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches",
 * IEEE/ACM Transactions on Networking 6 (1998), with alpha = 1.
 */
export type SharedRoom<Holder> = {
  /** @returns false, and takes nothing, when the holder would then have more than is still free */
  take(holder: Holder, amount: number): boolean;
  /** Returns an amount that was taken. */
  give(holder: Holder, amount: number): void;
};

export function createSharedRoom<Holder>(size: number): SharedRoom<Holder> {
  /** Amounts by holder; zero amounts are removed, so the map does not grow with senders that come and go. */
  const amounts = new Map<Holder, number>();
  let free = size;

  return {
    take(holder, amount) {
      const newAmount = (amounts.get(holder) ?? 0) + amount;
      // tooth: shared-room
      if (newAmount > free) return false;
      amounts.set(holder, newAmount);
      free -= amount;
      return true;
    },
    give(holder, amount) {
      const remaining = (amounts.get(holder) ?? 0) - amount;
      if (remaining > 0) amounts.set(holder, remaining);
      else amounts.delete(holder);
      free += amount;
    },
  };
}
