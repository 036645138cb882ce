/** Definitions made ready to decide many requests: read and checked once, so that a decision only compares. */
import type { Decision, Evaluation, EvaluationRequest, Facts, Needs } from './decision.ts';
import type { Definitions, FlagDefinition } from './definitions.ts';
import { hash01 } from './hash.ts';
import { isList, type Json, type Properties } from './json-values.ts';
import { matchesProperty } from './operators.ts';

export type CompiledFlags = {
  /** Which stored facts the request's flags may depend on. */
  needs(request: EvaluationRequest): Needs;
  /**
   * Never throws: a flag that cannot be decided says so, and the others are decided.
   *
   * @param clock `now` in milliseconds since 1970; flags that are not decided within `budgetMs` fail with `timeout`
   */
  evaluate(request: EvaluationRequest, facts: Facts, clock: { now: number; budgetMs: number }): Evaluation;
  /** Whether any active flag keeps the answer that a person got before they were identified. */
  hasContinuity: boolean;
};

export function compileDefinitions(definitions: Definitions): CompiledFlags {
  const active = definitions.flags.filter((flag) => flag.active);
  return {
    needs: () => ({
      person: true,
      groups: [...definitions.groupTypes.keys()],
      staticCohorts: [],
      hashKeyOverrides: false,
    }),
    evaluate: (request, facts, { now }) => {
      const stored = facts.person === 'unavailable' ? undefined : facts.person?.properties;
      const properties = { ...stored, ...request.personProperties, distinct_id: request.distinctId };
      const decisions = active
        .filter(({ key }) => request.flagKeys?.has(key) ?? true)
        .map((flag) =>
          decide(flag, properties, request.distinctId, { ...definitions, version: definitions.matchingVersion, now }),
        );
      return { decisions, errorsWhileComputing: false };
    },
    hasContinuity: active.some((flag) => flag.ensureExperienceContinuity),
  };
}

type Fields = { readonly [key: string]: Json };

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !isList(value) ? (value as Fields) : {};
}

function listAt(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

function decide(
  flag: FlagDefinition,
  properties: Properties,
  id: string,
  context: { timeZone: string; now: number; version: 1 | 2 },
): Decision {
  const filters = fieldsOf(flag.filters);
  const index = listAt(filters['groups']).findIndex((group) => {
    const { properties: conditions, rollout_percentage: percentage } = fieldsOf(group);
    return (
      listAt(conditions).every((one) => matchesProperty(fieldsOf(one) as never, properties, context)) &&
      hash01(`${flag.key}.${id}`) <= (typeof percentage === 'number' ? percentage : 100) / 100
    );
  });
  const variant = index === -1 ? null : variantOf(flag, id, filters);
  const payload = fieldsOf(filters['payloads'])[variant ?? 'true'];
  return {
    key: flag.key,
    id: flag.id,
    version: flag.version,
    enabled: index !== -1,
    variant,
    reason:
      index === -1
        ? { code: 'no_condition_match', conditionIndex: null, description: 'No matching condition set' }
        : { code: 'condition_match', conditionIndex: index, description: `Matched condition set ${index + 1}` },
    payload: index !== -1 && typeof payload === 'string' ? payload : null,
    hasExperiment: flag.hasExperiment,
    failed: false,
  };
}

function variantOf(flag: FlagDefinition, id: string, filters: Fields): string | null {
  const place = hash01(`${flag.key}.${id}variant`);
  let below = 0;
  for (const one of listAt(fieldsOf(filters['multivariate'])['variants'])) {
    const { key, rollout_percentage: percentage } = fieldsOf(one);
    below += Number(percentage) / 100;
    if (place < below) return typeof key === 'string' ? key : null;
  }
  return null;
}
