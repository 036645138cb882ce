/** Determines the status of a flag: whether it still makes a difference. */
import type { FeatureFlag } from './feature-flags.store.ts';
import { variantsOf, type ConditionSet, type FlagFilters } from './filters.ts';

export const STATUSES = ['active', 'inactive', 'stale', 'deleted'] as const;
export type FlagStatus = { status: (typeof STATUSES)[number]; reason: string };

/** Age before which a fully rolled out flag is not stale. */
const STALE_AFTER_MS = 30 * 86_400_000;

/** @param now milliseconds since 1970 */
export function statusOf({ filters, ...flag }: FeatureFlag, now: number): FlagStatus {
  if (flag.deleted) return { status: 'deleted', reason: 'Flag has been deleted' };
  if (!flag.active) return { status: 'inactive', reason: 'Flag is disabled' };
  const same = sameForEverybody(filters);
  if (same === undefined) return { status: 'active', reason: explainDifference(filters) };
  if (Date.parse(flag.createdAt) < now - STALE_AFTER_MS) return { status: 'stale', reason: same };
  return { status: 'active', reason: `${same}, and is stale 30 days after it was made` };
}

/**
 * Follows the same rule as the SQL of `list.store.ts`.
 * @returns a sentence with the answer for everybody; undefined if the answer depends on the evaluation context
 */
function sameForEverybody(filters: FlagFilters): string | undefined {
  if (hasExceptions(filters) || !reachesEverybody(filters)) return undefined;
  const variants = variantsOf(filters);
  if (variants.length === 0) return 'This boolean flag will always evaluate to "true"';
  const whole = variants.find(({ rollout_percentage }) => rollout_percentage === 100)?.key;
  const reached = filters.groups.slice(0, filters.groups.findIndex(matchesEverybody) + 1);
  const [key, ...others] = new Set(reached.map(({ variant }) => variant || whole));
  return key === undefined || others.length > 0 ? undefined : `This flag will always use the variant "${key}"`;
}

/** Whether enrollment or a holdout decides for some persons before the condition sets do. */
function hasExceptions({ feature_enrollment, super_groups, holdout, holdout_groups }: FlagFilters): boolean {
  return Boolean(feature_enrollment || super_groups?.length || holdout || holdout_groups?.length);
}

function explainDifference(filters: FlagFilters): string {
  if (hasExceptions(filters))
    return 'Enrollment or a holdout decides for some persons, and condition sets for the others';
  if (filters.groups.every(({ rollout_percentage }) => rollout_percentage === 0)) {
    return 'Nobody gets this flag: all condition sets are at 0 percent';
  }
  if (reachesEverybody(filters)) return 'Everybody gets this flag, in different variants';
  return 'Flag is not fully rolled out and may still be active';
}

/** Whether some condition set matches everybody. With an early exit only the first one counts, because it may end the evaluation. */
function reachesEverybody({ groups: sets, early_exit }: FlagFilters): boolean {
  return (early_exit ? sets.slice(0, 1) : sets).some(matchesEverybody);
}

function matchesEverybody({ properties, rollout_percentage }: ConditionSet): boolean {
  return (properties ?? []).length === 0 && (rollout_percentage ?? 100) === 100;
}
