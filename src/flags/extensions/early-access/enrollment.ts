/** The stages of an early access feature, and what they make of its flag. */
import { InvalidInput } from '../../../platform/errors.ts';
import { variantsOf, type FlagFilters } from '../../feature-flags/filters.ts';

export const STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const;
export type Stage = (typeof STAGES)[number];

const RELEASED: readonly Stage[] = ['alpha', 'beta', 'general-availability'];

/** Whether people may enroll: the flag then does as they said. */
export function isReleased(stage: Stage): boolean {
  return RELEASED.includes(stage);
}

/**
 * The flag's filters with enrollment or without. Written as `feature_enrollment`: of the two forms it is the one that a flag keeps when its
 * key changes, and the only one that an SDK evaluates by itself (posthog-python; posthog-node knows neither, and none knows `super_groups`).
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
