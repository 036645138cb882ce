/** Types for recording and deleting files that a re-delivery under versioned names replaces. */

/**
 * Records, and commits, that these files are about to leave the interval's manifest, or became visible without ever being in one. They
 * are deleted after a grace period for their readers.
 */
export type RecordSuperseded = (keys: readonly string[]) => Promise<void>;

/** `goneKeys`: keys with nothing left to delete. `isDenied`: the destination does not permit deletes, and the rest stays. */
export type DeletedFiles = { goneKeys: string[]; isDenied: boolean };

/**
 * Deletes superseded files whose names contain their run, but never one that is in the interval's manifest.
 * @param dueKeys returns the keys to delete now; called after the manifest was read
 * @param recordedKeys returns all keys that the run recorded and that are not deleted yet, due or not
 */
export type DeleteSuperseded = (
  dueKeys: () => Promise<readonly string[]>,
  recordedKeys: () => Promise<readonly string[]>,
) => Promise<DeletedFiles>;
