/** Types for recording and deleting files that a re-delivery under versioned names replaces. */

/**
 * Stores, committed, that these files are about to leave the interval's manifest, or were made visible and never named by one. They are
 * deleted once nobody reads them any more.
 */
export type RecordSuperseded = (keys: readonly string[]) => Promise<void>;

/** `gone`: keys with nothing left to delete. `denied`: the destination does not permit deletes, and the rest stays. */
export type DeletedFiles = { gone: string[]; denied: boolean };

/**
 * Deletes files that were recorded as superseded, where names hold their run; never one that the interval's manifest names.
 * @param due keys that are to be deleted now; asked once the manifest was read
 */
export type DeleteSuperseded = (dueKeys: () => Promise<readonly string[]>) => Promise<DeletedFiles>;
