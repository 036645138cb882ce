/** Requests for decisions, the stored facts that they need, and the decisions themselves. */
import type { Json, Properties } from '../../conditions/operators/json-values.ts';

/** Which kind of program asks: flags may be for one of them only. `unknown` gets those that are for all, `all` gets every flag. */
export type Runtime = 'client' | 'server' | 'all' | 'unknown';

/** The subject of a request, with its own properties. */
export type EvaluationRequest = {
  /** At most 200 code points; may be empty. */
  distinctId: string;
  /** `$anon_distinct_id`: under which the person was known before. */
  anonDistinctId?: string | undefined;
  deviceId?: string | undefined;
  /** Keys of groups by the names of their types. */
  groups: Readonly<Record<string, string>>;
  /** Instead of stored ones of the same name. */
  personProperties: Properties;
  /** By the names of group types; instead of stored ones of the same name. */
  groupProperties: Readonly<Record<string, Properties>>;
  /**
   * Of the address that the request gave for its client: over stored ones, under those of the request. One that is undefined is
   * not known of the address, whatever is stored.
   */
  geoProperties?: Readonly<Record<string, Json | undefined>> | undefined;
  runtime: Runtime;
  /** Flags with contexts need one of these; none: all flags. */
  contexts: readonly string[];
  /** Only these are answered; absent: all. */
  flagKeys?: ReadonlySet<string> | undefined;
  onlySurveys: boolean;
  /** Stored properties do not count. */
  onlyRequestProperties: boolean;
  /** Filled with how a flag is decided. */
  trace?: Trace | undefined;
};

/** Which stored facts a request needs to be decided; nothing: no query. */
export type Needs = {
  person: boolean;
  /** Indexes of group types. */
  groups: readonly number[];
  /** Ids of static cohorts. */
  staticCohorts: readonly number[];
  hashKeyOverrides: boolean;
};

/** Stored facts about the subject. `unavailable`: they could not be read; flags that depend on them fail, the others are right. */
export type Facts = {
  /** null: no such person. */
  person: { id: string; createdAt: string; properties: Properties } | null | 'unavailable';
  /** Properties by the index of the group's type, of those groups that are stored. */
  groups: ReadonlyMap<number, Properties> | 'unavailable';
  /** Ids of the static cohorts that hold the person. */
  memberships: ReadonlySet<number> | 'unavailable';
  /** Hash keys by the keys of flags with experience continuity. */
  hashKeyOverrides: ReadonlyMap<string, string> | 'unavailable';
};

/** The outcome of a condition set, as the evaluator writes it down while it decides. */
export type SetTrace = {
  /** In stored order. */
  readonly index: number;
  readonly reason:
    'condition_match' | 'no_condition_match' | 'out_of_rollout_bound' | 'no_group_type' | 'no_device' | FailureCode;
  /** Where the subject falls in `[0, 1]`; undefined: nothing came to that, or it is not known. */
  readonly place: number | undefined;
};

/** Of one flag: those that it depends on are not traced. Sets without an entry were not reached. */
export type Trace = { readonly key: string; readonly sets: SetTrace[] };

export const REASONS = {
  super_condition_value: 'Super condition value',
  holdout_condition_value: 'Holdout condition value',
  condition_match: 'Matched condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_condition_match: 'No matching condition set',
  no_group_type: 'No group type',
  flag_disabled: 'Feature flag is disabled',
  missing_dependency: 'Flag cannot be evaluated due to missing dependency',
} as const;

/** Why a flag could not be decided. */
export type FailureCode =
  | 'timeout'
  | 'database_error'
  | 'dependency_not_found_cohort'
  | 'dependency_cycle_cohort'
  | 'cohort_filters_parsing_error'
  | 'evaluation_error';

/** Shared by all requests that have the same answer. */
export type Decision = Readonly<{
  key: string;
  id: number;
  version: number;
  enabled: boolean;
  variant: string | null;
  reason: Readonly<{
    code: keyof typeof REASONS | FailureCode;
    /** Index of the condition set, in stored order. */
    conditionIndex: number | null;
    description: string;
  }>;
  /** JSON as text, as it is stored; only of enabled flags. */
  payload: string | null;
  hasExperiment: boolean;
  /** Whether the flag could not be decided: then `enabled` is false without being known. */
  failed: boolean;
}>;

export type Evaluation = {
  /** In the order of the definitions. */
  decisions: readonly Decision[];
  errorsWhileComputing: boolean;
};
/** Whether it holds, or why that is not known. */

export type Verdict = boolean | FailureCode;
