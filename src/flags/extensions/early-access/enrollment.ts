/** Stages of an early access feature, and their effect on its flag. */
import { InvalidInput } from '../../../platform/errors.ts';
import { variantsOf, type FlagFilters } from '../../feature-flags/filters.ts';

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

const RELEASED: readonly Stage[] = ['alpha', 'beta', 'general-availability'];

/** Whether persons may enroll in this stage, so the flag follows their choice. */
export function isReleased(stage: Stage): boolean {
  return RELEASED.includes(stage);
}

/**
 * Returns the filters with or without enrollment. Uses `feature_enrollment` rather than `super_groups`, because it survives a change of the
 * flag's key, and posthog-python evaluates it locally (posthog-node does not, and no SDK evaluates `super_groups`).
 */
export function withEnrollment(filters: FlagFilters, released: boolean): FlagFilters {
  const { super_groups: _legacy, feature_enrollment: _present, ...others } = filters;
  return released ? { ...others, feature_enrollment: true } : others;
}

/** @throws InvalidInput for a flag that persons cannot enroll in: one about groups, or with variants */
export function checkCanEnroll(filters: FlagFilters): void {
  const isGroupBased = [filters, ...filters.groups].some((set) => (set.aggregation_group_type_index ?? null) !== null);
  if (isGroupBased) {
    throw new InvalidInput('Group-based feature flags are not supported for Early Access Features.', 'feature_flag_id');
  }
  if (variantsOf(filters).length > 0) {
    throw new InvalidInput(
      'Multivariate feature flags are not supported for Early Access Features.',
      'feature_flag_id',
    );
  }
}
