/** Compiles one filter of a flag or cohort to SQL, with the same result as decide has from stored facts alone. */
import { conditionSql, type ConditionSqlContext } from '../../conditions/sql/condition-sql.ts';
import { textOf, type Json } from '../../conditions/operators/json-values.ts';
import type { PropertyCondition } from '../../conditions/operators/operators.ts';
import { fieldAt, fieldsOf, integerOf, type Fields } from '../../conditions/operators/stored-json.ts';
import { ALIAS, groupProperties, NO_PROPERTIES, PERSON_METADATA, personProperties, type Subject } from './subject.ts';

/** An unknown result. In SQL, neither it nor its negation is true. */
export const UNKNOWN = 'null::boolean';

export type FilterSqlContext = {
  subject: Subject;
  context: ConditionSqlContext;
  /** @returns an SQL condition for membership in the cohort */
  inCohort(id: number): string;
};

/** @returns SQL that is true, false or unknown; a malformed filter is false */
export function filterSql(json: Json, options: FilterSqlContext): string {
  const filter = fieldsOf(json);
  if (fieldAt(filter, 'type') === 'cohort') return membershipSql(filter, options);
  const key = fieldAt(filter, 'key');
  const source = typeof key === 'string' ? sourceOf(key, filter, options.subject) : undefined;
  if (typeof key !== 'string' || source === undefined) return 'false';
  const condition = { key, operator: operatorOf(filter), value: fieldAt(filter, 'value') };
  if (source === DISTINCT_IDS) return distinctIdSql(condition, options.context);
  return conditionSql(condition, source, options.context);
}

/** @returns null without an operator; an operator that is not text becomes text that names no operator */
function operatorOf(filter: Fields): string | null {
  const operator = fieldAt(filter, 'operator') ?? null;
  return operator === null ? null : textOf(operator);
}

const DISTINCT_IDS = Symbol('those of a person');

/** @returns the source of the property; undefined for an unknown type of property */
function sourceOf(key: string, filter: Fields, subject: Subject): string | typeof DISTINCT_IDS | undefined {
  // Old filters have no type; the subject implies it.
  const type = fieldAt(filter, 'type') ?? (subject === 'person' ? 'person' : 'group');
  if (type === 'person' || type === 'person_metadata') {
    if (subject !== 'person') return NO_PROPERTIES;
    if (type === 'person_metadata') return PERSON_METADATA;
    return key === 'distinct_id' ? DISTINCT_IDS : personProperties(key);
  }
  if (type !== 'group') return undefined;
  if (subject === 'person') return NO_PROPERTIES;
  const index = integerOf(fieldAt(filter, 'group_type_index')) ?? subject.groupTypeIndex;
  return index === subject.groupTypeIndex ? groupProperties(key) : NO_PROPERTIES;
}

/** Matches a person if any of their distinct ids does, because a request to decide has only one of them. */
function distinctIdSql(condition: PropertyCondition, context: ConditionSqlContext): string {
  return `exists (
    select from person_distinct_ids as known where known.project_id = ${ALIAS}.project_id and known.person_id = ${ALIAS}.id
      and ${conditionSql(condition, `jsonb_build_object('distinct_id', known.distinct_id)`, context)})`;
}

function membershipSql(filter: Fields, { subject, inCohort }: FilterSqlContext): string {
  const id = integerOf(fieldAt(filter, 'value'));
  if (id === undefined) return UNKNOWN;
  const isInCohort = subject === 'person' ? inCohort(id) : 'false';
  const operator = operatorOf(filter);
  // SDKs write `exact` for `in`.
  if (operator === null || operator === 'in' || operator === 'exact') return isInCohort;
  return operator === 'not_in' ? `not ${isInCohort}` : 'false';
}
