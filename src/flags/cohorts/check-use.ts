/** Checks the cohorts that a cohort references, and the flags and cohorts that reference it. */
import { InvalidInput } from '../../platform/errors.ts';
import type { Rights } from '../../platform/http/access.ts';
import { maySeeFlag } from '../feature-flags/linked.ts';
import type { BoundFlagStores } from '../stores.ts';
import type { Cohort, CohortFields } from './cohorts.store.ts';
import { cohortIdsIn, type CohortFilters } from './filters.ts';

/**
 * @param after the cohort after the change
 * @param before `current`: the cohort before the change, absent for a new one. `rights`: those of the caller; errors name flags that are
 * hidden from the caller by their ids
 * @throws InvalidInput if a referenced cohort is missing, references would form a circle, or a cohort in use would be deleted
 */
export async function checkCohortReferences(
  stores: BoundFlagStores,
  projectId: number,
  after: CohortFields,
  { current, rights }: { current?: Cohort; rights?: Pick<Rights, 'levelOf'> | undefined } = {},
): Promise<void> {
  if (after.deleted) return current?.deleted === false ? checkUnused(stores, current, rights) : undefined;
  if (!after.isStatic) await checkReferencedCohorts(stores, projectId, after.filters as CohortFilters, current?.id);
}

async function checkReferencedCohorts(
  { references }: BoundFlagStores,
  projectId: number,
  filters: CohortFilters,
  ownId: number | undefined,
): Promise<void> {
  const ids = cohortIdsIn(filters);
  if (ids.length === 0) return;
  const found = new Map(
    (await references.findCohortsWithReferences(projectId, ids)).map((cohort) => [cohort.id, cohort]),
  );
  const attr = 'filters__properties';
  const missing = ids.find((id) => !found.has(id));
  if (missing !== undefined) {
    throw new InvalidInput(`Cohort with id ${missing} does not exist`, attr, 'cohort_does_not_exist');
  }
  const circular = ownId === undefined ? undefined : found.get(ownId);
  if (circular) throw new InvalidInput(`The cohort "${circular.name}" would depend on itself.`, attr);
}

async function checkUnused(
  { cohorts }: BoundFlagStores,
  { projectId, id }: Cohort,
  rights: Pick<Rights, 'levelOf'> | undefined,
): Promise<void> {
  const { flags: usingFlags, cohorts: usingCohorts } = await cohorts.findDependents(projectId, id);
  const flags = usingFlags.map((flag) => (maySeeFlag(rights, flag) ? flag.key : `ID: ${flag.id}`));
  const dependents = [
    ...(flags.length > 0 ? [`the feature flags ${quoteNames(flags)}`] : []),
    ...(usingCohorts.length > 0 ? [`the cohorts ${quoteNames(usingCohorts)}`] : []),
  ];
  if (dependents.length === 0) return;
  throw new InvalidInput(`This cohort is used by ${dependents.join(' and ')}: change or delete them first.`, 'deleted');
}

function quoteNames(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
