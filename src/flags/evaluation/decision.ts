/** Requests for decisions, the stored facts that they need, and the decisions themselves. */
import type { Json, Properties } from '../../conditions/operators/json-values.ts';

/** Kind of program that asks. `unknown` gets only flags for all programs, `all` gets every flag. */
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
  /** Override stored properties of the same name. */
  personProperties: Properties;
  /** By the names of group types; override stored properties of the same name. */
  groupProperties: Readonly<Record<string, Properties>>;
  /**
   * Properties of the place of the client's address: they override stored ones, and the request's own override them. An undefined one is
   * unknown for the address, whatever is stored.
   */
  geoProperties?: Readonly<Record<string, Json | undefined>> | undefined;
  runtime: Runtime;
  /** Flags with contexts need one of these; none: all flags. */
  contexts: readonly string[];
  /** Flags to answer; absent: all. */
  flagKeys?: ReadonlySet<string> | undefined;
  onlySurveys: boolean;
  /** Stored properties do not count. */
  onlyRequestProperties: boolean;
  /** Filled with how a flag is decided. */
  trace?: Trace | undefined;
};

/** Stored facts that a request needs to be decided; if empty, no query is made. */
export type Needs = {
  person: boolean;
  /** Indexes of group types. */
  groups: readonly number[];
  /** Ids of static cohorts. */
  staticCohorts: readonly number[];
  hashKeyOverrides: boolean;
};

/** Stored facts about the subject. `unavailable`: they could not be read, so flags that depend on them fail; the others are right. */
export type Facts = {
  /** null: there is no such person. */
  person: { id: string; createdAt: string; properties: Properties } | null | 'unavailable';
  /** Properties of stored groups, by the index of the group's type. */
  groups: ReadonlyMap<number, Properties> | 'unavailable';
  /** Ids of the static cohorts that hold the person. */
  memberships: ReadonlySet<number> | 'unavailable';
  /** Hash keys by the keys of flags with experience continuity. */
  hashKeyOverrides: ReadonlyMap<string, string> | 'unavailable';
};

/** The outcome of a condition set, as the evaluator writes it down while it decides. */
export type SetTrace = {
  /** Index of the set in stored order. */
  readonly index: number;
  readonly reason:
    'condition_match' | 'no_condition_match' | 'out_of_rollout_bound' | 'no_group_type' | 'no_device' | FailureCode;
  /** Place of the subject in `[0, 1]`; undefined: it was not needed or is not known. */
  readonly place: number | undefined;
};

/** Trace of one flag, without the flags that it depends on. Sets without an entry were not reached. */
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
  /** Whether the flag could not be decided; `enabled` is then false, although the real value is unknown. */
  failed: boolean;
}>;

export type Evaluation = {
  /** Decisions in the order of the definitions. */
  decisions: readonly Decision[];
  errorsWhileComputing: boolean;
};
/** Whether a condition holds, or why that is not known. */

export type Verdict = boolean | FailureCode;
