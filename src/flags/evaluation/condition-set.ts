/** Compiles a condition set of a flag: filters that must all match, and the percentage of matches that the flag is on for. */
import { compileFilter, isCohortFilter, malformedTest, type CompileOptions } from './filter-test.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldAt, integerOf, isFields, percentageOf } from '../../conditions/operators/stored-json.ts';
import { allOf, type Test } from './verdict.ts';

export type ConditionSet = {
  /** Index of the set's group type; undefined: the set is about persons. */
  readonly group: number | undefined;
  readonly matches: Test;
  readonly percentage: number;
  /** Variant for all matches; if undefined, the hash selects the variant. */
  readonly variant: string | undefined;
};

/** @param flagGroup the flag's group type, for sets that name none; a set with null is about persons */
export function compileConditionSet(
  json: Json,
  flagGroup: number | undefined,
  variantKeys: ReadonlySet<string>,
  options: Omit<CompileOptions, 'group'>,
): ConditionSet {
  if (!isFields(json))
    return { group: flagGroup, matches: malformedTest(options), percentage: 100, variant: undefined };
  const ownGroup = fieldAt(json, 'aggregation_group_type_index');
  const group = ownGroup === undefined ? flagGroup : integerOf(ownGroup);
  const variant = fieldAt(json, 'variant');
  const percentage = percentageOf(fieldAt(json, 'rollout_percentage'), 100);
  if (Number.isNaN(percentage)) malformedTest(options);
  return {
    group,
    matches: compileFilters(fieldAt(json, 'properties'), { ...options, group }),
    percentage,
    variant: typeof variant === 'string' && variantKeys.has(variant) ? variant : undefined,
  };
}

function compileFilters(json: Json | undefined, options: CompileOptions): Test {
  if (json !== undefined && json !== null && !Array.isArray(json)) return malformedTest(options);
  const filters = elementsOf(json ?? []);
  const inOrder = [...filters.filter((filter) => !isCohortFilter(filter)), ...filters.filter(isCohortFilter)];
  return allOf(inOrder.map((filter) => compileFilter(filter, options)));
}
