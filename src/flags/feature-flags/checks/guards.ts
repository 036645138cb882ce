/** Guards against changes to a flag that would break other flags, experiments or surveys. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';
import type { Rights } from '../../../platform/http/access.ts';
import { isOpen, phaseOf, UNSCHEDULE_ADVICE } from '../../extensions/experiments/phases.ts';
import type { BoundFlagStores } from '../../stores.ts';
import type { FeatureFlag } from '../feature-flags.store.ts';
import { variantsOf, type FlagFilters } from '../filters.ts';
import { maySeeFlag } from '../linked.ts';

const MAX_NAMED = 5;

/** Rights of the reader of an error message; if undefined, all names are shown. */
type Viewer = Pick<Rights, 'levelOf'> | undefined;

/** @throws InvalidInput naming the active flags that depend on the flag */
export async function checkNoDependents(
  { references }: BoundFlagStores,
  flag: FeatureFlag,
  change: 'disable' | 'delete',
  rights: Viewer,
): Promise<void> {
  const dependents = await references.findDependents(flag.projectId, flag.id);
  if (dependents.length === 0) return;
  throw new InvalidInput(
    `Cannot ${change} this feature flag because other flags depend on it: ${nameDependents(dependents, rights)}. ` +
      'Please update or delete the dependent flags first.',
    change === 'delete' ? 'deleted' : 'active',
  );
}

/** @throws InvalidInput naming the active flags that depend on a variant that would be removed */
export async function checkRemovedVariantsUnused(
  { references }: BoundFlagStores,
  flag: FeatureFlag,
  filters: FlagFilters,
  rights: Viewer,
): Promise<void> {
  const remainingKeys = new Set(variantsOf(filters).map(({ key }) => key));
  const removed = variantsOf(flag.filters).flatMap(({ key }) => (remainingKeys.has(key) ? [] : [key]));
  if (removed.length === 0) return;
  const dependents = await references.findDependents(flag.projectId, flag.id, removed);
  if (dependents.length === 0) return;
  const variants = removed.map((key) => `"${key}"`).join(', ');
  throw new InvalidInput(
    `Cannot remove the variants ${variants} because other flags depend on them: ${nameDependents(dependents, rights)}. ` +
      'Please update or delete the dependent flags first.',
    'filters__multivariate__variants',
  );
}

/** Names flags for an error, hidden ones by their ids only. */
function nameDependents(
  dependents: readonly { id: number; key: string; createdBy: number | null }[],
  rights: Viewer,
): string {
  const names = dependents.slice(0, MAX_NAMED).map((flag) => {
    return maySeeFlag(rights, flag) ? `${flag.key} (ID: ${flag.id})` : `ID: ${flag.id}`;
  });
  if (dependents.length > MAX_NAMED) names.push(`and ${dependents.length - MAX_NAMED} more`);
  return names.join(', ');
}

/**
 * Keeps persons in their variants while an experiment is open. Another key or other variants would assign persons anew, and so mix the
 * variants in the results.
 * @throws InvalidInput naming the experiment
 */
export async function checkOpenExperimentUnaffected(
  { experiments }: BoundFlagStores,
  flag: FeatureFlag,
  after: { key: string; filters: FlagFilters },
): Promise<void> {
  const renamed = after.key !== flag.key;
  if (!renamed && isDeepStrictEqual(sharesOf(flag.filters), sharesOf(after.filters))) return;
  const [open] = await findOpenExperiments(experiments, flag);
  if (!open) return;
  const phase = phaseOf(open);
  throw new InvalidInput(
    `The experiment "${open.name}" (ID: ${open.id}) is ${phase} on this flag: its ` +
      `${renamed ? 'key stays as it is' : 'variants and their percentages stay as they are'}. ` +
      (phase === 'scheduled' ? UNSCHEDULE_ADVICE : 'End the experiment first.'),
    renamed ? 'key' : 'filters__multivariate__variants',
  );
}

/** @returns the experiments that are scheduled or running, oldest first */
async function findOpenExperiments({ listByFlag }: BoundFlagStores['experiments'], flag: FeatureFlag) {
  const linked = await listByFlag(flag.projectId, flag.id);
  return linked.filter((experiment) => isOpen(experiment));
}

/** Variants in order, because the order decides who gets which; without their names, which have no effect. */
function sharesOf(filters: FlagFilters) {
  return variantsOf(filters).map(({ key, rollout_percentage }) => ({ key, rollout_percentage }));
}

/** @throws InvalidInput naming an object that uses the flag */
export async function checkUnused(
  { earlyAccess, experiments, surveys }: BoundFlagStores,
  flag: FeatureFlag,
): Promise<void> {
  const { id, projectId } = flag;
  const feature = await earlyAccess.findNameByFlag(projectId, id);
  if (feature !== undefined) {
    throw flagInUse('early access features', `the early access feature "${feature}" before deleting the flag`);
  }
  const open = await findOpenExperiments(experiments, flag);
  const scheduled = open.filter((experiment) => phaseOf(experiment) === 'scheduled');
  const running = open.filter((experiment) => !scheduled.includes(experiment));
  if (running.length > 0)
    throw flagInUse(`running experiments (${idsOf(running)})`, 'or end them before deleting the flag');
  if (scheduled.length > 0) {
    throw flagInUse(
      `scheduled experiments (${idsOf(scheduled)})`,
      'them, or send `start_date: null` to each of them first',
    );
  }
  const survey = await surveys.findNameByFlag(projectId, id);
  if (survey !== undefined) throw flagInUse('surveys', `or unlink the survey "${survey}" before deleting the flag`);
}

function idsOf(linked: readonly { id: number }[]): string {
  return `ID: ${linked.map(({ id }) => id).join(', ')}`;
}

function flagInUse(subject: string, advice: string): InvalidInput {
  return new InvalidInput(
    `Cannot delete a feature flag that is in use with ${subject}. Please delete ${advice}.`,
    'deleted',
  );
}

/** Refuses to make a flag of an early access feature group-based, because persons enroll, not groups. @throws InvalidInput */
export async function checkStaysPersonBased(
  { earlyAccess }: BoundFlagStores,
  flag: FeatureFlag,
  filters: FlagFilters,
): Promise<void> {
  if ((filters.aggregation_group_type_index ?? null) === null) return;
  if ((await earlyAccess.findNameByFlag(flag.projectId, flag.id)) === undefined) return;
  throw new InvalidInput(
    'Cannot change this flag to a group-based when linked to an Early Access Feature.',
    'filters__aggregation_group_type_index',
  );
}
