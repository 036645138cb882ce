/**
 * The definitions feed, from which SDKs evaluate flags themselves. Its form is that of PostHog's `/flags/definitions`, as
 * posthog-node 5.70 and posthog-python 7.91 read it.
 */
import { createHash } from 'node:crypto';
import { isOfSurvey } from '../evaluation/definitions.ts';
import { JsonFloat, textOf, type Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldsOf, type Fields } from '../../conditions/operators/stored-json.ts';
import type { ProjectFlags } from './project-flags.ts';
import { cohortOf, conditionsOf, flagOf, propertiesOf, referencesIn, type References } from './references.ts';
import type { StoredFlag } from './stored-definitions.ts';

/** JSON as UTF-8, and its weak entity tag. */
export type Feed = { body: Buffer; entityTag: string };

const made = new WeakMap<ProjectFlags, Feed>();

/** Made once for each state of a project. */
export function feedOf(project: ProjectFlags): Feed {
  const feed = made.get(project) ?? makeFeed(project);
  made.set(project, feed);
  return feed;
}

/** Total characters of all chains, because every condition that asks for a flag repeats the flag's whole chain. */
const MAX_OF_CHAINS = 16 * 1024 * 1024;

function makeFeed(project: ProjectFlags): Feed {
  const { definitions, projectId } = project;
  const references = referencesIn(definitions);
  const room = { left: MAX_OF_CHAINS };
  const flags = definitions.flags.filter((flag) => !flag.hasEncryptedPayloads && !isOfSurvey(flag));
  const body = Buffer.from(
    jsonOf({
      flags: flags.map((flag) => presentFlag(flag, projectId, references, room)),
      group_type_mapping: Object.fromEntries(definitions.groupTypes),
      cohorts: cohortsOf(flags, references),
      minimal_flag_called_events: false,
      property_matching_version: definitions.matchingVersion,
    }),
  );
  return { body, entityTag: `W/"${createHash('sha256').update(body).digest('base64url')}"` };
}

function presentFlag(flag: StoredFlag, projectId: number, references: References, room: Room) {
  return {
    id: flag.id,
    team_id: projectId,
    name: flag.name,
    key: flag.key,
    filters: enrollmentOf(flag) ?? withFlagKeys(flag, references, room),
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
 * Enrollment decides first, and posthog-node does not know it. So SDKs get it as the only condition: SDKs that have the person's choice
 * decide as the server does (except for the text "True", which we never store), and others ask the server.
 * @returns undefined if people cannot enroll
 */
function enrollmentOf({ key, filters }: StoredFlag): Json | undefined {
  const { feature_enrollment, payloads = {} } = fieldsOf(filters);
  if (feature_enrollment !== true) return undefined;
  const enrolled = { key: `$feature_enrollment/${key}`, type: 'person', operator: 'exact', value: ['true'] };
  return { groups: [{ properties: [enrolled], rollout_percentage: 100 }], payloads, feature_enrollment };
}

type Room = { left: number };

/** Stored dependencies name flags by their ids, SDKs know flags by their keys. Without room for its chain SDKs ask decide. */
function withFlagKeys(flag: StoredFlag, { chainTo }: References, room: Room): Json {
  const depends = conditionsOf(flag).some((condition) =>
    propertiesOf(condition).some((one) => flagOf(one) !== undefined),
  );
  if (!depends) return flag.filters;
  const filters = fieldsOf(flag.filters);
  const rewritten = (property: Json): Json => {
    const id = flagOf(fieldsOf(property));
    if (id === undefined) return property;
    const chain = chainTo(id) ?? [];
    const isCycle = chain.some((one) => one.id === flag.id);
    const length = chain.reduce((sum, { key }) => sum + key.length, 0);
    const keys = isCycle || length > room.left ? [] : chain.map(({ key }) => key);
    if (keys.length > 0) room.left -= length;
    return { ...(property as Stored), key: keys.at(-1) ?? String(id), dependency_chain: keys };
  };
  const groups = elementsOf(filters['groups']).map((condition) => ({
    ...(condition as Stored),
    properties: elementsOf(fieldsOf(condition)['properties']).map(rewritten),
  }));
  return { ...(filters as Stored), groups };
}

type Stored = { readonly [key: string]: Json };

/** Cohorts that SDKs need for the flags, but none that lists persons: SDKs ask the server about cohorts that are not here. */
function cohortsOf(flags: readonly StoredFlag[], { cohortsBehind }: References): Record<string, Json> {
  const cohortIds = new Set(flags.flatMap((flag) => conditionsOf(flag).flatMap(propertiesOf).map(cohortOf)));
  const behind = [...cohortIds].flatMap((id) => (id === undefined ? [] : [...(cohortsBehind(id)?.values() ?? [])]));
  const dynamic = behind.flatMap((cohort) => (cohort && !cohort.isStatic ? [cohort] : []));
  return Object.fromEntries(dynamic.map(({ id, filters }) => [id, groupOf(fieldsOf(filters))]));
}

function groupOf({ properties }: Fields): Json {
  return properties ?? {};
}

/** Same as JSON.stringify, but numbers stay as they were written. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' || one instanceof JsonFloat ? rawJson(textOf(one)) : one,
  );
}

/** TypeScript does not know it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
