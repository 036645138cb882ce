/** Presents a decision in OFREP's form. */
import type { Decision } from '../evaluation/decision.ts';
import type { FlagDefinition } from '../evaluation/definitions.ts';
import { isList, type Json } from '../../conditions/operators/json-values.ts';
import { reasonOf, type Reason } from './reasons.ts';
import { refusal, type Refusal } from './refusal.ts';

/** Value of a flag; without `value` the client uses its own default. */
export type FlagSuccess = {
  key: string;
  reason: Reason;
  value?: boolean | string;
  /** In every answer, because openfeature-provider-ofrep for Python fails without; empty if there is no value. */
  variant: string;
  metadata: Record<string, string | number>;
};
export type FlagFailure = { key: string } & Refusal;

/**
 * Presents the variant's key, or whether the flag is on, as the value. A flag with variants that decides for none has no value, because
 * callers expect a variant's key rather than false.
 */
export function presentDecision(decision: Decision, flag: FlagDefinition): FlagSuccess | FlagFailure {
  const { key, enabled, variant, payload, failed } = decision;
  const { code, conditionIndex } = decision.reason;
  if (failed) return { key, ...refusal('GENERAL', `The flag could not be decided: ${code}.`) };
  const value = variant ?? (enabled || !hasVariants(flag) ? enabled : undefined);
  return {
    key,
    ...(value !== undefined && { value }),
    variant: value === undefined ? '' : String(value),
    reason: reasonOf(decision, flag),
    metadata: {
      id: decision.id,
      version: decision.version,
      reason: code,
      ...(conditionIndex !== null && { condition_index: conditionIndex }),
      ...(payload !== null && { payload }),
    },
  };
}

/** Presents an inactive flag, for which OpenFeature's providers return the default in the code without an error. */
export function presentDisabled({ key, id, version }: FlagDefinition): FlagSuccess {
  return { key, variant: '', reason: 'DISABLED', metadata: { id, version, reason: 'flag_disabled' } };
}

function hasVariants({ filters }: FlagDefinition): boolean {
  const variants = (filters as Filters | null)?.multivariate?.variants ?? null;
  return isList(variants) && variants.length > 0;
}

/** The part of stored filters with the variants. */
type Filters = { multivariate?: { variants?: Json } | null };
