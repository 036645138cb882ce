/**
 * Determines whether SDKs can evaluate a flag locally, from the definitions feed, and if not, why. The API shows this for each flag,
 * because authors would not notice: SDKs silently ask the server, or answer differently from it.
 *
 * The rules are those of posthog-node 5.70 and posthog-python 7.91; differences of other SDKs are in `sdk-differences.ts`.
 */
import { isOfSurvey } from '../evaluation/definitions.ts';
import { fieldsOf, integerOf, type Fields } from '../../conditions/operators/stored-json.ts';
import {
  cohortIdOf,
  conditionsOf,
  flagIdOf,
  leavesOf,
  propertiesOf,
  referencesIn,
  type References,
} from './references.ts';
import type { StoredDefinitions, StoredFlag } from './stored-definitions.ts';

/** Whether SDKs can evaluate a flag if they are given the properties in its conditions; `reason` says why not. */
export type LocalEvaluation = { evaluable: boolean; reason: string | null };

/** Fields of a flag that decide whether SDKs can evaluate it. */
export type EvaluableFlag = Pick<
  StoredFlag,
  | 'id'
  | 'key'
  | 'active'
  | 'filters'
  | 'ensureExperienceContinuity'
  | 'evaluationRuntime'
  | 'bucketingIdentifier'
  | 'hasEncryptedPayloads'
>;

/** The operators that SDKs know. */
const OPERATORS = new Set(
  (
    'exact is_not is_set is_not_set gt gte lt lte regex not_regex icontains not_icontains starts_with not_starts_with ends_with ' +
    'not_ends_with is_date_after is_date_before semver_eq semver_neq semver_gt semver_gte semver_lt semver_lte semver_tilde ' +
    'semver_caret semver_wildcard'
  ).split(' '),
);

/**
 * @param flag may be newer than the definitions
 * @param definitions of its project
 */
export function localEvaluation(flag: EvaluableFlag, definitions: StoredDefinitions): LocalEvaluation {
  const reason = obstacleOf(flag, definitions) ?? dependencyObstacle(flag, definitions) ?? null;
  return { evaluable: reason === null, reason };
}

/** @returns why SDKs cannot evaluate the flag, apart from its dependencies; undefined if they can */
function obstacleOf(flag: EvaluableFlag, definitions: StoredDefinitions): string | undefined {
  if (isOfSurvey(flag)) return 'Flags that belong to surveys are not sent to SDKs.';
  if (flag.hasEncryptedPayloads) return 'Flags with encrypted payloads are not sent to SDKs.';
  if (flag.ensureExperienceContinuity) {
    return 'It has experience continuity, and only the server stores which value each person got before.';
  }
  const filters = fieldsOf(flag.filters);
  if (filters['feature_enrollment'] === true || hasSuperGroups(filters)) {
    return 'Persons can enroll in it as an early access feature, and SDKs do not know who has enrolled.';
  }
  const references = referencesIn(definitions);
  for (const condition of conditionsOf(flag)) {
    const obstacle = conditionObstacle(condition, filters['aggregation_group_type_index'], { definitions, references });
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

function hasSuperGroups(filters: Fields): boolean {
  const groups = filters['super_groups'];
  return Array.isArray(groups) && groups.length > 0;
}

type Context = { definitions: StoredDefinitions; references: References };

function conditionObstacle(
  condition: Fields,
  flagGroupTypeIndex: Fields[string],
  { definitions, references }: Context,
): string | undefined {
  const ownGroupTypeIndex = condition['aggregation_group_type_index'];
  const index = integerOf(ownGroupTypeIndex === undefined ? flagGroupTypeIndex : ownGroupTypeIndex);
  if (index !== undefined && !definitions.groupTypes.has(index)) return `There is no group type ${index}.`;
  for (const property of propertiesOf(condition)) {
    const cohort = cohortIdOf(property);
    const obstacle = cohort === undefined ? propertyObstacle(property, index) : cohortObstacle(cohort, references);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

/** @param index of the group type whose properties SDKs read; undefined if they read those of the person */
function propertyObstacle(property: Fields, index: number | undefined): string | undefined {
  const { type, operator } = property;
  if (type === 'flag') return undefined;
  if (type === 'person_metadata') return 'It reads `person_metadata`, which only the server has.';
  const propertyIndex = type === 'group' ? (integerOf(property['group_type_index']) ?? index) : undefined;
  if (propertyIndex !== index && !(type === undefined && index !== undefined)) {
    return 'A condition set reads properties of a person or group other than the one that it is rolled out to.';
  }
  if (typeof operator === 'string' && !OPERATORS.has(operator)) return `SDKs do not know the operator ${operator}.`;
  return undefined;
}

function cohortObstacle(id: number, references: References): string | undefined {
  const reachable = references.cohortsReachableFrom(id);
  if (!reachable) return `Cohort ${id} contains itself.`;
  for (const [cohortId, cohort] of reachable) {
    if (!cohort) return `There is no cohort ${cohortId}.`;
    if (cohort.isStatic) return `Cohort ${cohortId} is a list of persons, which SDKs do not have.`;
    for (const leaf of leavesOf(cohort)) {
      const obstacle = cohortIdOf(leaf) === undefined && propertyObstacle(leaf, undefined);
      if (obstacle) return `Cohort ${cohortId}: ${obstacle}`;
    }
  }
  return undefined;
}

function dependencyObstacle(flag: EvaluableFlag, definitions: StoredDefinitions): string | undefined {
  const { dependencyChainOf } = referencesIn(definitions);
  for (const id of conditionsOf(flag).flatMap(propertiesOf).map(flagIdOf)) {
    if (id === undefined) continue;
    const chain = dependencyChainOf(id);
    if (!chain || chain.some((storedFlag) => storedFlag.id === flag.id)) {
      return `It depends on flag ${id}, which does not exist, depends on itself, or depends on too many others.`;
    }
    const unevaluable = chain.find((storedFlag) => obstacleOf(storedFlag, definitions) !== undefined);
    if (unevaluable) return `It depends on flag ${unevaluable.key}: ${obstacleOf(unevaluable, definitions)}`;
  }
  return undefined;
}
