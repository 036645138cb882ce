/** Places the person or group in a flag: in or out of a rollout, in a variant, held out or not. */
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

/** A key, and the end of its part of `[0, 1)`; the part begins where the previous one ends. */
type Variant = { readonly key: string; readonly below: number };

export type Placement = {
  /** Whether the flag places by device instead of by person. */
  readonly byDevice: boolean;
  /** An answer that a person got before they were identified is kept. */
  readonly isContinuous: boolean;
  readonly variantKeys: ReadonlySet<string>;
  /** @param group index of the type of the group that is placed; undefined: the person */
  isInRollout: (context: EvaluationContext, group: number | undefined, percentage: number) => Verdict;
  /** The place that `isInRollout` compares with a percentage; undefined: not known. */
  placeOf: (context: EvaluationContext, group: number | undefined) => number | undefined;
  /** null: none, the flag is just on; undefined: not known. */
  variantFor: (context: EvaluationContext, group: number | undefined) => string | null | undefined;
  /** Returns `holdout-<id>` for a context that is held out. Undefined: the flag has no holdout. */
  readonly holdoutOf: ((context: EvaluationContext) => string | undefined) | undefined;
};

/** Steps for each character of an id, because ids of groups and devices may be as long as a request. */
const HASH_STEPS = 4;

export function placementOf(flag: FlagDefinition, filters: Fields, flagGroup: number | undefined): Placement {
  const byDevice = flag.bucketingIdentifier === 'device_id';
  const isContinuous = flag.ensureExperienceContinuity && !byDevice && flagGroup === undefined;
  const hashOf = hash01(`${flag.key}.`);
  const variants = variantsOf(fieldAt(fieldsOf(fieldAt(filters, 'multivariate')), 'variants'));
  const holdout = holdoutIn(filters);

  function idOf(context: EvaluationContext, group: number | undefined): string | undefined {
    if (group !== undefined) return context.groupKey(group) ?? '';
    if (byDevice && context.deviceId !== '') return context.deviceId;
    return isContinuous ? context.continuousId(flag.key) : context.request.distinctId;
  }

  /** Returns 0 for an empty id, so a context without an id is in every rollout. */
  function percentileOf(context: EvaluationContext, group: number | undefined, salt?: string): number | undefined {
    const id = idOf(context, group);
    if (id) context.readings.spendOn(id, HASH_STEPS);
    return id ? hashOf(id, salt) : id === '' ? 0 : undefined;
  }

  /** Earlier ids count only as far as the request names them: holdouts are the same in all flags. */
  function holdoutIdOf(context: EvaluationContext): string {
    const { anonDistinctId, distinctId } = context.request;
    if (flagGroup === undefined && isContinuous) return anonDistinctId || distinctId;
    return idOf(context, flagGroup) ?? distinctId;
  }

  function isHeldOut(context: EvaluationContext, percentage: number): boolean {
    if (percentage >= 100) return true;
    const id = holdoutIdOf(context);
    context.readings.spendOn(id, HASH_STEPS);
    return isWithin(placeInHoldout(id), percentage);
  }

  return {
    byDevice,
    isContinuous,
    variantKeys: new Set(variants.map(({ key }) => key)),
    isInRollout(context, group, percentage) {
      if (percentage >= 100) return true;
      const place = percentileOf(context, group);
      return place === undefined ? 'database_error' : isWithin(place, percentage);
    },
    placeOf: (context, group) => percentileOf(context, group),
    variantFor(context, group) {
      if (variants.length === 0) return null;
      const place = percentileOf(context, group, 'variant');
      return place === undefined ? undefined : variantAt(place, variants);
    },
    holdoutOf: holdout && ((context) => (isHeldOut(context, holdout.percentage) ? holdout.variant : undefined)),
  };
}

/** The same in all flags. */
const placeInHoldout = hash01('holdout-');

/** @param percentage its end is in it */
export function isWithin(place: number, percentage: number): boolean {
  return place <= percentage / 100;
}

/** @returns null when the variants together are less than 100 %, or floats make them so */
export function variantAt(place: number, variants: readonly Variant[]): string | null {
  return variants.find(({ below }) => place < below)?.key ?? null;
}

/** @param stored `[{key, rollout_percentage}]`, as it is under `multivariate.variants` */
export function variantsOf(stored: Json | undefined): Variant[] {
  const variants: Variant[] = [];
  let below = 0;
  for (const one of elementsOf(stored)) {
    const key = fieldAt(fieldsOf(one), 'key');
    if (typeof key !== 'string') continue;
    // Floats are added in upstream's order, because the variant of one in a hundred million depends on it.
    below += (percentageOf(fieldAt(fieldsOf(one), 'rollout_percentage'), 0) || 0) / 100;
    variants.push({ key, below });
  }
  return variants;
}

/** `holdout: {id, exclusion_percentage}`, or the older `holdout_groups: [{rollout_percentage, variant}]`. */
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

function holdoutShare(variant: string, stored: Json | undefined, byDefault: number) {
  const percentage = percentageOf(stored, byDefault);
  return Number.isNaN(percentage) ? undefined : { variant, percentage: Math.max(percentage, 0) };
}
