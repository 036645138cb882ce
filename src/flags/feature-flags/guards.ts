/** What keeps a flag from being disabled or deleted. */
import { InvalidInput } from '../../errors.ts';
import type { FlagBound } from '../stores.ts';
import type { FeatureFlag } from './feature-flags.store.ts';

const NAMED = 5;

/** @throws InvalidInput naming what depends on it: active flags, and what could not be without it */
export async function checkDispensable(
  stores: FlagBound,
  flag: FeatureFlag,
  change: 'disable' | 'delete',
): Promise<void> {
  const { references } = stores;
  if (change === 'delete') await checkUnused(stores, flag);
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

async function checkUnused({ earlyAccess, surveys }: FlagBound, { projectId, id }: FeatureFlag): Promise<void> {
  const feature = await earlyAccess.usesFlag(projectId, id);
  const survey = await surveys.usesFlag(projectId, id);
  const user = feature === undefined ? survey && `survey "${survey}"` : `early access feature "${feature}"`;
  if (user === undefined) return;
  throw new InvalidInput(`Cannot delete this feature flag because the ${user} needs it.`, 'deleted');
}
