/** Selects the flags of a request, and the facts that are needed to decide them. */
import type { Cohorts } from './cohorts.ts';
import type { EvaluationRequest, Needs, Runtime } from './decision.ts';
import { reachableFrom } from './dependency-order.ts';
import { isOfSurvey, type FlagDefinition } from './definitions.ts';
import type { CompiledFlag } from './flag.ts';

/** Whether a request gets the flag; otherwise the flag counts as false for flags that depend on it. */
export function isFlagForRequest({ runtime, contexts, onlySurveys }: EvaluationRequest, flag: FlagDefinition): boolean {
  if (!flag.active || (onlySurveys && !isOfSurvey(flag))) return false;
  const isForRuntime = isFlagForRuntime(flag, runtime);
  if (!isForRuntime || contexts.length === 0 || flag.evaluationContexts.length === 0) return isForRuntime;
  return flag.evaluationContexts.some((context) => contexts.includes(context));
}

/** Whether programs of this runtime get the flag. */
export function isFlagForRuntime(
  { evaluationRuntime }: Pick<FlagDefinition, 'evaluationRuntime'>,
  runtime: Runtime,
): boolean {
  return runtime === 'all' || evaluationRuntime === 'all' || evaluationRuntime === runtime;
}

/** Data that a set of flags and their dependencies read. */
export type Requirements = {
  readonly person: readonly string[];
  readonly metadata: boolean;
  readonly groups: readonly { readonly index: number; readonly keys: readonly string[] }[];
  readonly staticCohorts: readonly number[];
  readonly continuousIds: boolean;
};

/** @param flags including the flags that they depend on */
export function requirementsOf(flags: readonly CompiledFlag[], cohorts: Cohorts): Requirements {
  const cohortIds = reachableFrom(
    flags.flatMap(({ reads }) => reads.cohorts),
    (id) => cohorts.find(id)?.reads.cohorts ?? [],
  );
  const cohortReads = [...cohortIds].flatMap((id) => cohorts.find(id)?.reads ?? []);
  const reads = [...flags.map((flag) => flag.reads), ...cohortReads];
  const groups = new Map<number, Set<string>>();
  for (const { index, key } of reads.flatMap((one) => one.groups)) {
    groups.set(index, (groups.get(index) ?? new Set()).add(key));
  }
  return {
    person: [...new Set(reads.flatMap(({ person }) => person))],
    metadata: reads.some(({ metadata }) => metadata),
    groups: [...groups].map(([index, keys]) => ({ index, keys: [...keys] })),
    staticCohorts: [...cohortIds].filter((id) => cohorts.find(id)?.isStatic),
    continuousIds: flags.some(({ needsContinuousId }) => needsContinuousId),
  };
}

const NEEDS_NOTHING: Needs = { person: false, groups: [], staticCohorts: [], hashKeyOverrides: false };

/**
 * Stored facts that decisions need in addition to the request's own data.
 *
 * @param mayKeepId whether the request has a previous id of the person, and some flag has experience continuity
 */
export function needsOf(
  { person, metadata, groups, staticCohorts, continuousIds }: Requirements,
  request: EvaluationRequest,
  groupTypes: ReadonlyMap<number, string>,
  mayKeepId: boolean,
): Needs {
  if (request.onlyRequestProperties) return NEEDS_NOTHING;
  const hashKeyOverrides = continuousIds || mayKeepId;
  return {
    person:
      metadata ||
      staticCohorts.length > 0 ||
      hashKeyOverrides ||
      !person.every((key) => isPersonPropertyGiven(request, key)),
    groups: groups
      .filter(({ index, keys }) => !keys.every((key) => isGroupPropertyGiven(request, groupTypes.get(index), key)))
      .map(({ index }) => index),
    staticCohorts,
    hashKeyOverrides,
  };
}

function isPersonPropertyGiven({ personProperties, geoProperties }: EvaluationRequest, key: string): boolean {
  if (Object.hasOwn(personProperties, key) || key === 'distinct_id') return true;
  return geoProperties !== undefined && Object.hasOwn(geoProperties, key);
}

/** Whether the property need not be fetched: it is in the request, or the request names no group that could have it stored. */
function isGroupPropertyGiven(
  { groups, groupProperties }: EvaluationRequest,
  name: string | undefined,
  key: string,
): boolean {
  if (name === undefined || !Object.hasOwn(groups, name) || groups[name] === '' || key === '$group_key') return true;
  return Object.hasOwn(groupProperties, name) && Object.hasOwn(groupProperties[name]!, key);
}
