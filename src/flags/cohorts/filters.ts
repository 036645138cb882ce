/** Filters of a cohort: nested groups of conditions on persons, and the checks before they are stored. */
import { InvalidInput } from '../../platform/errors.ts';
import { postgresRegex } from '../../conditions/sql/postgres-regex.ts';
import { checkCondition } from '../../conditions/operators/check-condition.ts';
import { textOf, type Json } from '../../conditions/operators/json-values.ts';
import { sharedPatternBudget, type PatternBudget } from '../../conditions/regex/pattern-budget.ts';
import { elementsOf, fieldAt, fieldsOf, isFields, type Fields } from '../../conditions/operators/stored-json.ts';
import { idOf } from '../feature-flags/checks/check-filters.ts';

export type PropertyLeaf = { type: 'person'; key: string; operator: string; value?: Json; negation?: true };
export type CohortLeaf = { type: 'cohort'; key: 'id'; operator: 'in' | 'not_in'; value: number; negation?: true };
export type PropertyGroup = { type: 'AND' | 'OR'; values: (PropertyGroup | PropertyLeaf | CohortLeaf)[] };
export type CohortFilters = { properties: PropertyGroup };

/** Path of a value in the body, as errors name it. */
type FieldPath = string;

const MAX_LEAVES = 1000;
const MAX_KEY = 400;

/**
 * @param value `filters` of the request
 * @returns the filters to store, with explicit operators and without unknown fields
 * @throws InvalidInput naming the field
 */
export function parseCohortFilters(value: unknown): CohortFilters {
  const group = fieldAt(fieldsOf(value as Json), 'properties');
  const path = 'filters__properties';
  if (group === undefined) throw new InvalidInput('This field is required.', path, 'required');
  const properties = parseGroup(group, path, sharedPatternBudget());
  if (leavesOf(properties).length > MAX_LEAVES) {
    throw new InvalidInput(`A cohort may have at most ${MAX_LEAVES} conditions.`, path);
  }
  return { properties };
}

/** Whether `filters` contain any condition; clients also send empty groups. */
export function hasConditions(value: unknown): boolean {
  return hasContent(fieldAt(fieldsOf(value as Json), 'properties') ?? null);
}

function hasContent(value: Json): boolean {
  if (!isFields(value)) return false;
  const { type: _, values, ...rest } = value;
  return Object.keys(rest).length > 0 || elementsOf(values).some(hasContent);
}

/** Ids of the cohorts that the filters reference. */
export function cohortIdsIn({ properties }: CohortFilters): number[] {
  return leavesOf(properties).flatMap((leaf) => (leaf.type === 'cohort' ? [leaf.value] : []));
}

/** Whether the cohort reads properties of persons itself, not only through other cohorts. */
export function readsPersonProperties({ properties }: CohortFilters): boolean {
  return leavesOf(properties).some(({ type }) => type === 'person');
}

function leavesOf(group: PropertyGroup): (PropertyLeaf | CohortLeaf)[] {
  return group.values.flatMap((entry) => ('values' in entry ? leavesOf(entry) : [entry]));
}

/** @param budget the budget that the patterns of all conditions share */
function parseGroup(value: Json, path: FieldPath, budget: PatternBudget): PropertyGroup {
  const group = fieldsOf(value);
  const type = fieldAt(group, 'type');
  if (!isFields(value) || (type !== 'AND' && type !== 'OR')) {
    throw new InvalidInput('A group of conditions is of the type `AND` or `OR`.', `${path}__type`);
  }
  const values = elementsOf(fieldAt(group, 'values'));
  if (values.length === 0) throw new InvalidInput('A group has at least one condition.', `${path}__values`);
  return {
    type,
    values: values.map((entry, index) => parseGroupOrCondition(entry, `${path}__values__${index}`, budget)),
  };
}

function parseGroupOrCondition(value: Json, path: FieldPath, budget: PatternBudget) {
  if (!isFields(value)) throw new InvalidInput('A condition is an object.', path);
  if (Object.hasOwn(value, 'values')) return parseGroup(value, path, budget);
  const negation = fieldAt(value, 'negation') === true ? ({ negation: true } as const) : {};
  switch (fieldAt(value, 'type')) {
    case 'person':
      return { ...parseProperty(value, path, budget), ...negation };
    case 'cohort':
      return { ...parseMembership(value, path), ...negation };
    case 'behavioral':
      throw new InvalidInput(
        'Behavioral cohorts (persons by their events) are not supported: flags cannot be decided by them.',
        `${path}__type`,
        'behavioral_cohort_found',
      );
    default:
      throw new InvalidInput('A condition is of the type `person` or `cohort`.', `${path}__type`);
  }
}

function parseProperty(input: Fields, path: FieldPath, budget: PatternBudget): PropertyLeaf {
  const [key, operator, value] = ['key', 'operator', 'value'].map((name) => fieldAt(input, name));
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY) {
    throw new InvalidInput(`The name of a property has 1 to ${MAX_KEY} characters.`, `${path}__key`);
  }
  return nameFieldInErrors(path, () => {
    const name = operator === undefined || operator === null ? operator : textOf(operator);
    const checked = checkCondition({ key, operator: name, value }, budget);
    // Postgres counts cohorts, and its automata for the same pattern are larger, so its limit applies, too.
    if (checked === 'regex' || checked === 'not_regex') postgresRegex(textOf(value ?? null));
    return { type: 'person', key, operator: checked, ...(value !== undefined && { value }) };
  });
}

function parseMembership(input: Fields, path: FieldPath): CohortLeaf {
  const operator = fieldAt(input, 'operator') ?? 'in';
  if (operator !== 'in' && operator !== 'not_in') {
    throw new InvalidInput('A person can only be `in` or `not_in` a cohort.', `${path}__operator`, 'invalid_operator');
  }
  const value = idOf(fieldAt(input, 'value'));
  if (value === undefined) {
    throw new InvalidInput('This is not the id of a cohort.', `${path}__value`, 'invalid_value');
  }
  return { type: 'cohort', key: 'id', operator, value };
}

function nameFieldInErrors<T>(path: FieldPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.message,
      error.attr === null ? `${path}__value` : `${path}__${error.attr}`,
      error.code,
    );
  }
}
