/** Compiles one filter of a condition set or of a cohort into a test of the evaluation context. */
import { UNAVAILABLE, type EvaluationContext, type FoundProperty } from './context.ts';
import type { FailureCode } from './decision.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { findOperator } from '../../conditions/operators/operator-table.ts';
import { prepareCondition, type ConditionContext, type PropertyTest } from '../../conditions/operators/operators.ts';
import type { Reads } from './reads.ts';
import { fieldAt, fieldsOf, integerOf, isFields, type Fields } from '../../conditions/operators/stored-json.ts';
import { negationOf, neverTrue, type Test } from './verdict.ts';
import { type Verdict } from './decision.ts';

export type CompileOptions = {
  readonly context: ConditionContext;
  /** Index of the group type of the condition set; undefined: the set is about persons. */
  readonly group: number | undefined;
  readonly isInCohort: (id: number) => Test;
  /** Index of the flag with this id, or with this key in definitions for SDKs. Absent where filters cannot depend on flags. */
  readonly findFlagIndex: ((name: string) => number | undefined) | undefined;
  /** Receives the data that the filter reads. */
  readonly reads: Reads;
};

/** Returns a test that never matches for a malformed filter, so the other condition sets and flags are still decided. */
export function compileFilter(json: Json, options: CompileOptions): Test {
  if (!isFields(json)) return malformedTest(options);
  const type = fieldAt(json, 'type');
  if (type === 'cohort') return compileMembership(json, options);
  if (type === 'flag') return compileDependency(json, options);
  return compileProperty(json, options);
}

export function malformedTest({ reads }: Pick<CompileOptions, 'reads'>): Test {
  reads.isMalformed = true;
  return neverTrue;
}

/** Whether the filter tests a cohort; such filters are tested last, because they cost the most. */
export function isCohortFilter(json: Json): boolean {
  return fieldsOf(json)['type'] === 'cohort';
}

function compileProperty(filter: Fields, options: CompileOptions): Test {
  const key = fieldAt(filter, 'key');
  const lookUp = typeof key === 'string' ? compileLookUp(key, filter, options) : undefined;
  const operator = findOperator(operatorOf(filter));
  if (!lookUp || !operator) return malformedTest(options);
  const test = prepareCondition({ operator, value: fieldAt(filter, 'value') }, options.context);
  const answer = operator.endsWith('regex') ? slowTest(test) : fastTest(test);
  return (context) => {
    const found = lookUp(context);
    if (found === UNAVAILABLE) return 'database_error';
    context.readings.spend(1);
    return answer(found, context);
  };
}

type ContextTest = (found: Json | undefined, context: EvaluationContext) => Verdict;

function fastTest(test: PropertyTest): ContextTest {
  return (found, { now, readings }) => test(found, now, readings);
}

/** Test of a regular expression, which may be slow. Looks at the clock before each search; the first one also compiles the pattern. */
function slowTest(test: PropertyTest): ContextTest {
  let isCompiled = false;
  return (found, context) => {
    if (context.isLate()) return 'timeout';
    const { now, readings } = context;
    if (isCompiled) return test(found, now, readings);
    isCompiled = found !== undefined;
    return context.runUncharged(() => test(found, now, readings));
  };
}

/** Returns null if no operator is given, and '', which no operator is called, for a value that is not text. */
function operatorOf(filter: Fields): string | null {
  const operator = fieldAt(filter, 'operator') ?? null;
  return typeof operator === 'string' || operator === null ? operator : '';
}

function compileLookUp(
  key: string,
  filter: Fields,
  { group, reads }: CompileOptions,
): ((context: EvaluationContext) => FoundProperty) | undefined {
  // Old filters have no type; the condition set implies it.
  const type = fieldAt(filter, 'type') ?? (group === undefined ? 'person' : 'group');
  if (type === 'person') {
    reads.person.push(key);
    return (context) => context.personProperty(key);
  }
  if (type === 'person_metadata') {
    reads.metadata = true;
    return (context) => context.personMetadata(key);
  }
  if (type !== 'group') return undefined;
  const index = integerOf(fieldAt(filter, 'group_type_index')) ?? group;
  if (index === undefined) return () => undefined;
  reads.groups.push({ index, key });
  return (context) => context.groupProperty(index, key);
}

function compileMembership(filter: Fields, { isInCohort, reads }: CompileOptions): Test {
  const id = integerOf(fieldAt(filter, 'value'));
  if (id === undefined) return () => 'cohort_filters_parsing_error';
  reads.cohorts.push(id);
  const operator = operatorOf(filter);
  // SDKs write `exact` for `in`.
  if (operator === null || operator === 'in' || operator === 'exact') return isInCohort(id);
  return operator === 'not_in' ? negationOf(isInCohort(id)) : neverTrue;
}

function compileDependency(filter: Fields, options: CompileOptions): Test {
  const { findFlagIndex, reads } = options;
  const key = fieldAt(filter, 'key');
  const name = typeof key === 'string' ? key : integerOf(key)?.toString();
  if (!findFlagIndex || name === undefined) return malformedTest(options);
  reads.flags.push(name);
  const index = findFlagIndex(name);
  const filterValue = fieldAt(filter, 'value');
  if (index === undefined || operatorOf(filter) !== 'flag_evaluates_to') return neverTrue;
  return (context) => {
    const decision = context.decisions.get(index);
    // A failed decision has the reason as its code.
    if (decision?.failed) return decision.reason.code as FailureCode;
    if (typeof filterValue === 'boolean') return filterValue === (decision?.enabled ?? false);
    return typeof filterValue === 'string' && decision?.variant === filterValue;
  };
}
