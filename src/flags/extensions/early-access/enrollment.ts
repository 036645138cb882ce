/** Stages of an early access feature, and their effect on its flag. */
import { InvalidInput } from '../../../platform/errors.ts';
import { variantsOf, type FlagFilters } from '../../feature-flags/filters.ts';

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

const RELEASED: readonly Stage[] = ['alpha', 'beta', 'general-availability'];

/** Whether people may enroll; the flag then follows their choice. */
export function isReleased(stage: Stage): boolean {
  return RELEASED.includes(stage);
}

/**
 * Returns the filters with enrollment or without. `feature_enrollment` is used because it is the form that survives a change of the flag's
 * key, and the only one that an SDK evaluates itself (posthog-python; posthog-node knows neither, and none knows `super_groups`).
 */
export function withEnrollment(filters: FlagFilters, released: boolean): FlagFilters {
  const { super_groups: _legacy, feature_enrollment: _present, ...others } = filters;
  return released ? { ...others, feature_enrollment: true } : others;
}

/** @throws InvalidInput for a flag whose value people cannot choose: one of groups, or with variants */
export function refuseUnfit(filters: FlagFilters): void {
  const ofGroups = [filters, ...filters.groups].some((one) => (one.aggregation_group_type_index ?? null) !== null);
  if (ofGroups) {
    throw new InvalidInput('Group-based feature flags are not supported for Early Access Features.', 'feature_flag_id');
  }
  if (variantsOf(filters).length > 0) {
    throw new InvalidInput(
      'Multivariate feature flags are not supported for Early Access Features.',
      'feature_flag_id',
    );
  }
}
