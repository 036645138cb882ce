/** Decides a flag by its condition sets: the first match wins; without one, the highest-ranked miss is the reason. */
import { MISS, type Answers, type Miss } from './answers.ts';
import type { EvaluationContext } from './context.ts';
import type { ConditionSet } from './condition-set.ts';
import type { Decision, SetTrace, Trace } from './decision.ts';
import type { Placement } from './placement.ts';

type Flag = {
  readonly sets: readonly ConditionSet[];
  readonly placement: Placement;
  readonly answers: Answers;
  /** Whether a match outside of the set's rollout ends the evaluation, so later sets are not tried. */
  readonly exitsEarly: boolean;
};

export function decideBySets(flag: Flag): (context: EvaluationContext, trace?: Trace) => Decision {
  const [set, second] = flag.sets;
  const isSimple = set && !second && set.group === undefined && !flag.placement.isByDevice;
  if (!isSimple) return (context, trace) => decideInOrder(flag, context, trace);
  return (context, trace) =>
    (trace ? undefined : decideBySingleSet(set, flag, context)) ?? decideInOrder(flag, context, trace);
}

/**
 * Same result as `decideInOrder` for the usual case, a single set about persons, at half the cost.
 * @returns undefined if a needed fact is unknown
 */
function decideBySingleSet(
  set: ConditionSet,
  { placement, answers }: Flag,
  context: EvaluationContext,
): Decision | undefined {
  const matches = set.matches(context);
  if (matches === false) return answers.missDecision(MISS.noConditionMatch, 0, false);
  if (matches !== true) return undefined;
  const isInRollout = placement.isInRollout(context, undefined, set.percentage);
  if (isInRollout === false) return answers.missDecision(MISS.outOfRolloutBound, 0, false);
  const variant = set.variant ?? placement.variantFor(context, undefined);
  return isInRollout === true && variant !== undefined ? answers.matchDecision(0, variant) : undefined;
}

function decideInOrder(flag: Flag, context: EvaluationContext, trace: Trace | undefined): Decision {
  const progress = new SetProgress(flag.answers, trace);
  for (let index = 0; index < flag.sets.length; index++) {
    const isLate = index > 0 && context.isLateSampled();
    if (isLate) progress.traceSet(index, 'timeout');
    const decision = isLate ? flag.answers.failureDecision('timeout') : trySet(flag, index, context, progress);
    if (decision) return decision;
  }
  return progress.finishWithMiss();
}

/** @returns undefined if the next set must be tried */
function trySet(flag: Flag, index: number, context: EvaluationContext, progress: SetProgress): Decision | undefined {
  const { placement, answers, exitsEarly } = flag;
  const set = flag.sets[index]!;
  if (set.group !== undefined && context.groupKey(set.group) === undefined) return progress.skipGroup(index);
  if (set.group === undefined && placement.isByDevice && context.deviceId === '') {
    return progress.miss(MISS.noDevice, index);
  }
  const matches = set.matches(context);
  if (matches === false) return progress.miss(MISS.noConditionMatch, index);
  // Unread data may not matter for the outcome. Other failures are faults of the flag, so they end the evaluation.
  if (typeof matches === 'string' && matches !== 'database_error') {
    progress.traceSet(index, matches);
    return answers.failureDecision(matches);
  }
  const isInRollout = placement.isInRollout(context, set.group, set.percentage);
  if (progress.isTraced) progress.hash = placement.hashOf(context, set.group);
  if (isInRollout === false && matches === true) {
    progress.miss(MISS.outOfRolloutBound, index);
    return exitsEarly ? progress.finishWithMiss() : undefined;
  }
  if (isInRollout === false)
    return exitsEarly ? progress.assumeValue(false) : progress.miss(MISS.noConditionMatch, index);
  const variant = set.variant ?? placement.variantFor(context, set.group);
  const isMatch = matches === true && isInRollout === true;
  progress.traceSet(index, isMatch && variant !== undefined ? 'condition_match' : 'database_error');
  if (variant === undefined) return answers.failureDecision('database_error');
  if (isMatch) return progress.finish(answers.matchDecision(index, variant));
  return (
    progress.assumeValue(variant) ?? (exitsEarly && isInRollout !== true ? progress.assumeValue(false) : undefined)
  );
}

/** A flag's value: false, a variant, or null for a flag that is on without variants. */
type Value = string | null | false;

const MISS_REASONS = ['no_group_type', 'no_condition_match', 'out_of_rollout_bound', 'no_device'] as const;

/** Progress through the condition sets of one flag: misses and assumptions so far. */
class SetProgress {
  readonly #answers: Answers;
  readonly #trace: Trace | undefined;
  /** Hash of the subject for the set that is being tried, for the trace. */
  hash: number | undefined;
  #miss: Miss = MISS.noGroupType;
  #index: number | undefined;
  #hasSkippedGroup = false;
  /** The flag's value in case the sets with an unknown outcome match; undefined without such sets. */
  #assumedValue: Value | undefined;

  constructor(answers: Answers, trace: Trace | undefined) {
    this.#answers = answers;
    this.#trace = trace;
  }

  get isTraced(): boolean {
    return this.#trace !== undefined;
  }

  traceSet(index: number, reason: SetTrace['reason']): void {
    this.#trace?.sets.push({ index, reason, hash: this.hash });
    this.hash = undefined;
  }

  /** Records a miss; among misses of the same rank the last one counts. */
  miss(miss: Miss, index: number): undefined {
    this.traceSet(index, MISS_REASONS[miss]);
    if (rankOf(miss) < rankOf(this.#miss)) return;
    this.#miss = miss;
    this.#index = index;
  }

  skipGroup(index: number): undefined {
    this.#hasSkippedGroup = true;
    this.miss(MISS.noGroupType, index);
  }

  /** Records a value that the flag may have because of unknown data. The flag is still decided if all possible values are the same. */
  assumeValue(value: Value): Decision | undefined {
    if (this.#assumedValue !== undefined && this.#assumedValue !== value)
      return this.#answers.failureDecision('database_error');
    this.#assumedValue = value;
    return undefined;
  }

  finish(decision: Decision): Decision {
    const value = decision.enabled ? decision.variant : false;
    return this.#assumedValue === undefined || this.#assumedValue === value
      ? decision
      : this.#answers.failureDecision('database_error');
  }

  finishWithMiss(): Decision {
    return this.finish(this.#answers.missDecision(this.#miss, this.#index, this.#hasSkippedGroup));
  }
}

/** A missing device ranks as a miss of the rollout, as upstream ranks it. */
function rankOf(miss: Miss): number {
  return Math.min(miss, MISS.outOfRolloutBound);
}
