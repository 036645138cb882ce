/** Evaluates flags of a project for OFREP. */
import type { Decider } from '../decide/decider.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';
import type { StoredFlag } from '../definitions/stored-definitions.ts';
import type { EvaluationRequest, Runtime } from '../evaluation/decision.ts';
import { isOfSurvey } from '../evaluation/definitions.ts';
import { isFlagForRuntime } from '../evaluation/selection.ts';
import { presentDecision, presentDisabled, type FlagFailure, type FlagSuccess } from './present.ts';
import { refusal } from './refusal.ts';

/** Evaluates all flags for the request's runtime, except those of surveys. Inactive flags are presented as disabled. */
export async function evaluateAll(decider: Decider, project: ProjectFlags, request: EvaluationRequest) {
  const { decisions } = await decider.decide(project, request);
  const decided = new Map(decisions.map((decision) => [decision.key, decision]));
  const results: (FlagSuccess | FlagFailure)[] = [];
  for (const flag of project.definitions.flags) {
    // Flags of surveys are only for SDKs that show surveys, not for OpenFeature.
    if (isOfSurvey(flag)) continue;
    const decision = decided.get(flag.key);
    if (decision) results.push(presentDecision(decision, flag));
    else if (isDisabledFor(flag, request.runtime)) results.push(presentDisabled(flag));
  }
  return results;
}

/** Evaluates the flag with this key. @returns a failure with FLAG_NOT_FOUND if the request has no such flag */
export async function evaluateOne(
  decider: Decider,
  project: ProjectFlags,
  request: EvaluationRequest,
  key: string,
): Promise<FlagSuccess | FlagFailure> {
  const flag = findFlag(project, key);
  if (flag && isDisabledFor(flag, request.runtime)) return presentDisabled(flag);
  if (!flag?.active) return flagNotFound(key);
  const { decisions } = await decider.decide(project, { ...request, flagKeys: new Set([key]) });
  const decision = decisions.find((candidate) => candidate.key === key);
  return decision ? presentDecision(decision, flag) : flagNotFound(key);
}

/** Answer for a flag that does not exist for this request; the client then uses its own default. */
export function flagNotFound(key: string): FlagFailure {
  return { key, ...refusal('FLAG_NOT_FOUND', 'There is no flag with this key for this request.') };
}

function isDisabledFor(flag: StoredFlag, runtime: Runtime): boolean {
  return !flag.active && isFlagForRuntime(flag, runtime);
}

const indexes = new WeakMap<ProjectFlags, ReadonlyMap<string, StoredFlag>>();

/** Finds a flag in an index that is cached for each version of the project. */
function findFlag(project: ProjectFlags, key: string): StoredFlag | undefined {
  let index = indexes.get(project);
  if (!index) {
    index = new Map(project.definitions.flags.map((flag) => [flag.key, flag]));
    indexes.set(project, index);
  }
  return index.get(key);
}
