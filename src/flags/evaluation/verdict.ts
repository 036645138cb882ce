/**
 * Answers that may be unknown. A fact that could not be read, or a cohort that is not there, leaves a condition undecided; what
 * is known may decide all the same: of conditions that must all hold, one that does not is enough.
 */
import type { EvaluationContext } from './context.ts';
import type { FailureCode, Verdict } from './decision.ts';

export type Test = (context: EvaluationContext) => Verdict;

export const always: Test = () => true;
export const neverTrue: Test = () => false;

export function allOf(tests: readonly Test[]): Test {
  if (tests.length <= 1) return tests[0] ?? always;
  return (context) => firstOrUnknown(tests, context, false);
}

export function anyOf(tests: readonly Test[]): Test {
  if (tests.length <= 1) return tests[0] ?? neverTrue;
  return (context) => firstOrUnknown(tests, context, true);
}

/** @param decisive what any one test decides alone */
function firstOrUnknown(tests: readonly Test[], context: EvaluationContext, decisive: boolean): Verdict {
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
