/** Places a person or group in a flag by their hash: inside or outside of a rollout, in a variant, in the holdout. */
import type { EvaluationContext } from './context.ts';
import type { FlagDefinition } from './definitions.ts';
import { hash01 } from './hash.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import {
  elementsOf,
  fieldAt,
  fieldsOf,
  integerOf,
  isFields,
  percentageOf,
  type Fields,
} from '../../conditions/operators/stored-json.ts';
import type { Verdict } from './decision.ts';

/** A variant's key, and the end of its range in `[0, 1)`. The range begins where the range of the previous variant ends. */
type Variant = { readonly key: string; readonly below: number };

export type Placement = {
  /** Whether devices are placed instead of persons. */
  readonly isByDevice: boolean;
  /** Whether persons keep the answer that they got before they were identified. */
  readonly isContinuous: boolean;
  readonly variantKeys: ReadonlySet<string>;
  /** @param group index of the type of the group to place; undefined places the person */
  isInRollout: (context: EvaluationContext, group: number | undefined, percentage: number) => Verdict;
  /** The number in `[0, 1]` that `isInRollout` compares with a percentage; undefined if it is unknown. */
  hashOf: (context: EvaluationContext, group: number | undefined) => number | undefined;
  /** Key of the variant; null if the flag has none at this position, undefined if it is unknown. */
  variantFor: (context: EvaluationContext, group: number | undefined) => string | null | undefined;
  /** Returns `holdout-<id>` for a context that is held out. Undefined for a flag without a holdout. */
  readonly holdoutOf: ((context: EvaluationContext) => string | undefined) | undefined;
};

/** Steps per character of an id, because ids of groups and devices may be as long as a request. */
const HASH_STEPS = 4;

export function compilePlacement(flag: FlagDefinition, filters: Fields, flagGroup: number | undefined): Placement {
  const isByDevice = flag.bucketingIdentifier === 'device_id';
  const isContinuous = flag.ensureExperienceContinuity && !isByDevice && flagGroup === undefined;
  const hashOf = hash01(`${flag.key}.`);
  const variants = variantsOf(fieldAt(fieldsOf(fieldAt(filters, 'multivariate')), 'variants'));
  const holdout = holdoutIn(filters);

  function idOf(context: EvaluationContext, group: number | undefined): string | undefined {
    if (group !== undefined) return context.groupKey(group) ?? '';
    if (isByDevice && context.deviceId !== '') return context.deviceId;
    return isContinuous ? context.continuousId(flag.key) : context.request.distinctId;
  }

  /** Returns 0 for an empty id, so a context without an id is in every rollout. */
  function percentileOf(context: EvaluationContext, group: number | undefined, salt?: string): number | undefined {
    const id = idOf(context, group);
    if (id) context.readings.spendOn(id, HASH_STEPS);
    return id ? hashOf(id, salt) : id === '' ? 0 : undefined;
  }

  /** Uses a previous id from the request but no stored override, because overrides differ by flag and holdouts must not. */
  function holdoutIdOf(context: EvaluationContext): string {
    const { anonDistinctId, distinctId } = context.request;
    if (flagGroup === undefined && isContinuous) return anonDistinctId || distinctId;
    return idOf(context, flagGroup) ?? distinctId;
  }

  function isHeldOut(context: EvaluationContext, percentage: number): boolean {
    if (percentage >= 100) return true;
    const id = holdoutIdOf(context);
    context.readings.spendOn(id, HASH_STEPS);
    return isInPercentage(hashForHoldout(id), percentage);
  }

  return {
    isByDevice,
    isContinuous,
    variantKeys: new Set(variants.map(({ key }) => key)),
    isInRollout(context, group, percentage) {
      if (percentage >= 100) return true;
      const percentile = percentileOf(context, group);
      return percentile === undefined ? 'database_error' : isInPercentage(percentile, percentage);
    },
    hashOf: (context, group) => percentileOf(context, group),
    variantFor(context, group) {
      if (variants.length === 0) return null;
      const percentile = percentileOf(context, group, 'variant');
      return percentile === undefined ? undefined : variantAt(percentile, variants);
    },
    holdoutOf: holdout && ((context) => (isHeldOut(context, holdout.percentage) ? holdout.variant : undefined)),
  };
}

/** Hash for holdouts, the same for all flags. */
const hashForHoldout = hash01('holdout-');

/** @param percentage inclusive upper bound */
export function isInPercentage(percentile: number, percentage: number): boolean {
  return percentile <= percentage / 100;
}

/** @returns null at a position after all variants, whose sum may be below 100 %, if only by rounding */
export function variantAt(percentile: number, variants: readonly Variant[]): string | null {
  return variants.find(({ below }) => percentile < below)?.key ?? null;
}

/** @param json value of `multivariate.variants`: `[{key, rollout_percentage}]` */
export function variantsOf(json: Json | undefined): Variant[] {
  const variants: Variant[] = [];
  let below = 0;
  for (const variant of elementsOf(json)) {
    const key = fieldAt(fieldsOf(variant), 'key');
    if (typeof key !== 'string') continue;
    // Adds floats in upstream's order, because rounding decides the variant of one person in a hundred million.
    below += (percentageOf(fieldAt(fieldsOf(variant), 'rollout_percentage'), 0) || 0) / 100;
    variants.push({ key, below });
  }
  return variants;
}

/** Reads `holdout: {id, exclusion_percentage}`, or the older `holdout_groups: [{rollout_percentage, variant}]`. */
function holdoutIn(filters: Fields): { variant: string; percentage: number } | undefined {
  const holdout = fieldAt(filters, 'holdout');
  if (isFields(holdout)) {
    const id = integerOf(fieldAt(holdout, 'id'));
    return id === undefined ? undefined : holdoutShare(`holdout-${id}`, fieldAt(holdout, 'exclusion_percentage'), NaN);
  }
  const group = fieldsOf(elementsOf(fieldAt(filters, 'holdout_groups'))[0]);
  const variant = fieldAt(group, 'variant');
  return typeof variant === 'string' ? holdoutShare(variant, fieldAt(group, 'rollout_percentage'), 100) : undefined;
}

function holdoutShare(variant: string, json: Json | undefined, byDefault: number) {
  const percentage = percentageOf(json, byDefault);
  return Number.isNaN(percentage) ? undefined : { variant, percentage: Math.max(percentage, 0) };
}
