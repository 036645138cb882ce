/** The outcome of each flag and cohort of an export. */

export type Kind = 'flag' | 'cohort';

/** Why an item is not created or changed: an error of the API, or found without a request. */
export type Refusal = {
  /** The faulty field, with nested names joined by `__`; null for the item as a whole. */
  attr: string | null;
  code: string;
  reason: string;
};

export type Outcome = {
  kind: Kind;
  /** The key of a flag or the name of a cohort, from the export. */
  name: string;
  outcome: 'created' | 'exists' | 'updated' | 'refused' | 'skipped';
  /** The item's id in the export. */
  sourceId: number | null;
  /** The item's id on this server; null if it does not exist here. */
  id: number | null;
  active: boolean;
  /** Why the export cannot be compared with the existing item. */
  refusal: Refusal | null;
  /** Fields of the export, also within filters, that were not imported. */
  notImported: readonly string[];
  /** Fields of an existing item that differ from the export and were not changed. */
  differs: readonly string[];
  /** Whether the payload is missing here, because it is encrypted in the export. */
  withoutPayload: boolean;
};

/** Whether the item still needs manual work: it is missing here, or incomplete. */
export function isIncomplete({ outcome, withoutPayload }: Outcome): boolean {
  return outcome === 'refused' || withoutPayload;
}
