/** Filters of a cohort: nested groups of conditions on persons, and the checks before they are stored. */
import { InvalidInput } from '../../platform/errors.ts';
import { postgresRegex } from '../../conditions/sql/postgres-regex.ts';
import { checkCondition } from '../../conditions/operators/check-condition.ts';
import { textOf, type Json } from '../../conditions/operators/json-values.ts';
import { roomTogether, type PatternRoom } from '../../conditions/regex/pattern-room.ts';
import { elementsOf, fieldAt, fieldsOf, isFields, type Fields } from '../../conditions/operators/stored-json.ts';
import { idOf } from '../feature-flags/checks/check-filters.ts';

export type PropertyLeaf = { type: 'person'; key: string; operator: string; value?: Json; negation?: true };
export type CohortLeaf = { type: 'cohort'; key: 'id'; operator: 'in' | 'not_in'; value: number; negation?: true };
export type PropertyGroup = { type: 'AND' | 'OR'; values: (PropertyGroup | PropertyLeaf | CohortLeaf)[] };
export type CohortFilters = { properties: PropertyGroup };

/** Path of a value in the body, as errors name it. */
type Place = string;

const MAX_LEAVES = 1000;
const MAX_KEY = 400;

/**
 * @param given `filters` of the request
 * @returns the filters to store, with explicit operators and without meaningless members
 * @throws InvalidInput naming the member
 */
export function checkedCohortFilters(given: unknown): CohortFilters {
  const group = fieldAt(fieldsOf(given as Json), 'properties');
  const place = 'filters__properties';
  if (group === undefined) throw new InvalidInput('This field is required.', place, 'required');
  const properties = checkedGroup(group, place, roomTogether());
  if (leavesOf(properties).length > MAX_LEAVES) {
    throw new InvalidInput(`A cohort may have at most ${MAX_LEAVES} conditions.`, place);
  }
  return { properties };
}

/** Whether `filters` contain any condition; clients also send empty groups. */
export function hasConditions(given: unknown): boolean {
  return saysSomething(fieldAt(fieldsOf(given as Json), 'properties') ?? null);
}

function saysSomething(given: Json): boolean {
  if (!isFields(given)) return false;
  const { type: _, values, ...rest } = given;
  return Object.keys(rest).length > 0 || elementsOf(values).some(saysSomething);
}

/** Ids of the cohorts that the filters reference. */
export function cohortsIn({ properties }: CohortFilters): number[] {
  return leavesOf(properties).flatMap((leaf) => (leaf.type === 'cohort' ? [leaf.value] : []));
}

/** Whether the cohort reads properties of persons itself, not only through other cohorts. */
export function asksPersons({ properties }: CohortFilters): boolean {
  return leavesOf(properties).some(({ type }) => type === 'person');
}

function leavesOf(group: PropertyGroup): (PropertyLeaf | CohortLeaf)[] {
  return group.values.flatMap((one) => ('values' in one ? leavesOf(one) : [one]));
}

/** @param room the budget that the patterns of all conditions share */
function checkedGroup(given: Json, place: Place, room: PatternRoom): PropertyGroup {
  const group = fieldsOf(given);
  const type = fieldAt(group, 'type');
  if (!isFields(given) || (type !== 'AND' && type !== 'OR')) {
    throw new InvalidInput('A group of conditions is of the type `AND` or `OR`.', `${place}__type`);
  }
  const values = elementsOf(fieldAt(group, 'values'));
  if (values.length === 0) throw new InvalidInput('A group has at least one condition.', `${place}__values`);
  return { type, values: values.map((one, index) => checkedMember(one, `${place}__values__${index}`, room)) };
}

function checkedMember(given: Json, place: Place, room: PatternRoom) {
  if (!isFields(given)) throw new InvalidInput('A condition is an object.', place);
  if (Object.hasOwn(given, 'values')) return checkedGroup(given, place, room);
  const negation = fieldAt(given, 'negation') === true ? ({ negation: true } as const) : {};
  switch (fieldAt(given, 'type')) {
    case 'person':
      return { ...checkedProperty(given, place, room), ...negation };
    case 'cohort':
      return { ...checkedMembership(given, place), ...negation };
    case 'behavioral':
      throw new InvalidInput(
        'Behavioral cohorts (persons by their events) are not supported: flags cannot be decided by them.',
        `${place}__type`,
        'behavioral_cohort_found',
      );
    default:
      throw new InvalidInput('A condition is of the type `person` or `cohort`.', `${place}__type`);
  }
}

function checkedProperty(given: Fields, place: Place, room: PatternRoom): PropertyLeaf {
  const [key, operator, value] = ['key', 'operator', 'value'].map((name) => fieldAt(given, name));
  if (typeof key !== 'string' || key === '' || key.length > MAX_KEY) {
    throw new InvalidInput(`The name of a property has 1 to ${MAX_KEY} characters.`, `${place}__key`);
  }
  return nameFieldInErrors(place, () => {
    const name = operator === undefined || operator === null ? operator : textOf(operator);
    const checked = checkCondition({ key, operator: name, value }, room);
    // Cohorts are counted by Postgres, whose automata for the same pattern are larger.
    if (checked === 'regex' || checked === 'not_regex') postgresRegex(textOf(value ?? null));
    return { type: 'person', key, operator: checked, ...(value !== undefined && { value }) };
  });
}

function checkedMembership(given: Fields, place: Place): CohortLeaf {
  const operator = fieldAt(given, 'operator') ?? 'in';
  if (operator !== 'in' && operator !== 'not_in') {
    throw new InvalidInput('A person can only be `in` or `not_in` a cohort.', `${place}__operator`, 'invalid_operator');
  }
  const value = idOf(fieldAt(given, 'value'));
  if (value === undefined) {
    throw new InvalidInput('This is not the id of a cohort.', `${place}__value`, 'invalid_value');
  }
  return { type: 'cohort', key: 'id', operator, value };
}

function nameFieldInErrors<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      error.message,
      error.attr === null ? `${place}__value` : `${place}__${error.attr}`,
      error.code,
    );
  }
}
