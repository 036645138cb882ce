/** What keeps a flag from being changed: those that need it as it is. */
import { InvalidInput } from '../../errors.ts';
import type { FlagBound } from '../stores.ts';
import type { FeatureFlag } from './feature-flags.store.ts';
import type { FlagFilters } from './filters.ts';

const NAMED = 5;

/** @throws InvalidInput naming the active flags that depend on it */
export async function checkDispensable(
  { references }: FlagBound,
  flag: FeatureFlag,
  change: 'disable' | 'delete',
): Promise<void> {
  const dependents = await references.dependentsOf(flag.projectId, flag.id);
  if (dependents.length === 0) return;
  const names = dependents.slice(0, NAMED).map(({ key, id }) => `${key} (ID: ${id})`);
  if (dependents.length > NAMED) names.push(`and ${dependents.length - NAMED} more`);
  throw new InvalidInput(
    `Cannot ${change} this feature flag because other flags depend on it: ${names.join(', ')}. ` +
      'Please update or delete the dependent flags first.',
    change === 'delete' ? 'deleted' : 'active',
  );
}

/** @throws InvalidInput naming what else is made of it */
export async function checkUnused({ earlyAccess, experiments, surveys }: FlagBound, flag: FeatureFlag): Promise<void> {
  const { id, projectId } = flag;
  const feature = await earlyAccess.usesFlag(projectId, id);
  if (feature !== undefined) {
    throw inUse('early access features', `the early access feature "${feature}" before deleting the flag`);
  }
  const linked = await experiments.ofFlag(projectId, id);
  if (linked.length > 0) {
    const ids = linked.map((experiment) => experiment.id).join(', ');
    throw inUse(`experiments (ID: ${ids})`, 'them before deleting the flag');
  }
  const survey = await surveys.usesFlag(projectId, id);
  if (survey !== undefined) throw inUse('surveys', `or unlink the survey "${survey}" before deleting the flag`);
}

function inUse(what: string, who: string): InvalidInput {
  return new InvalidInput(`Cannot delete a feature flag that is in use with ${what}. Please delete ${who}.`, 'deleted');
}

/** Persons enroll, so what they enroll in is about persons. @throws InvalidInput */
export async function checkStaysPersonal(
  { earlyAccess }: FlagBound,
  flag: FeatureFlag,
  filters: FlagFilters,
): Promise<void> {
  if ((filters.aggregation_group_type_index ?? null) === null) return;
  if ((await earlyAccess.usesFlag(flag.projectId, flag.id)) === undefined) return;
  throw new InvalidInput(
    'Cannot change this flag to a group-based when linked to an Early Access Feature.',
    'filters__aggregation_group_type_index',
  );
}
