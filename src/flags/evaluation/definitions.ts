/** Stored definitions of flags. `filters` may hold anything; malformed parts do not match. */
import type { Json } from '../../conditions/operators/json-values.ts';

export type FlagDefinition = {
  id: number;
  key: string;
  /** Rises with every change. */
  version: number;
  active: boolean;
  filters: Json;
  ensureExperienceContinuity: boolean;
  evaluationRuntime: 'all' | 'client' | 'server';
  bucketingIdentifier: 'distinct_id' | 'device_id';
  evaluationContexts: readonly string[];
  hasExperiment: boolean;
};

/** Prefix of the keys of flags that surveys create for themselves. */
export const SURVEY_PREFIX = 'survey-targeting-';

/** Whether a flag belongs to a survey, not to the project's own flags. */
export function isOfSurvey({ key }: { key: string }): boolean {
  return key.startsWith(SURVEY_PREFIX);
}

export type CohortDefinition = {
  id: number;
  /** True: its persons are listed. False: the filters select them. */
  isStatic: boolean;
  filters: Json;
};

/** Everything that the decisions of one project depend on, except the evaluation context. */
export type Definitions = {
  flags: readonly FlagDefinition[];
  cohorts: readonly CohortDefinition[];
  /** Names by index, 0 to 4. */
  groupTypes: ReadonlyMap<number, string>;
  /** IANA name of the time zone in which dates without an offset are read. */
  timeZone: string;
  /** `property_matching_version`: how values are compared with true and false, by 1 as truth values, by 2 as texts. */
  matchingVersion: 1 | 2;
};
