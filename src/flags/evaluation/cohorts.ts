/** Compiles cohorts into tests of membership, by their lists or filters. Each cohort is evaluated once per request. */
import type { EvaluationContext } from './context.ts';
import type { FailureCode } from './decision.ts';
import type { CohortDefinition } from './definitions.ts';
import { sortByDependencies, visitInOrder } from './dependency-order.ts';
import { compileFilter, type CompileOptions } from './filter-test.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import type { ConditionContext } from '../../conditions/operators/operators.ts';
import { createReads, type Reads } from './reads.ts';
import { elementsOf, fieldAt, fieldsOf, isFields } from '../../conditions/operators/stored-json.ts';
import { allOf, alwaysTrue, anyOf, negationOf, neverTrue, type Test } from './verdict.ts';
import { type Verdict } from './decision.ts';

/** Depth of nested groups beyond which a cohort never matches; deeper than any request to create one can be. */
const MAX_DEPTH = 200;

export type Cohorts = {
  isInCohort: (id: number) => Test;
  /** Finds a cohort's own reads, without those of the cohorts that it references. */
  find: (id: number) => Pick<Cohort, 'reads' | 'isStatic'> | undefined;
};

type Cohort = {
  readonly isStatic: boolean;
  readonly reads: Reads;
  readonly test: Test;
  /** Indexes of the cohorts that it references. */
  dependencies: readonly number[];
  /** Reason why the cohort can never be evaluated. */
  failure: FailureCode | undefined;
};

export function compileCohorts(definitions: readonly CohortDefinition[], context: ConditionContext): Cohorts {
  const indexes = new Map(definitions.map(({ id }, index) => [id, index]));
  const isIn = (id: number): Test => {
    const index = indexes.get(id);
    return index === undefined
      ? () => 'dependency_not_found_cohort'
      : (context) => evaluateCohort(context, index, cohorts);
  };
  const cohorts = definitions.map((definition) => compileCohort(definition, { context, isInCohort: isIn }));
  linkCohorts(cohorts, indexes);
  return {
    isInCohort: isIn,
    find: (id) => cohorts[indexes.get(id) ?? -1],
  };
}

function evaluateCohort(context: EvaluationContext, index: number, cohorts: readonly Cohort[]): Verdict {
  const { failure } = cohorts[index]!;
  if (failure) return failure;
  visitInOrder(
    index,
    (id) => cohorts[id]!.dependencies,
    (id) => context.cohorts.has(id),
    (id) => context.cohorts.set(id, context.isLate() ? 'timeout' : cohorts[id]!.test(context)),
  );
  return context.cohorts.get(index)!;
}

/** Links cohorts to the cohorts that they reference. As at upstream, a cohort fails if one of these fails, even if others would decide it. */
function linkCohorts(cohorts: readonly Cohort[], indexes: ReadonlyMap<number, number>): void {
  for (const cohort of cohorts) {
    const found = [...new Set(cohort.reads.cohorts)].map((id) => indexes.get(id));
    cohort.dependencies = found.filter((index) => index !== undefined);
    if (cohort.dependencies.length < found.length) cohort.failure = 'dependency_not_found_cohort';
  }
  const { ordered, cyclic } = sortByDependencies(cohorts.length, (index) => cohorts[index]!.dependencies);
  for (const index of cyclic) cohorts[index]!.failure = 'dependency_cycle_cohort';
  for (const index of ordered) {
    const cohort = cohorts[index]!;
    cohort.failure ??= cohort.dependencies.map((id) => cohorts[id]!.failure).find((failure) => failure !== undefined);
  }
}

function compileCohort(definition: CohortDefinition, options: Pick<CompileOptions, 'context' | 'isInCohort'>): Cohort {
  const reads = createReads();
  const cohort = { isStatic: definition.isStatic, reads, dependencies: [], failure: undefined };
  if (definition.isStatic) return { ...cohort, test: (context) => context.isInStaticCohort(definition.id) };
  const group = fieldAt(fieldsOf(definition.filters), 'properties');
  const filterOptions = { ...options, reads, group: undefined, findFlagIndex: undefined };
  return { ...cohort, test: isFields(group) ? compileGroup(group, filterOptions, 0) : neverTrue };
}

/** `{}` and an empty AND match everyone; an empty OR matches nobody. */
function compileGroup(json: Json, options: CompileOptions, depth: number): Test {
  const group = fieldsOf(json);
  if (Object.keys(group).length === 0) return alwaysTrue;
  const type = fieldAt(group, 'type');
  const values = fieldAt(group, 'values') ?? [];
  if (!Array.isArray(values) || depth > MAX_DEPTH) return neverTrue;
  const tests = elementsOf(values).map((value) => compileMember(value, options, depth + 1));
  if (type === 'OR') return anyOf(tests);
  return type === 'AND' || type === 'property' ? allOf(tests) : neverTrue;
}

function compileMember(json: Json, options: CompileOptions, depth: number): Test {
  if (!isFields(json)) return neverTrue;
  if (Object.hasOwn(json, 'values') || Object.keys(json).length === 0) return compileGroup(json, options, depth);
  const test = compileFilter(json, options);
  return fieldAt(json, 'negation') === true ? negationOf(test) : test;
}
