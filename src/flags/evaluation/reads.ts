/** What a condition may look at, so that only that is fetched. */

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
};

export function noReads(): Reads {
  return { person: [], groups: [], metadata: false, cohorts: [], flags: [] };
}
