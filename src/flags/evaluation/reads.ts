/** Data that conditions may read, so only that is fetched, and whether a condition is malformed. */

export type Reads = {
  /** Keys of properties. */
  readonly person: string[];
  readonly groups: { readonly index: number; readonly key: string }[];
  /** Whether data of the person itself is read, besides the properties. */
  metadata: boolean;
  /** Ids of cohorts. */
  readonly cohorts: number[];
  /** Flags, by what names them. */
  readonly flags: string[];
  /** Whether the value makes no sense in its place: it matches nothing, and the answer reports an error. */
  isMalformed: boolean;
};

export function noReads(): Reads {
  return { person: [], groups: [], metadata: false, cohorts: [], flags: [], isMalformed: false };
}
