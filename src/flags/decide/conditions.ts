/** Conditions that `detailed_analysis=true` adds to the details of a flag. */
import type { Decision } from '../evaluation/decision.ts';
import type { FlagDefinition } from '../evaluation/definitions.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldAt, fieldsOf, percentageOf } from '../../conditions/operators/stored-json.ts';

/** A condition set, in stored order. */
export type AnalysedCondition = {
  index: number;
  rollout_percentage: number;
  variant: Json;
  /** Whether this condition set decided the flag. */
  matched: boolean;
};

/** Leaves out the filters of the condition sets: they may contain personal data, and the answer is public. */
export function conditionsOf({ filters }: FlagDefinition, { reason }: Decision): AnalysedCondition[] {
  const decidingIndex = reason.code === 'condition_match' ? reason.conditionIndex : null;
  return elementsOf(fieldAt(fieldsOf(filters), 'groups')).map((set, index) => ({
    index,
    rollout_percentage: percentageOf(fieldAt(fieldsOf(set), 'rollout_percentage'), 100),
    variant: fieldAt(fieldsOf(set), 'variant') ?? null,
    matched: index === decidingIndex,
  }));
}
