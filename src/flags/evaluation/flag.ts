/** Compiles one flag: enrollment decides first, then the holdout, then the condition sets in stored order. */
import { answersOf, type Answers } from './answers.ts';
import type { EvaluationContext } from './context.ts';
import { compileConditionSet } from './condition-set.ts';
import { decideBySets } from './decide-by-sets.ts';
import type { Decision } from './decision.ts';
import type { FlagDefinition } from './definitions.ts';
import { compileEnrollment } from './enrollment.ts';
import type { CompileOptions } from './filter-test.ts';
import { compilePlacement } from './placement.ts';
import { createReads, type Reads } from './reads.ts';
import { elementsOf, fieldAt, fieldsOf, integerOf, isFields } from '../../conditions/operators/stored-json.ts';

export type CompiledFlag = {
  readonly definition: FlagDefinition;
  readonly reads: Reads;
  /** Experience continuity: the flag keeps the answer that a person got before `$identify`. */
  readonly isContinuous: boolean;
  /** Whether the answer depends on the hash of the id before `$identify`. */
  readonly needsContinuousId: boolean;
  /** Decides the flag; the context must have the decisions of the flags that it depends on. */
  readonly decide: (context: EvaluationContext) => Decision;
  readonly answers: Answers;
};

export function compileFlag(
  definition: FlagDefinition,
  options: Pick<CompileOptions, 'context' | 'isInCohort' | 'findFlagIndex'>,
): CompiledFlag {
  const filters = fieldsOf(definition.filters);
  const reads = createReads();
  const filterOptions = { ...options, reads };
  const group = integerOf(fieldAt(filters, 'aggregation_group_type_index'));
  const placement = compilePlacement(definition, filters, group);
  const enrollment = compileEnrollment(definition.key, filters, placement, filterOptions);
  const answers = answersOf(definition);
  const storedSets = fieldAt(filters, 'groups') ?? [];
  if (!isFields(definition.filters) || !Array.isArray(storedSets)) reads.isMalformed = true;
  const sets = elementsOf(storedSets).map((set) =>
    compileConditionSet(set, group, placement.variantKeys, filterOptions),
  );
  const decideSets = decideBySets({ sets, placement, answers, exitsEarly: fieldAt(filters, 'early_exit') === true });
  const usesHash =
    placement.variantKeys.size > 0 ||
    sets.some(({ percentage }) => percentage < 100) ||
    elementsOf(fieldAt(filters, 'super_groups')).length > 0;
  return {
    definition,
    reads,
    isContinuous: placement.isContinuous,
    needsContinuousId: placement.isContinuous && usesHash,
    answers,
    decide(context) {
      const enrollmentResult = enrollment?.(context);
      if (typeof enrollmentResult === 'string') return answers.failureDecision(enrollmentResult);
      if (enrollmentResult !== undefined) return answers.enrollmentDecision(enrollmentResult);
      const holdout = placement.holdoutOf?.(context);
      if (holdout !== undefined) return answers.holdoutDecision(holdout);
      const { trace } = context.request;
      return decideSets(context, trace?.key === definition.key ? trace : undefined);
    },
  };
}
