/** How much results may be together in one answer: it is held, written and sent as a whole. */

/** Of JSON, about. */
const MAX_BYTES = 16 * 1024 * 1024;

export type Budget = {
  /** @returns false when there is not so much left: then nothing was taken */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
};

export function createBudget(): Budget {
  let left = MAX_BYTES;
  return {
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },

    giveBack(bytes) {
      left += bytes;
    },
  };
}
