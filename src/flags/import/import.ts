/** Makes the flags of an export here, and before them the cohorts that they name. */
import type { ApiClient } from './api-client.ts';
import type { Exported } from './exported.ts';
import { itemImporter, type ImportOptions } from './import-items.ts';
import { COHORTS, FLAGS } from './kinds.ts';
import type { Outcome } from './outcome.ts';
import { cohortReferences, flagReferences } from './references.ts';

export type Export = {
  flags: readonly Exported[];
  /** undefined: no cohorts were given. */
  cohorts: readonly Exported[] | undefined;
};

/**
 * Imports cohorts first, each after those that it names, then flags, each after those that it depends on; the oldest first.
 * @returns the result of each flag, and of each cohort that a flag names, as soon as it is known
 * @throws CommandFailed when the server does not let the import continue
 */
export async function* importFlags(
  given: Export,
  target: ApiClient,
  options: ImportOptions,
): AsyncGenerator<Outcome, void> {
  const importItems = itemImporter(target, options, given.cohorts !== undefined);
  const named = cohortsNamed(given);
  if (given.cohorts && named.size > 0) yield* importItems(COHORTS, given.cohorts, (cohort) => named.has(cohort.id));
  yield* importItems(FLAGS, given.flags, () => true);
}

/** Ids of cohorts that flags name, themselves or by other cohorts. */
export function cohortsNamed({ flags, cohorts = [] }: Export): Set<number | undefined> {
  const byId = new Map(cohorts.map((cohort) => [cohort.id, cohort]));
  const named = new Set<number | undefined>();
  for (const { fields, fault, deleted } of flags) {
    if (fault || deleted) continue;
    for (const { kind, id } of flagReferences(fields['filters'])) if (kind === 'cohort') named.add(id);
  }
  // Ids that the loop adds are visited, too.
  for (const id of named) {
    const cohort = byId.get(id);
    if (!cohort || cohort.fault) continue;
    for (const reference of cohortReferences(cohort.fields)) named.add(reference.id);
  }
  return named;
}
