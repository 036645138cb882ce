/** Data that conditions may read, so that nothing else is fetched, and whether it could be read at all. */

export type Reads = {
  /** Keys of properties. */
  readonly person: string[];
  readonly groups: { readonly index: number; readonly key: string }[];
  /** The person itself, beside the properties. */
  metadata: boolean;
  /** Ids of cohorts. */
  readonly cohorts: number[];
  /** Flags, by what names them. */
  readonly flags: string[];
  /** The value makes no sense in its place: it matches nothing, and the answer says that there was an error. */
  isMalformed: boolean;
};

export function noReads(): Reads {
  return { person: [], groups: [], metadata: false, cohorts: [], flags: [], isMalformed: false };
}
