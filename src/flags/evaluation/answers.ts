/** All decisions that a flag can have. Each is created once, so equal decisions are the same object in every context. */
import { REASONS, type Decision, type FailureCode } from './decision.ts';
import type { FlagDefinition } from './definitions.ts';
import { textOf } from '../../conditions/operators/json-values.ts';
import { fieldAt, fieldsOf } from '../../conditions/operators/stored-json.ts';

/** Reasons why no condition set matched; if sets differ, the highest is reported. */
export const MISS = { noGroupType: 0, noConditionMatch: 1, outOfRolloutBound: 2, noDevice: 3 } as const;
export type Miss = (typeof MISS)[keyof typeof MISS];
/** Codes by miss. Upstream has none for a missing device, so its description explains it. */
const MISS_CODES = ['no_group_type', 'no_condition_match', 'out_of_rollout_bound', 'out_of_rollout_bound'] as const;
const KINDS_OF_MISS = MISS_CODES.length;

const GROUPS_NOT_EVALUATED =
  'No matching condition set (group conditions were not evaluated because no group type was provided)';
const NO_DEVICE = 'Condition set skipped (the flag is bucketed by device and no $device_id was provided)';
const FAILURES: Record<FailureCode, string> = {
  timeout: 'The time for evaluating flags was used up',
  database_error: 'Data that the flag depends on could not be read',
  dependency_not_found_cohort: 'A cohort that the flag depends on does not exist',
  dependency_cycle_cohort: 'Cohorts that the flag depends on contain each other',
  cohort_filters_parsing_error: 'A condition on a cohort has no cohort id',
  evaluation_error: 'The flag could not be evaluated',
};

type Answer = {
  enabled?: boolean;
  variant?: string | null;
  index?: number | undefined;
  description?: string | undefined;
  failed?: boolean;
};

export type Answers = ReturnType<typeof answersOf>;

export function answersOf(flag: FlagDefinition) {
  const payloads = fieldsOf(fieldAt(fieldsOf(flag.filters), 'payloads'));
  const matches = new Map<string, Decision[]>();
  const matchesWithoutVariant: Decision[] = [];
  const misses: Decision[] = [];
  const others = new Map<string, Decision>();

  function payloadOf(key: string): string | null {
    const payload = fieldAt(payloads, key);
    return payload === undefined ? null : textOf(payload);
  }

  function newDecision(code: Decision['reason']['code'], answer: Answer): Decision {
    const { enabled = false, variant = null, index, failed = false } = answer;
    const description = answer.description ?? REASONS[code as keyof typeof REASONS];
    return {
      key: flag.key,
      id: flag.id,
      version: flag.version,
      enabled,
      variant,
      reason: { code, conditionIndex: index ?? null, description },
      payload: enabled ? payloadOf(variant ?? 'true') : null,
      hasExperiment: flag.hasExperiment,
      failed,
    };
  }

  function cachedDecision(name: string, code: Decision['reason']['code'], answer: Answer): Decision {
    let decision = others.get(name);
    if (!decision) others.set(name, (decision = newDecision(code, answer)));
    return decision;
  }

  function matchesOf(variant: string | null): Decision[] {
    if (variant === null) return matchesWithoutVariant;
    let byVariant = matches.get(variant);
    if (!byVariant) matches.set(variant, (byVariant = []));
    return byVariant;
  }

  return {
    matchDecision(index: number, variant: string | null): Decision {
      return (matchesOf(variant)[index] ??= newDecision('condition_match', {
        enabled: true,
        variant,
        index,
        description: `${REASONS.condition_match} ${index + 1}`,
      }));
    },
    /** @param index of the condition set; undefined if the flag has none */
    missDecision(miss: Miss, index: number | undefined, skippedGroups: boolean): Decision {
      const slot = (((index ?? -1) + 1) * KINDS_OF_MISS + miss) * 2 + (skippedGroups ? 1 : 0);
      return (misses[slot] ??= newDecision(MISS_CODES[miss], {
        index,
        description: descriptionOf(miss, skippedGroups),
      }));
    },
    enrollmentDecision: (enabled: boolean) =>
      cachedDecision(`enrolled ${enabled}`, 'super_condition_value', { enabled, index: 0 }),
    holdoutDecision: (variant: string) =>
      cachedDecision(`held out ${variant}`, 'holdout_condition_value', { enabled: true, variant }),
    missingDependency: () => cachedDecision('missing dependency', 'missing_dependency', {}),
    failureDecision: (code: FailureCode) =>
      cachedDecision(`failed ${code}`, code, { description: FAILURES[code], failed: true }),
  };
}

/** @returns undefined if the code is clear enough */
function descriptionOf(miss: Miss, skippedGroups: boolean): string | undefined {
  if (miss === MISS.noDevice) return NO_DEVICE;
  return skippedGroups && miss === MISS.noConditionMatch ? GROUPS_NOT_EVALUATED : undefined;
}
