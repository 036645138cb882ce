/** Compiles definitions: parses and checks them once, so decisions only compare values. */
import { EvaluationContext } from './context.ts';
import { compileCohorts } from './cohorts.ts';
import type { Decision, Evaluation, EvaluationRequest, Facts, Needs } from './decision.ts';
import type { Definitions } from './definitions.ts';
import { reachableFrom, visitInOrder } from './dependency-order.ts';
import { linkFlags } from './flag-links.ts';
import { compileFlag } from './flag.ts';
import { StepsSpent } from '../../conditions/operators/readings.ts';
import { isFlagForRequest, needsOf, requirementsOf, type Requirements } from './selection.ts';

export type CompiledFlags = {
  /** Returns which stored facts the request's flags may depend on. */
  needs(request: EvaluationRequest): Needs;
  /**
   * Never throws: a flag that cannot be decided gets a failure as its decision. Equal decisions are the same object.
   *
   * @param clock `now` in milliseconds since 1970; flags that are not decided within `budgetMs`, or within `steps` of work
   *   (`STEPS_PER_REQUEST` by default), fail with `timeout`
   */
  evaluate(
    request: EvaluationRequest,
    facts: Facts,
    clock: { now: number; budgetMs: number; steps?: number },
  ): Evaluation;
  /** Whether any active flag keeps the answer that a person got before `$identify`. */
  hasContinuity: boolean;
};

/** Contexts of a request that names only unknown ones. Not an empty list, which means all flags; no stored text equals this. */
const NO_KNOWN_CONTEXT = ['\0'];

/** Cache size. Unless they name flags, requests select flags in few different ways. */
const MAX_SELECTIONS = 100;

type Selection = {
  /** Indexes of the selected flags, in the order of the definitions. */
  readonly indexes: readonly number[];
  /** Whether some selected flags are malformed or in a cycle: they are decided, but hardly as intended. */
  readonly isFaulty: boolean;
  requirements: Requirements | undefined;
};

/** Cache key of a selection. Usually just the runtime, because looking up a newly built text costs more than deciding a flag. */
function selectionKey({ runtime, onlySurveys, contexts }: EvaluationRequest): string {
  return contexts.length === 0 && !onlySurveys ? runtime : `${runtime} ${onlySurveys} ${JSON.stringify(contexts)}`;
}

export function compileDefinitions(definitions: Definitions): CompiledFlags {
  const { groupTypes } = definitions;
  const context = { timeZone: definitions.timeZone, version: definitions.matchingVersion };
  const cohorts = compileCohorts(definitions.cohorts, context);
  const indexByKey = new Map(definitions.flags.map(({ key }, index) => [key, index]));
  const indexById = new Map(definitions.flags.map(({ id }, index) => [String(id), index]));
  const findFlagIndex = (name: string) => indexById.get(name) ?? indexByKey.get(name);
  const flags = definitions.flags.map((flag) =>
    compileFlag(flag, { context, isInCohort: cohorts.isInCohort, findFlagIndex }),
  );
  const links = linkFlags(flags, findFlagIndex);
  const hasContinuity = flags.some(({ definition, isContinuous }) => definition.active && isContinuous);
  const selections = new Map<string, Selection>();
  const knownContexts = new Set(definitions.flags.flatMap(({ evaluationContexts }) => evaluationContexts));

  const isForRequest = (request: EvaluationRequest) => (index: number) =>
    isFlagForRequest(request, flags[index]!.definition);

  function selectionOf(indexes: readonly number[]): Selection {
    const isFaulty = indexes.some((index) => links.cyclic.has(index) || flags[index]!.reads.isMalformed);
    return { indexes, isFaulty, requirements: undefined };
  }

  function selectionFor(request: EvaluationRequest): Selection {
    if (request.flagKeys) {
      const namedIndexes = [...request.flagKeys]
        .map((key) => indexByKey.get(key))
        .filter((index) => index !== undefined);
      return selectionOf(namedIndexes.filter(isForRequest(request)).sort((a, b) => a - b));
    }
    const name = selectionKey(request);
    let selection = selections.get(name);
    if (selection) return selection;
    if (selections.size >= MAX_SELECTIONS) selections.clear();
    selection = selectionOf([...flags.keys()].filter(isForRequest(request)));
    selections.set(name, selection);
    return selection;
  }

  /** Keeps only contexts that some flag has, because a request may name any number of others. */
  function keepKnownContexts(request: EvaluationRequest): EvaluationRequest {
    if (request.contexts.length === 0) return request;
    const contexts = [...new Set(request.contexts)].filter((name) => knownContexts.has(name)).sort();
    return { ...request, contexts: contexts.length > 0 ? contexts : NO_KNOWN_CONTEXT };
  }

  function dependenciesFor(request: EvaluationRequest) {
    const isDecided = isForRequest(request);
    return (index: number) => links.dependencies[index]!.filter(isDecided);
  }

  function decide(index: number, context: EvaluationContext): Decision {
    const { answers, decide: decideFlag } = flags[index]!;
    if (links.isBroken[index]) return answers.missingDependency();
    if (context.isLateSampled()) return answers.failureDecision('timeout');
    try {
      return decideFlag(context);
    } catch (error) {
      return answers.failureDecision(error instanceof StepsSpent ? 'timeout' : 'evaluation_error');
    }
  }

  function decideLinked(index: number, context: EvaluationContext): Decision {
    const decisions = context.decisions;
    visitInOrder(
      index,
      dependenciesFor(context.request),
      (flagIndex) => decisions.has(flagIndex),
      (flagIndex) => decisions.set(flagIndex, decide(flagIndex, context)),
    );
    return decisions.get(index)!;
  }

  return {
    hasContinuity,
    needs(evaluationRequest) {
      const request = keepKnownContexts(evaluationRequest);
      const selection = selectionFor(request);
      selection.requirements ??= requirementsOf(
        [...reachableFrom(selection.indexes, dependenciesFor(request))].map((index) => flags[index]!),
        cohorts,
      );
      const mayKeepId = hasContinuity && (request.anonDistinctId ?? '') !== '';
      return needsOf(selection.requirements, request, groupTypes, mayKeepId);
    },
    evaluate(evaluationRequest, facts, clock) {
      const request = keepKnownContexts(evaluationRequest);
      const context = new EvaluationContext(request, facts, groupTypes, clock);
      const { indexes, isFaulty } = selectionFor(request);
      const decisions: Decision[] = [];
      let errorsWhileComputing = isFaulty;
      for (const index of indexes) {
        const decision = links.isLinked[index] ? decideLinked(index, context) : decide(index, context);
        if (decision.failed) errorsWhileComputing = true;
        decisions.push(decision);
      }
      return { decisions, errorsWhileComputing };
    },
  };
}
