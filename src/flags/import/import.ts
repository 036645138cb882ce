/** Imports the flags of an export, and first the cohorts that they reference. */
import type { ApiClient } from './api-client.ts';
import type { ExportedItem } from './exported.ts';
import { itemImporter, type ImportOptions } from './import-items.ts';
import { COHORTS, FLAGS } from './kinds.ts';
import type { Outcome } from './outcome.ts';
import { cohortReferences, flagReferences } from './references.ts';

export type Export = {
  flags: readonly ExportedItem[];
  /** Undefined if no cohorts were given. */
  cohorts: readonly ExportedItem[] | undefined;
};

/**
 * Imports cohorts, then flags, each after its dependencies, and otherwise the oldest first.
 * @returns the outcome of each flag, and of each cohort that a flag uses, as soon as it is known
 * @throws CommandFailed when the server does not let the import continue
 */
export async function* importFlags(
  given: Export,
  target: ApiClient,
  options: ImportOptions,
): AsyncGenerator<Outcome, void> {
  const importItems = itemImporter(target, options, given.cohorts !== undefined);
  const cohortIds = cohortIdsUsed(given);
  if (given.cohorts && cohortIds.size > 0)
    yield* importItems(COHORTS, given.cohorts, (cohort) => cohortIds.has(cohort.id));
  yield* importItems(FLAGS, given.flags, () => true);
}

/** Ids of the cohorts that flags reference, directly or through other cohorts. */
export function cohortIdsUsed({ flags, cohorts = [] }: Export): Set<number | undefined> {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  const cohortIds = new Set<number | undefined>();
  for (const { fields, fault, deleted } of flags) {
    if (fault || deleted) continue;
    for (const { kind, id } of flagReferences(fields['filters'])) if (kind === 'cohort') cohortIds.add(id);
  }
  // The loop also visits ids that are added meanwhile.
  for (const id of cohortIds) {
    const cohort = byId.get(id);
    if (!cohort || cohort.fault) continue;
    for (const reference of cohortReferences(cohort.fields)) cohortIds.add(reference.id);
  }
  return cohortIds;
}
