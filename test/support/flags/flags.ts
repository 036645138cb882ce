/** Builders of flags, requests and facts for tests of the evaluator, with the simplest defaults. */
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { Decision, Evaluation, EvaluationRequest, Facts } from '../../../src/flags/evaluation/decision.ts';
import type { CohortDefinition, Definitions, FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import type { Json, Properties } from '../../../src/conditions/operators/json-values.ts';

let lastId = 1_000_000;

export function buildFlag(overrides: Partial<FlagDefinition> = {}): FlagDefinition {
  const id = ++lastId;
  return {
    id,
    key: `flag-${id}`,
    version: 1,
    active: true,
    filters: { groups: [{ properties: [], rollout_percentage: 100 }] },
    ensureExperienceContinuity: false,
    evaluationRuntime: 'all',
    bucketingIdentifier: 'distinct_id',
    evaluationContexts: [],
    hasExperiment: false,
    ...overrides,
  };
}

export function buildCohort(id: number, properties: Json): CohortDefinition {
  return { id, isStatic: false, filters: { properties } };
}

export function buildStaticCohort(id: number): CohortDefinition {
  return { id, isStatic: true, filters: {} };
}

export function buildDefinitions(overrides: Partial<Definitions> = {}): Definitions {
  return { flags: [], cohorts: [], groupTypes: new Map(), timeZone: 'UTC', matchingVersion: 1, ...overrides };
}

export function buildRequest(overrides: Partial<EvaluationRequest> = {}): EvaluationRequest {
  return {
    distinctId: 'user-1',
    groups: {},
    personProperties: {},
    groupProperties: {},
    runtime: 'all',
    contexts: [],
    onlySurveys: false,
    onlyRequestProperties: false,
    ...overrides,
  };
}

/** Facts of a stored person with these properties; without properties, the person is not stored. */
export function buildFacts(properties?: Properties, overrides: Partial<Facts> = {}): Facts {
  const person = properties ? { id: 'person-1', createdAt: '2024-01-01T00:00:00Z', properties } : null;
  return { person, groups: new Map(), memberships: new Set(), hashKeyOverrides: new Map(), ...overrides };
}

/** Facts while the database is unavailable. */
export const UNREADABLE: Facts = {
  person: 'unavailable',
  groups: 'unavailable',
  memberships: 'unavailable',
  hashKeyOverrides: 'unavailable',
};

export const NOW = Date.parse('2024-06-01T12:00:00Z');

export function evaluate(
  definitions: Partial<Definitions>,
  request: Partial<EvaluationRequest> = {},
  facts: Facts = buildFacts(),
): Evaluation {
  return compileDefinitions(buildDefinitions(definitions)).evaluate(buildRequest(request), facts, {
    now: NOW,
    budgetMs: 10_000,
  });
}

/** The decision about the last flag, or about the only one. */
export function decide(
  flags: FlagDefinition | FlagDefinition[],
  request: Partial<EvaluationRequest> = {},
  facts: Facts = buildFacts(),
  definitions: Partial<Definitions> = {},
): Decision {
  const { decisions } = evaluate({ ...definitions, flags: [flags].flat() }, request, facts);
  return decisions.at(-1)!;
}

/** The value that SDKs return: false, true or the variant. */
export function valueOf({ enabled, variant }: Decision): boolean | string {
  return enabled ? (variant ?? true) : false;
}
