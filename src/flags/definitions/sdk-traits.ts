/** Finds the traits of a flag that some released SDKs evaluate differently. */
import { instantOfText, RELATIVE } from '../../conditions/operators/dates.ts';
import { numberOf, type Json } from '../../conditions/operators/json-values.ts';
import {
  elementsOf,
  fieldsOf,
  integerOf,
  isFields,
  percentageOf,
  type Fields,
} from '../../conditions/operators/stored-json.ts';
import type { EvaluableFlag } from './local-evaluation.ts';
import { cohortIdOf, conditionsOf, leavesOf, propertiesOf, referencesIn } from './references.ts';
import type { StoredDefinitions } from './stored-definitions.ts';

export type Trait =
  | 'holdout'
  | 'olderHoldout'
  | 'earlyExit'
  | 'superGroups'
  | 'enrollment'
  | 'continuity'
  | 'byDevice'
  | 'clientRuntime'
  | 'cohort'
  | 'notInCohort'
  | 'groupConditionSet'
  | 'personConditionSet'
  | 'variantFirst'
  | 'percentageOfMatches'
  | 'comparedText'
  | 'ambiguousDate';

export function traitsOf(flag: EvaluableFlag, definitions: StoredDefinitions): Set<Trait> {
  const filters = fieldsOf(flag.filters);
  const sets = conditionsOf(flag);
  const traits = new Set<Trait>();
  const add = (trait: Trait, has: boolean) => has && traits.add(trait);

  add('continuity', flag.ensureExperienceContinuity);
  add('clientRuntime', flag.evaluationRuntime === 'client');
  add('enrollment', filters['feature_enrollment'] === true);
  // With enrollment the feed contains no other condition.
  if (traits.has('enrollment')) return traits;
  add('holdout', percentageOf(fieldsOf(filters['holdout'])['exclusion_percentage'], 0) > 0);
  add('olderHoldout', !isFields(filters['holdout']) && elementsOf(filters['holdout_groups']).length > 0);
  add('superGroups', elementsOf(filters['super_groups']).length > 0);
  add('byDevice', flag.bucketingIdentifier === 'device_id' && (sets.some(isPartial) || hasVariants(filters)));
  add('earlyExit', filters['early_exit'] === true && sets.slice(0, -1).some(isPartial));
  const withoutVariant = sets.findIndex((set) => !namesVariant(set));
  add('variantFirst', withoutVariant >= 0 && sets.slice(withoutVariant).some(namesVariant));
  add(
    'percentageOfMatches',
    sets.some((set) => isPartial(set) && propertiesOf(set).length > 0),
  );
  const flagIndex = integerOf(filters['aggregation_group_type_index']);
  for (const set of sets) {
    const ownIndex = set['aggregation_group_type_index'];
    const index = ownIndex === undefined ? flagIndex : integerOf(ownIndex);
    const isDecidedByHash = propertiesOf(set).length === 0 && (isPartial(set) || hasVariants(filters));
    add(index === undefined ? 'personConditionSet' : 'groupConditionSet', index !== flagIndex && isDecidedByHash);
  }
  for (const property of conditionsIn(sets, definitions)) {
    const isCohort = isInFeed(cohortIdOf(property), definitions);
    add('cohort', isCohort);
    add('notInCohort', isCohort && property['operator'] === 'not_in');
    add('comparedText', isComparedText(property));
    add('ambiguousDate', isReadDifferently(property, definitions.timeZone));
  }
  return traits;
}

function isPartial(set: Fields): boolean {
  return percentageOf(set['rollout_percentage'], 100) < 100;
}

function namesVariant(set: Fields): boolean {
  return typeof set['variant'] === 'string' && set['variant'] !== '';
}

function hasVariants(filters: Fields): boolean {
  return elementsOf(fieldsOf(filters['multivariate'])['variants']).length > 0;
}

/** Conditions of the condition sets, and of the cohorts that they reference. */
function conditionsIn(sets: readonly Fields[], definitions: StoredDefinitions): Fields[] {
  const properties = sets.flatMap(propertiesOf);
  const { cohortsReachableFrom } = referencesIn(definitions);
  const cohorts = new Set(
    properties.flatMap((property) => [...(cohortsReachableFrom(cohortIdOf(property) ?? 0)?.values() ?? [])]),
  );
  return [...properties, ...[...cohorts].flatMap((cohort) => (cohort ? leavesOf(cohort) : []))];
}

/** Whether the cohort is in the feed; SDKs ask the server about others. */
function isInFeed(id: number | undefined, definitions: StoredDefinitions): boolean {
  const cohort = id === undefined ? undefined : referencesIn(definitions).cohortsReachableFrom(id)?.get(id);
  return cohort !== undefined && !cohort.isStatic;
}

const COMPARISONS: readonly Json[] = ['gt', 'gte', 'lt', 'lte'];

function isComparedText({ operator, value }: Fields): boolean {
  return COMPARISONS.includes(operator ?? null) && typeof value === 'string' && numberOf(value) === undefined;
}

const DATES: readonly Json[] = ['is_date_before', 'is_date_after'];
const WITH_OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i;

/** Whether SDKs may read the date differently: it has an unusual form, or no offset while the project is not in UTC. */
function isReadDifferently({ operator, value }: Fields, timeZone: string): boolean {
  if (!DATES.includes(operator ?? null)) return false;
  if (typeof value !== 'string' || instantOfText(value, { timeZone: 'UTC', now: 0 }) === undefined) return true;
  return timeZone !== 'UTC' && !RELATIVE.test(value) && !WITH_OFFSET.test(value);
}
