/** The person and the groups to decide for, as typed and as sent. */
import type { components } from '../../../api/schema.d.ts';

/** Types of values: unlike a text field, JSON distinguishes `1` from `"1"`. */
export type ValueType = 'text' | 'number' | 'boolean' | 'json';
export type Property = { key: string; type: ValueType; text: string };
export type Group = { key: string; properties: readonly Property[] };
export type Subject = {
  distinctId: string;
  properties: readonly Property[];
  /** By group type. */
  groups: Readonly<Record<string, Group>>;
};
/** Part of a request that names the person and groups to decide for. */
export type SubjectBody = Pick<
  components['schemas']['FlagEvaluationOf'],
  'distinct_id' | 'person_properties' | 'groups' | 'group_properties'
>;

export const NO_PROPERTY: Property = { key: '', type: 'text', text: '' };
export const NO_GROUP: Group = { key: '', properties: [NO_PROPERTY] };
export const NO_SUBJECT: Subject = { distinctId: '', properties: [NO_PROPERTY], groups: {} };

const withNames = (properties: readonly Property[]) => properties.filter(({ key }) => key !== '');

/** Whether another row has the same name: a property has one value. */
export function isDuplicate(properties: readonly Property[], { key }: Property): boolean {
  return withNames(properties).filter((property) => property.key === key).length > 1;
}

/** @returns what is wrong with the value of a named property */
export function problemOf({ key, type, text }: Property): string | undefined {
  if (key === '' || type === 'text' || type === 'boolean') return undefined;
  const value = parseJson(text);
  if (type === 'json') return value === undefined ? 'Not JSON, such as null, ["a", "b"] or {"a": 1}.' : undefined;
  if (typeof value !== 'number') return 'Not a number, such as 12 or -1.5.';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'Too long to stay exact: send it as text.';
  return undefined;
}

/** @returns undefined for a text that is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a group has properties but no key; the server would ignore them. */
export function lacksKey({ key, properties }: Group): boolean {
  return key === '' && withNames(properties).length > 0;
}

export function isValid({ properties, groups }: Subject): boolean {
  const all = [properties, ...Object.values(groups).map((group) => group.properties)];
  return (
    !Object.values(groups).some(lacksKey) &&
    !all.some((list) => list.some((property) => isDuplicate(list, property) || problemOf(property) !== undefined))
  );
}

export function bodyOf({ distinctId, properties, groups }: Subject): SubjectBody {
  const namedGroups = Object.entries(groups).filter(([, { key }]) => key !== '');
  const withProperties = namedGroups.filter(([, group]) => withNames(group.properties).length > 0);
  return {
    ...(distinctId !== '' && { distinct_id: distinctId }),
    ...(withNames(properties).length > 0 && { person_properties: valuesOf(properties) }),
    ...(namedGroups.length > 0 && { groups: Object.fromEntries(namedGroups.map(([type, { key }]) => [type, key])) }),
    ...(withProperties.length > 0 && {
      group_properties: Object.fromEntries(withProperties.map(([type, group]) => [type, valuesOf(group.properties)])),
    }),
  };
}

function valuesOf(properties: readonly Property[]): Record<string, unknown> {
  return Object.fromEntries(
    withNames(properties).map(({ key, type, text }) => [key, type === 'text' ? text : parseJson(text)]),
  );
}
