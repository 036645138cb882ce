/** Collects what conditions may read, so no other data is fetched, and whether a condition is malformed. */

export type Reads = {
  /** Keys of person properties. */
  readonly person: string[];
  readonly groups: { readonly index: number; readonly key: string }[];
  /** Whether data of the person's record is read, such as `created_at`. */
  metadata: boolean;
  /** Ids of cohorts. */
  readonly cohorts: number[];
  /** Ids or keys of flags, as they stand in the conditions. */
  readonly flags: string[];
  /** Whether a part of the filters is malformed; that part never matches, and the answer reports an error. */
  isMalformed: boolean;
};

export function createReads(): Reads {
  return { person: [], groups: [], metadata: false, cohorts: [], flags: [], isMalformed: false };
}
