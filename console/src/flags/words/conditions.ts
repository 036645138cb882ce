/** Conditions of a flag as sentences: `$initial_referrer contains google`. */
import type { components } from '../../api/schema.d.ts';

export type Filters = components['schemas']['FlagFilters'];
export type ConditionSet = NonNullable<Filters['groups']>[number];
export type Condition = NonNullable<ConditionSet['properties']>[number];

/** A condition in parts, so that a page can set names and values apart from the words between them. */
export type ConditionParts = { subject: string; verb: string; values: string[]; between: 'or' | 'and' };

/** Names of objects that conditions refer to by id. */
export type Names = {
  cohort(id: string): string;
  /** The key of a flag. */
  flag(id: string): string;
  groupType(index: number): string;
};

/** Names for use where only the ids are known. */
export const IDS: Names = {
  cohort: (id) => `cohort ${id}`,
  flag: (id) => `flag ${id}`,
  groupType: (index) => `group type ${index}`,
};

const VERBS: Readonly<Record<string, string>> = {
  exact: 'is',
  is_not: 'is not',
  is_set: 'is set',
  is_not_set: 'is not set',
  icontains: 'contains',
  not_icontains: 'does not contain',
  icontains_multi: 'contains',
  not_icontains_multi: 'contains neither',
  starts_with: 'begins with',
  not_starts_with: 'does not begin with',
  ends_with: 'ends with',
  not_ends_with: 'does not end with',
  regex: 'matches',
  not_regex: 'does not match',
  gt: 'is more than',
  gte: 'is at least',
  min: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  max: 'is at most',
  between: 'is between',
  not_between: 'is not between',
  is_date_exact: 'is on',
  is_date_before: 'is before',
  is_date_after: 'is after',
  semver_eq: 'is version',
  semver_neq: 'is not version',
  semver_gt: 'is newer than version',
  semver_gte: 'is at least version',
  semver_lt: 'is older than version',
  semver_lte: 'is at most version',
  semver_tilde: 'is about version',
  semver_caret: 'is compatible with version',
  semver_wildcard: 'is a version like',
};
const WITHOUT_VALUE = ['is_set', 'is_not_set'];
const BETWEEN = ['between', 'not_between'];

export function partsOf(condition: Condition, names: Names = IDS): ConditionParts {
  const { type, operator, value } = condition;
  const key = String(condition.key);
  if (type === 'cohort') {
    const isNegated = operator === 'not_in' || condition.negation === true;
    return {
      subject: 'person',
      verb: isNegated ? 'is not in' : 'is in',
      values: [names.cohort(String(value))],
      between: 'or',
    };
  }
  if (type === 'flag') return { subject: names.flag(key), verb: 'is', values: [flagValue(value)], between: 'or' };
  const name = operator ?? 'exact';
  const values = WITHOUT_VALUE.includes(name) ? [] : (Array.isArray(value) ? value : [value]).map(valueInWords);
  return {
    subject: type === 'person_metadata' ? `person's ${key}` : key,
    verb: VERBS[name] ?? name.replaceAll('_', ' '),
    values,
    between: BETWEEN.includes(name) ? 'and' : 'or',
  };
}

function flagValue(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}

const AGO = /^-(\d+)([hdwmy])$/;
const UNITS: Readonly<Record<string, string>> = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' };

function valueInWords(value: unknown): string {
  if (typeof value !== 'string') return value === undefined ? 'nothing' : JSON.stringify(value);
  const [, count, unit] = AGO.exec(value) ?? [];
  if (count === undefined) return value === '' ? 'an empty text' : value;
  return `${count} ${UNITS[unit!]}${count === '1' ? '' : 's'} ago`;
}

/** Limit of listed values; the others are counted. */
const MAX_VALUES = 5;

/** @returns values as `a, b or c`, the last ones counted where there are many */
export function listOf(values: readonly string[], between: string): string {
  if (values.length <= 1) return values.join('');
  if (values.length > MAX_VALUES) {
    return `${values.slice(0, MAX_VALUES - 1).join(', ')} ${between} ${values.length - MAX_VALUES + 1} others`;
  }
  return `${values.slice(0, -1).join(', ')} ${between} ${values.at(-1)}`;
}

export function conditionInWords(condition: Condition, names: Names = IDS): string {
  const { subject, verb, values, between } = partsOf(condition, names);
  return [subject, verb, listOf(values, between)].filter(Boolean).join(' ');
}

export const conditionsOf = (set: ConditionSet): readonly Condition[] => set.properties ?? [];

/** The percentage of a set; absent means all who match. */
export const percentOf = (set: Pick<ConditionSet, 'rollout_percentage'>): number => set.rollout_percentage ?? 100;

/** @returns as `33.3 %` */
export const formatPercent = (percent: number): string => `${Number(percent.toFixed(4))} %`;

/** @returns text such as `plan is pro and email is set`; empty for a set without conditions */
export function setInWords(set: ConditionSet, names: Names = IDS): string {
  return conditionsOf(set)
    .map((condition) => conditionInWords(condition, names))
    .join(' and ');
}

/** @returns the group type of a set, null for persons: the set's own value if present, even null */
export function groupTypeIndexOf(set: ConditionSet, filters: Filters): number | null {
  const ownIndex = set.aggregation_group_type_index;
  return (ownIndex === undefined ? filters.aggregation_group_type_index : ownIndex) ?? null;
}
