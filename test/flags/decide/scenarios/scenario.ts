/** A row of the tables of this folder: what is stored, what is asked, and what is answered. */
import type { FlagRow } from '../../../support/database/flag-rows.ts';

export type Properties = Record<string, unknown>;

/** In filters `<cohort name>` and `<flag key>` stand for ids. */
export type FlagGiven = Partial<Omit<FlagRow, 'id' | 'filters'>> & { key: string; filters?: object };

export type Scenario = {
  what: string;
  /** Where the expectation comes from: a file of upstream's repository, or a page of its documentation. */
  source: string;
  /** Why we answer otherwise than the source says. */
  otherwise?: string;
  flags?: FlagGiven[];
  /** Properties by distinct ids: those that stand together, with a space between them, are one person. */
  persons?: Record<string, Properties>;
  /** Properties by keys, by types; the first type has index 0. */
  groups?: Record<string, Record<string, Properties>>;
  /** The filters of dynamic cohorts; of static ones the distinct ids of their members. */
  cohorts?: Record<string, object | string[]>;
  /** Hash keys that persons kept: by flags, by distinct ids. */
  kept?: Record<string, Record<string, string>>;
  /** Whether visitors without cookies are told apart. */
  cookieless?: boolean;
  /** How many requests for flags the project may make in a month. Asked again until it is known. */
  quota?: number;
  /** `/flags/?v=2` unless it says so. */
  path?: string;
  method?: string;
  /** Over `{token, distinct_id: 'ada'}`; undefined takes away. A function is given the token and makes the body itself. */
  request?: object | ((token: string) => string | Uint8Array);
  headers?: Record<string, string>;
  /** Requests sent before this one, one after the other. */
  earlier?: object[];
  expected: Expected;
};

export type Expected = {
  /** 200 unless it says so. */
  status?: number;
  /** Of all flags that are answered, in whatever shape: for decide's first list `true` each. */
  values?: Record<string, boolean | string>;
  /** With details: the code of the reason, and the index of the condition set. */
  reasons?: Record<string, [code: string, index: number | null]>;
  payloads?: Record<string, string | null>;
  /** Members of details. */
  details?: Record<string, Record<string, unknown>>;
  /** Members of the answer, as they are. */
  body?: Record<string, unknown>;
  /** Members that the answer does not have. */
  without?: string[];
};

export const person = (key: string, value: unknown, operator = 'exact') => ({ key, type: 'person', operator, value });
export const group = (key: string, value: unknown, index = 0, operator = 'exact') => ({
  key,
  type: 'group',
  group_type_index: index,
  operator,
  value,
});
export const inCohort = (name: string, operator: string | null = 'in') => ({
  key: 'id',
  type: 'cohort',
  operator,
  value: `<cohort ${name}>`,
});
export const ofFlag = (key: string, value: boolean | string) => ({
  key: `<flag ${key}>`,
  type: 'flag',
  operator: 'flag_evaluates_to',
  value,
});
/** A condition set of these properties, for all that they hold for. */
export const set = (...properties: object[]) => ({ properties, rollout_percentage: 100 });
export const sets = (...groups: object[]) => ({ groups });
export const EVERYBODY = sets(set());
export const NOBODY = sets({ properties: [], rollout_percentage: 0 });
/** Equal parts. */
export const variants = (...keys: string[]) => ({
  multivariate: { variants: keys.map((key) => ({ key, rollout_percentage: 100 / keys.length })) },
});
