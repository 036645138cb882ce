/** Creates or adopts the flag of an experiment, and changes it with the experiment. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput, NotFound } from '../../../platform/errors.ts';
import type { Project } from '../../../platform/http/access.ts';
import { changeFlag, createFlag, ensureMayEdit, type EntitledAuthor } from '../../feature-flags.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import { variantsOf, type FlagFilters } from '../../feature-flags/filters.ts';
import type { BoundFlagStores } from '../../stores.ts';
import type { GivenFields } from './experiment-fields.ts';
import type { Experiment } from './experiments.store.ts';
import type { Holdout } from './holdouts.store.ts';
import { phaseOf, UNSCHEDULE_ADVICE } from './phases.ts';
import {
  checkVariants,
  newFilters,
  applyArrangement,
  checkArrangementUnchanged,
  withHoldout,
  type Arrangement,
} from './variants.ts';

type WantedFlag = Pick<Experiment, 'name' | 'start_date'> & {
  key: string;
  arrangement: Arrangement;
  holdout: Holdout | undefined;
};

/** Creates the flag, or adopts the existing one with the key, whose condition sets and variants stay. */
export async function createOrAdoptFlag(
  tx: BoundFlagStores,
  project: Project,
  author: EntitledAuthor,
  wanted: WantedFlag,
): Promise<FeatureFlag> {
  const { key, arrangement, holdout, start_date: start } = wanted;
  const existing = await tx.flags.findByKey(project.id, key);
  if (!existing) {
    const name = `Feature Flag for Experiment ${wanted.name}`;
    const filters = withHoldout(newFilters(arrangement), holdout);
    return withExperimentErrors(createFlag(tx, project, author, { key, name, filters, active: start !== null }));
  }
  ensureMayEdit(author, existing);
  await checkNoOtherOpenExperiment(tx, existing);
  checkEligible(existing);
  checkArrangementUnchanged(existing.filters, arrangement);
  const filters = changeOfFilters(existing, withHoldout(existing.filters, holdout));
  return withExperimentErrors(
    changeFlag(tx, project, author, existing.id, { ...filters, ...(start && { active: true }) }),
  );
}

/**
 * Checks that the flag has no other open experiment, because both would count the same exposures.
 * @param current the changed experiment; absent for a new one
 * @throws InvalidInput if another experiment of the flag has not ended
 */
export async function checkNoOtherOpenExperiment(
  { experiments: store }: BoundFlagStores,
  flag: Pick<FeatureFlag, 'projectId' | 'id'>,
  current?: Experiment,
): Promise<void> {
  const linkedExperiments = await store.listByFlag(flag.projectId, flag.id);
  const openExperiment = linkedExperiments.find((other) => other.id !== current?.id && phaseOf(other) !== 'stopped');
  if (!openExperiment) return;
  throw new InvalidInput(
    `The flag is used by another experiment (ID: ${openExperiment.id}) that has not ended.`,
    'feature_flag_key',
  );
}

/** @throws InvalidInput if the flag is deleted or lacks variants, both of which can happen while no experiment is open */
export function checkEligible({ filters, deleted }: Pick<FeatureFlag, 'filters' | 'deleted'>): void {
  if (deleted) throw new InvalidInput('The feature flag is deleted: restore it first.', 'feature_flag_key');
  try {
    checkVariants(variantsOf(filters));
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`Feature flag is not eligible for experiments: ${error.message}`, 'feature_flag_key');
  }
}

/** Returns the filters only if they change, because stored filters may no longer pass today's checks. */
export function changeOfFilters({ filters: before }: FeatureFlag, filters: FlagFilters): { filters?: FlagFilters } {
  return isDeepStrictEqual(before, filters) ? {} : { filters };
}

/** @returns the flag's filters after a change to its experiment */
export async function filtersAfterChange(
  tx: BoundFlagStores,
  current: Experiment,
  flag: FeatureFlag,
  { wanted, arrangement }: { wanted: GivenFields & { deleted?: boolean }; arrangement: Arrangement },
): Promise<FlagFilters> {
  const phase = phaseOf(current);
  const isDraft = phase === 'draft';
  const advice = phase === 'scheduled' ? `. ${UNSCHEDULE_ADVICE}` : '';
  if (!isDraft) checkArrangementUnchanged(flag.filters, arrangement, advice);
  const filters = isDraft ? applyArrangement(flag.filters, arrangement) : flag.filters;
  if (wanted.holdout_id === undefined || wanted.holdout_id === current.holdout_id) return filters;
  if (!isDraft && !wanted.deleted) {
    throw new InvalidInput(`Can't update holdout on ${phase} Experiment${advice}`, 'holdout_id');
  }
  return withHoldout(filters, await getHoldout(tx, current.project_id, wanted.holdout_id));
}

export async function getHoldout(
  { holdouts }: BoundFlagStores,
  projectId: number,
  id: number | null,
): Promise<Holdout | undefined> {
  if (id === null) return undefined;
  return holdouts.get(projectId, id).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new InvalidInput(`Invalid pk "${id}" - object does not exist.`, 'holdout_id', 'does_not_exist');
  });
}

/** Rethrows errors about the flag with the field names of the experiment. */
export async function withExperimentErrors(flag: Promise<FeatureFlag>): Promise<FeatureFlag> {
  return flag.catch((error: unknown) => {
    if (!(error instanceof InvalidInput)) throw error;
    const attr =
      error.attr === 'key' ? 'feature_flag_key' : error.attr?.startsWith('filters') ? 'parameters' : error.attr;
    throw new InvalidInput(error.message, attr, error.code);
  });
}
