/** The outcome of each flag and cohort of an export. */

export type Kind = 'flag' | 'cohort';

/** Reason why an item is not made or changed: from the API, or found before asking it. */
export type Refusal = {
  /** The field at fault, nested names joined by `__`; null: the item as a whole. */
  attr: string | null;
  code: string;
  reason: string;
};

export type Outcome = {
  kind: Kind;
  /** The key of a flag, the name of a cohort, as the export has it. */
  name: string;
  outcome: 'created' | 'exists' | 'updated' | 'refused' | 'skipped';
  /** The item's id in the export. */
  sourceId: number | null;
  /** The item's id on this server; null: it does not exist here. */
  id: number | null;
  active: boolean;
  /** Why the export cannot be compared with the existing item. */
  refusal: Refusal | null;
  /** Fields and members of filters that the export has and nothing here keeps. */
  leftOut: readonly string[];
  /** Fields of an existing item that differ from the export and were not changed. */
  differs: readonly string[];
  /** The payload is encrypted, and is not here. */
  withoutPayload: boolean;
};

/** Whether the item still needs manual work: it is missing here, or incomplete. */
export function isIncomplete({ outcome, withoutPayload }: Outcome): boolean {
  return outcome === 'refused' || withoutPayload;
}
