/**
 * The definitions feed, with which SDKs evaluate flags locally. Its form is that of PostHog's `/flags/definitions`, as
 * posthog-node 5.70 and posthog-python 7.91 read it.
 */
import { createHash } from 'node:crypto';
import { isOfSurvey } from '../evaluation/definitions.ts';
import { JsonFloat, textOf, type Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldsOf, type Fields } from '../../conditions/operators/stored-json.ts';
import type { ProjectFlags } from './project-flags.ts';
import { cohortIdOf, conditionsOf, flagIdOf, propertiesOf, referencesIn, type References } from './references.ts';
import type { StoredFlag } from './stored-definitions.ts';

/** JSON as UTF-8, and its weak entity tag. */
export type Feed = { body: Buffer; entityTag: string };

const cachedFeeds = new WeakMap<ProjectFlags, Feed>();

/** Returns the feed of a project, built once per version of the project. */
export function feedOf(project: ProjectFlags): Feed {
  const feed = cachedFeeds.get(project) ?? makeFeed(project);
  cachedFeeds.set(project, feed);
  return feed;
}

/** Limit for all chains together, because every condition on a flag repeats that flag's whole dependency chain. */
const MAX_CHAIN_CHARACTERS = 16 * 1024 * 1024;

function makeFeed(project: ProjectFlags): Feed {
  const { definitions, projectId } = project;
  const references = referencesIn(definitions);
  const budget = { left: MAX_CHAIN_CHARACTERS };
  const flags = definitions.flags.filter((flag) => !flag.hasEncryptedPayloads && !isOfSurvey(flag));
  const body = Buffer.from(
    jsonOf({
      flags: flags.map((flag) => presentFlag(flag, projectId, references, budget)),
      group_type_mapping: Object.fromEntries(definitions.groupTypes),
      cohorts: cohortsOf(flags, references),
      minimal_flag_called_events: false,
      property_matching_version: definitions.matchingVersion,
    }),
  );
  return { body, entityTag: `W/"${createHash('sha256').update(body).digest('base64url')}"` };
}

function presentFlag(flag: StoredFlag, projectId: number, references: References, budget: ChainBudget) {
  return {
    id: flag.id,
    team_id: projectId,
    name: flag.name,
    key: flag.key,
    filters: enrollmentFilters(flag) ?? withFlagKeys(flag, references, budget),
    deleted: false,
    active: flag.active,
    ensure_experience_continuity: flag.ensureExperienceContinuity,
    version: flag.version,
    evaluation_runtime: flag.evaluationRuntime,
    bucketing_identifier: flag.bucketingIdentifier,
    evaluation_contexts: flag.evaluationContexts,
    has_encrypted_payloads: flag.hasEncryptedPayloads,
  };
}

/**
 * Returns the enrollment as the only condition, because it takes precedence and posthog-node does not know `feature_enrollment`. SDKs
 * with the person's choice then decide as the server does (except for the text "True", which is never stored), and others ask the server.
 * @returns undefined if persons cannot enroll in the flag
 */
function enrollmentFilters({ key, filters }: StoredFlag): Json | undefined {
  const { feature_enrollment, payloads = {} } = fieldsOf(filters);
  if (feature_enrollment !== true) return undefined;
  const enrollmentProperty = { key: `$feature_enrollment/${key}`, type: 'person', operator: 'exact', value: ['true'] };
  return { groups: [{ properties: [enrollmentProperty], rollout_percentage: 100 }], payloads, feature_enrollment };
}

type ChainBudget = { left: number };

/** Replaces ids of flags in conditions by their keys, which SDKs need. A chain beyond the budget is left empty, so SDKs ask the server. */
function withFlagKeys(flag: StoredFlag, { dependencyChainOf }: References, budget: ChainBudget): Json {
  const dependsOnFlags = conditionsOf(flag).some((condition) =>
    propertiesOf(condition).some((property) => flagIdOf(property) !== undefined),
  );
  if (!dependsOnFlags) return flag.filters;
  const filters = fieldsOf(flag.filters);
  const rewriteProperty = (property: Json): Json => {
    const id = flagIdOf(fieldsOf(property));
    if (id === undefined) return property;
    const chain = dependencyChainOf(id) ?? [];
    const isCycle = chain.some((storedFlag) => storedFlag.id === flag.id);
    const length = chain.reduce((sum, { key }) => sum + key.length, 0);
    const keys = isCycle || length > budget.left ? [] : chain.map(({ key }) => key);
    if (keys.length > 0) budget.left -= length;
    return { ...(property as JsonObject), key: keys.at(-1) ?? String(id), dependency_chain: keys };
  };
  const groups = elementsOf(filters['groups']).map((condition) => ({
    ...(condition as JsonObject),
    properties: elementsOf(fieldsOf(condition)['properties']).map(rewriteProperty),
  }));
  return { ...(filters as JsonObject), groups };
}

type JsonObject = { readonly [key: string]: Json };

/** Dynamic cohorts that the flags need. Static ones are left out, so SDKs ask the server about them. */
function cohortsOf(flags: readonly StoredFlag[], { cohortsReachableFrom }: References): Record<string, Json> {
  const cohortIds = new Set(flags.flatMap((flag) => conditionsOf(flag).flatMap(propertiesOf).map(cohortIdOf)));
  const referenced = [...cohortIds].flatMap((id) =>
    id === undefined ? [] : [...(cohortsReachableFrom(id)?.values() ?? [])],
  );
  const dynamic = referenced.flatMap((cohort) => (cohort && !cohort.isStatic ? [cohort] : []));
  return Object.fromEntries(dynamic.map(({ id, filters }) => [id, groupOf(fieldsOf(filters))]));
}

function groupOf({ properties }: Fields): Json {
  return properties ?? {};
}

/** Same as JSON.stringify, but keeps the notation of numbers. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, fieldValue: unknown) =>
    typeof fieldValue === 'bigint' || fieldValue instanceof JsonFloat ? rawJson(textOf(fieldValue)) : fieldValue,
  );
}

/** `JSON.rawJSON`, which TypeScript's library does not declare yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
