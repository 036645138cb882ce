/** Why a flag has its value, in OpenFeature's words (https://openfeature.dev/specification/types#resolution-reason). */
import { REASONS, type Decision } from '../evaluation/decision.ts';
import type { FlagDefinition } from '../evaluation/definitions.ts';
import { isList, type Json, type Properties } from '../../conditions/operators/json-values.ts';

/** STATIC: the same for everybody, so clients may cache it. SPLIT: decided by a hash. TARGETING_MATCH: by the evaluation context. */
export type Reason = 'STATIC' | 'TARGETING_MATCH' | 'SPLIT' | 'DISABLED';

/** @param decision one that has not failed */
export function reasonOf({ reason }: Decision, { filters, bucketingIdentifier }: FlagDefinition): Reason {
  const fields = fieldsOf(filters);
  switch (reason.code) {
    case 'condition_match':
      return reasonOfMatch(fields, reason.conditionIndex ?? 0, bucketingIdentifier);
    case 'holdout_condition_value':
      return 'SPLIT';
    case 'out_of_rollout_bound':
      // Without a device no hash was computed.
      return reason.description === REASONS.out_of_rollout_bound ? 'SPLIT' : 'TARGETING_MATCH';
    case 'flag_disabled':
      return 'DISABLED';
    case 'missing_dependency':
      return 'STATIC';
    case 'no_group_type':
      return listOf(fields['groups']).length === 0 ? 'STATIC' : 'TARGETING_MATCH';
    default:
      return 'TARGETING_MATCH';
  }
}

function reasonOfMatch(filters: Properties, index: number, bucketedBy: FlagDefinition['bucketingIdentifier']): Reason {
  const condition = fieldsOf(listOf(filters['groups'])[index]);
  const variants = listOf(fieldsOf(filters['multivariate'])['variants']).map((variant) => fieldsOf(variant)['key']);
  const isVariantHashed = variants.length > 0 && !variants.includes(condition['variant'] ?? null);
  const { rollout_percentage: percentage, properties } = condition;
  const isHashed = isVariantHashed || (typeof percentage === 'number' && percentage !== 100);
  if (isHashed || isSet(filters, 'holdout')) return 'SPLIT';
  const isTargeted =
    index > 0 ||
    listOf(properties).length > 0 ||
    isSet(condition, 'aggregation_group_type_index') ||
    CONTEXTUAL.some((name) => isSet(filters, name)) ||
    bucketedBy === 'device_id';
  return isTargeted ? 'TARGETING_MATCH' : 'STATIC';
}

/** Fields because of which even a condition set that matches everybody may not decide for everybody. */
const CONTEXTUAL = ['aggregation_group_type_index', 'super_groups', 'feature_enrollment'] as const;

function isSet(fields: Properties, name: string): boolean {
  const value = fields[name] ?? false;
  return value !== false && !(isList(value) && value.length === 0);
}

function fieldsOf(value: Json | undefined): Properties {
  return typeof value === 'object' && value !== null && !isList(value) ? (value as Properties) : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}
