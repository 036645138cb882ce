/** Definitions of flags, as they are stored. Anything in `filters` is accepted: malformed parts do not match. */
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

/** Keys of the flags that surveys make for themselves begin with it. */
export const SURVEY_PREFIX = 'survey-targeting-';

/** Whether a flag belongs to a survey, not to the project's own flags. */
export function isOfSurvey({ key }: { key: string }): boolean {
  return key.startsWith(SURVEY_PREFIX);
}

export type CohortDefinition = {
  id: number;
  /** True: persons are listed. False: the filters say which persons belong. */
  isStatic: boolean;
  filters: Json;
};

/** Everything that the decisions of one project depend on, except the evaluation context. */
export type Definitions = {
  flags: readonly FlagDefinition[];
  cohorts: readonly CohortDefinition[];
  /** Names by index, 0 to 4. */
  groupTypes: ReadonlyMap<number, string>;
  /** IANA name: dates without an offset are read by its clock. */
  timeZone: string;
  /** `property_matching_version`: with true and false, 1 compares truth values and 2 compares texts. */
  matchingVersion: 1 | 2;
};
