/** The part of a flag that its experiment determines: who takes part, the compared variants, and the holdout. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';
import { variantsOf, type FlagFilters, type Variant } from '../../feature-flags/filters.ts';
import type { Holdout } from './holdouts.store.ts';

/** The variant that the others are compared with. */
export const CONTROL = 'control';
const MAX_VARIANTS = 10;

const DEFAULT_VARIANTS: readonly Variant[] = [
  { key: CONTROL, name: 'Control Group', rollout_percentage: 50 },
  { key: 'test', name: 'Test Variant', rollout_percentage: 50 },
];

/** Parameters of an experiment about its flag. Absent ones keep their values, or get defaults in a new flag. */
export type Arrangement = {
  feature_flag_variants?: readonly Variant[] | null;
  aggregation_group_type_index?: number | null;
  rollout_percentage?: number | null;
};

/** Filters of a new flag. @throws InvalidInput for unsuitable variants */
export function newFilters(arrangement: Arrangement): FlagFilters {
  const { feature_flag_variants: variants, aggregation_group_type_index: index, rollout_percentage } = arrangement;
  return {
    groups: [{ properties: [], rollout_percentage: rollout_percentage ?? 100 }],
    multivariate: { variants: checkVariants(variants?.length ? variants : DEFAULT_VARIANTS) },
    aggregation_group_type_index: index ?? null,
    payloads: {},
  };
}

/** Changes the filters of a flag whose experiment is still a draft. @throws InvalidInput for unsuitable variants */
export function applyArrangement(filters: FlagFilters, arrangement: Arrangement): FlagFilters {
  const { feature_flag_variants: variants, aggregation_group_type_index: index, rollout_percentage } = arrangement;
  return {
    ...filters,
    ...(variants?.length && { multivariate: { variants: checkVariants(variants) } }),
    ...(index !== undefined && { aggregation_group_type_index: index }),
    ...(typeof rollout_percentage === 'number' && { groups: withRollout(filters, rollout_percentage) }),
  };
}

function withRollout({ groups }: FlagFilters, rollout_percentage: number): FlagFilters['groups'] {
  if (groups[0]?.rollout_percentage === rollout_percentage) return groups;
  if (groups.length === 1) return [{ ...groups[0], rollout_percentage }];
  throw new InvalidInput('The flag has several condition sets: set their percentages there.', 'parameters');
}

/** @throws InvalidInput for variants that are unsuitable for an experiment */
export function checkVariants(variants: readonly Variant[]): Variant[] {
  if (variants.length > MAX_VARIANTS)
    throw arrangementError(`Feature flag variants must be less than ${MAX_VARIANTS + 1}`);
  if (variants.length < 2) {
    throw arrangementError('Feature flag must have at least 2 variants (control and at least one test variant)');
  }
  if (!variants.some(({ key }) => key === CONTROL)) {
    throw arrangementError('Feature flag variants must contain a control variant');
  }
  if (variants.some(({ key }) => key.startsWith(HOLDOUT_PREFIX))) {
    throw arrangementError(`The keys of variants must not begin with ${HOLDOUT_PREFIX}`);
  }
  return [...variants];
}

function arrangementError(detail: string): InvalidInput {
  return new InvalidInput(detail, 'parameters');
}

/**
 * Refuses to change the participants or variants of a launched experiment, because earlier and later measurements would not compare.
 * @param advice appended to the error's detail
 * @throws InvalidInput naming the parameter that would change
 */
export function checkArrangementUnchanged(filters: FlagFilters, arrangement: Arrangement, advice = ''): void {
  const current = arrangementOf(filters);
  for (const name of Object.keys(current) as (keyof Arrangement)[]) {
    const given = arrangement[name];
    if (given === undefined || isDeepStrictEqual(withoutNames(given), withoutNames(current[name]))) continue;
    throw arrangementError(`Can't update ${name} on Experiment${advice}`);
  }
}

/** Drops the names of variants, which may change at any time. */
function withoutNames(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? null;
  return (value as readonly Variant[]).map(({ key, rollout_percentage }) => ({ key, rollout_percentage }));
}

/** Arrangement of a flag, in the form of an experiment's parameters. */
export function arrangementOf(filters: FlagFilters): Required<Arrangement> {
  return {
    feature_flag_variants: variantsOf(filters),
    aggregation_group_type_index: filters.aggregation_group_type_index ?? null,
    rollout_percentage: filters.groups[0]?.rollout_percentage ?? 100,
  };
}

const HOLDOUT_PREFIX = 'holdout-';

/** The value of the flag for persons who are held out. */
export function holdoutVariant(id: number): string {
  return `${HOLDOUT_PREFIX}${id}`;
}

/** @param holdout undefined removes the current one */
export function withHoldout(filters: FlagFilters, holdout: Holdout | undefined): FlagFilters {
  const { holdout: _before, holdout_groups: _older, ...others } = filters;
  if (!holdout) return others;
  return { ...others, holdout: { id: holdout.id, exclusion_percentage: holdout.exclusion_percentage } };
}
