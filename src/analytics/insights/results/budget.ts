/** Limits the size of all results in one answer, because an answer is held, written and sent as a whole. */

/** Approximate size as JSON. */
const MAX_BYTES = 16 * 1024 * 1024;

export type Budget = {
  /** @returns false, and takes nothing, when less than that is left */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

export function createBudget(): Budget {
  let remainingBytes = MAX_BYTES;
  return {
    take(bytes) {
      if (bytes > remainingBytes) return false;
      remainingBytes -= bytes;
      return true;
    },

    giveBack(bytes) {
      remainingBytes += bytes;
    },
  };
}
