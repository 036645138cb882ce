/**
 * Three-valued logic of conditions. A condition is unknown if a fact could not be read or a cohort does not exist; the others may still
 * decide: `allOf` is false if any condition is false.
 */
import type { EvaluationContext } from './context.ts';
import type { FailureCode, Verdict } from './decision.ts';

export type Test = (context: EvaluationContext) => Verdict;

export const alwaysTrue: Test = () => true;
export const neverTrue: Test = () => false;

export function allOf(tests: readonly Test[]): Test {
  if (tests.length <= 1) return tests[0] ?? alwaysTrue;
  return (context) => findDecisive(tests, context, false);
}

export function anyOf(tests: readonly Test[]): Test {
  if (tests.length <= 1) return tests[0] ?? neverTrue;
  return (context) => findDecisive(tests, context, true);
}

/** @param decisive the verdict with which a single test decides the whole */
function findDecisive(tests: readonly Test[], context: EvaluationContext, decisive: boolean): Verdict {
  let unknown: FailureCode | undefined;
  for (const test of tests) {
    const verdict = test(context);
    if (verdict === decisive) return decisive;
    if (typeof verdict === 'string') unknown ??= verdict;
  }
  return unknown ?? !decisive;
}

export function negationOf(test: Test): Test {
  return (context) => {
    const verdict = test(context);
    return typeof verdict === 'boolean' ? !verdict : verdict;
  };
}
