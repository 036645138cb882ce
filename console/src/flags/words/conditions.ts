/** Conditions of a flag as sentences: `$initial_referrer contains google`. */
import type { components } from '../../api/schema.d.ts';
import { kindOf, operatorWords } from '../../exports/form/content/operators.ts';

export type Filters = components['schemas']['FlagFilters'];
export type ConditionSet = NonNullable<Filters['groups']>[number];
export type Condition = NonNullable<ConditionSet['properties']>[number];

/** A condition in parts, so that a page can show names and values in another style than the words between them. */
export type ConditionParts = { subject: string; verb: string; values: string[]; conjunction: 'or' | 'and' };

/** Names of objects that conditions refer to by id. */
export type Names = {
  cohort(id: string): string;
  /** The key of a flag. */
  flag(id: string): string;
  groupType(index: number): string;
};

/** Names where only the ids are known. */
export const NAMES_BY_ID: Names = {
  cohort: (id) => `cohort ${id}`,
  flag: (id) => `flag ${id}`,
  groupType: (index) => `group type ${index}`,
};

export function partsOf(condition: Condition, names: Names = NAMES_BY_ID): ConditionParts {
  const { type, operator, value } = condition;
  const key = String(condition.key);
  if (type === 'cohort') {
    const isNegated = operator === 'not_in' || condition.negation === true;
    return {
      subject: 'person',
      verb: isNegated ? 'is not in' : 'is in',
      values: [names.cohort(String(value))],
      conjunction: 'or',
    };
  }
  if (type === 'flag') return { subject: names.flag(key), verb: 'is', values: [flagValue(value)], conjunction: 'or' };
  const name = operator ?? 'exact';
  const kind = kindOf(name);
  const values = kind === 'none' ? [] : (Array.isArray(value) ? value : [value]).map(valueInWords);
  return {
    subject: type === 'person_metadata' ? `person's ${key}` : key,
    verb: operatorWords(name),
    values,
    conjunction: kind === 'bounds' ? 'and' : 'or',
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
export function listOf(values: readonly string[], conjunction: string): string {
  if (values.length <= 1) return values.join('');
  if (values.length > MAX_VALUES) {
    return `${values.slice(0, MAX_VALUES - 1).join(', ')} ${conjunction} ${values.length - MAX_VALUES + 1} others`;
  }
  return `${values.slice(0, -1).join(', ')} ${conjunction} ${values.at(-1)}`;
}

export function conditionInWords(condition: Condition, names: Names = NAMES_BY_ID): string {
  const { subject, verb, values, conjunction } = partsOf(condition, names);
  return [subject, verb, listOf(values, conjunction)].filter(Boolean).join(' ');
}

export const conditionsOf = (set: ConditionSet): readonly Condition[] => set.properties ?? [];

/** The percentage of a set; absent means all who match. */
export const percentOf = (set: Pick<ConditionSet, 'rollout_percentage'>): number => set.rollout_percentage ?? 100;

/** @returns as `33.3 %` */
export const formatPercent = (percent: number): string => `${Number(percent.toFixed(4))} %`;

/** @returns text such as `plan is pro and email is set`; empty for a set without conditions */
export function setInWords(set: ConditionSet, names: Names = NAMES_BY_ID): string {
  return conditionsOf(set)
    .map((condition) => conditionInWords(condition, names))
    .join(' and ');
}

/** @returns the group type of a set, null for persons: the set's own value if present, even null */
export function groupTypeIndexOf(set: ConditionSet, filters: Filters): number | null {
  const ownIndex = set.aggregation_group_type_index;
  return (ownIndex === undefined ? filters.aggregation_group_type_index : ownIndex) ?? null;
}
