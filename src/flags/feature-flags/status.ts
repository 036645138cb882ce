/** Whether a flag still decides anything. */
import type { FeatureFlag } from './feature-flags.store.ts';
import { variantsOf, type ConditionSet } from './filters.ts';

export const STATUSES = ['active', 'inactive', 'stale', 'deleted'] as const;
export type FlagStatus = { status: (typeof STATUSES)[number]; reason: string };

/** As long as people may still want to look at what it did. */
const STALE_AFTER_MS = 30 * 86_400_000;

/** @param now milliseconds since 1970 */
export function statusOf(flag: FeatureFlag, now: number): FlagStatus {
  if (flag.deleted) return { status: 'deleted', reason: 'Flag has been deleted' };
  if (!flag.active) return { status: 'inactive', reason: 'Flag is disabled' };
  const same = sameForEverybody(flag);
  if (same !== undefined && Date.parse(flag.createdAt) < now - STALE_AFTER_MS) return { status: 'stale', reason: same };
  return { status: 'active', reason: 'Flag is not fully rolled out and may still be active' };
}

/** @returns what everybody gets, in a sentence; undefined when it may depend on who asks */
function sameForEverybody({ filters }: FeatureFlag): string | undefined {
  const sets = filters.groups.filter(takesEverybody);
  if (sets.length === 0) return undefined;
  const variants = variantsOf(filters);
  if (variants.length === 0) return 'This boolean flag will always evaluate to "true"';
  const key = sets.find(({ variant }) => variant)?.variant ?? variants.find(isWhole)?.key;
  return key === undefined ? undefined : `This flag will always use the variant "${key}"`;
}

function takesEverybody({ properties, rollout_percentage }: ConditionSet): boolean {
  return (properties ?? []).length === 0 && (rollout_percentage ?? 100) === 100;
}

function isWhole({ rollout_percentage }: { rollout_percentage: number }): boolean {
  return rollout_percentage === 100;
}
