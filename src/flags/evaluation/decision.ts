/** Requests for decisions, the stored facts that they need, and the decisions themselves. */
import type { Json, Properties } from '../../conditions/operators/json-values.ts';

/** Runtime of the requesting program. `unknown` gets only flags for all runtimes, `all` gets every flag. */
export type Runtime = 'client' | 'server' | 'all' | 'unknown';

/** The subject of a request, with its own properties. */
export type EvaluationRequest = {
  /** Up to 200 code points; may be empty. */
  distinctId: string;
  /** `$anon_distinct_id`: the person's previous, anonymous distinct id. */
  anonDistinctId?: string | undefined;
  deviceId?: string | undefined;
  /** Group keys by the names of group types. */
  groups: Readonly<Record<string, string>>;
  /** Override stored properties of the same name. */
  personProperties: Properties;
  /** Properties by the names of group types; they override stored properties of the same name. */
  groupProperties: Readonly<Record<string, Properties>>;
  /**
   * Location properties from the client's address. They override stored properties, and are overridden by the request's own. A property
   * that is undefined here is unknown, even if one is stored.
   */
  geoProperties?: Readonly<Record<string, Json | undefined>> | undefined;
  runtime: Runtime;
  /** Selects flags that are restricted to one of these contexts, and flags without contexts; empty: all flags. */
  contexts: readonly string[];
  /** Keys of the flags to evaluate; absent: all. */
  flagKeys?: ReadonlySet<string> | undefined;
  onlySurveys: boolean;
  /** Whether stored properties are ignored. */
  onlyRequestProperties: boolean;
  /** Receives the steps of one flag's evaluation. */
  trace?: Trace | undefined;
};

/** Stored facts that the decisions of a request need; if there are none, no query is made. */
export type Needs = {
  person: boolean;
  /** Indexes of group types. */
  groups: readonly number[];
  /** Ids of static cohorts. */
  staticCohorts: readonly number[];
  hashKeyOverrides: boolean;
};

/** Stored facts about the subject. Facts that could not be read are `unavailable`, and only flags that depend on them fail. */
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

/** The outcome of a condition set, as recorded during the evaluation. */
export type SetTrace = {
  /** Index of the set in stored order. */
  readonly index: number;
  readonly reason:
    'condition_match' | 'no_condition_match' | 'out_of_rollout_bound' | 'no_group_type' | 'no_device' | FailureCode;
  /** Hash of the subject in `[0, 1]`; undefined if it was not needed or is unknown. */
  readonly hash: number | undefined;
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

/** Decision of one flag; one object is shared by all requests with the same outcome. */
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
  /** JSON text as stored; null if the flag is off. */
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
