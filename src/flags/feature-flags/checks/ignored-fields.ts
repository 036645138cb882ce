/**
 * Drops unknown fields of filters and names them in the answer, because upstream's clients send fields that have no effect. Refuses names
 * that are close to a known one, because a misspelt percentage would turn a flag on for everybody.
 */
import { misspellings } from '../../../platform/http/nearest-name.ts';
import { unknownFieldError } from '../../../platform/http/unknown-fields.ts';
import { Type, type TSchema } from '../../../platform/schema.ts';
import { Filters } from '../filters.ts';

type Shape = TSchema & { properties?: Record<string, Shape>; anyOf?: Shape[]; items?: Shape };

const MAX_NAME = 100;
const MAX_REPORTED = 100;

export const IgnoredFields = Type.Optional(
  Type.Array(Type.String(), {
    maxItems: MAX_REPORTED,
    description:
      'The first hundred unknown fields of the filters that were ignored, such as `filters__groups__0__bucket`; ' +
      'absent if there were none.',
  }),
);

/** @returns the ignored fields of the given filters, for an answer; empty if all are known */
export function ignoredFields(filters: unknown, attr = 'filters'): { ignored_members?: string[] } {
  const ignored: string[] = [];
  pickKnownFields(filters, Filters, attr, ignored);
  return ignored.length > 0 ? { ignored_members: ignored.slice(0, MAX_REPORTED) } : {};
}

/**
 * @param value valid by the schema, which allows fields that it does not list
 * @param attr path of the value; fields are joined to it by `__`
 * @param ignored receives the dropped fields of all levels
 * @returns the value with the fields that the schema lists
 * @throws InvalidInput for an unknown field whose name is close to that of an absent known one
 */
export function pickKnownFields(value: unknown, schema: TSchema, attr: string, ignored: string[] = []): unknown {
  const { anyOf = [], items, properties } = schema as Shape;
  if (typeof value !== 'object' || value === null) return value;
  if (anyOf.length > 0)
    return anyOf.reduce((rest, branch) => pickKnownFields(rest, branch, attr, ignored), value as unknown);
  if (Array.isArray(value)) {
    return items ? value.map((item, index) => pickKnownFields(item, items, `${attr}__${index}`, ignored)) : value;
  }
  if (!properties) return value;
  const isKnown = (name: string) => Object.hasOwn(properties, name);
  const [known, unknown] = [Object.keys(value).filter(isKnown), Object.keys(value).filter((name) => !isKnown(name))];
  const findMeant = misspellings(
    unknown.length > 0 ? Object.keys(properties).filter((name) => !known.includes(name)) : [],
  );
  for (const name of unknown) {
    const path = `${attr}__${name.slice(0, MAX_NAME)}`;
    const [meant] = findMeant(name);
    // tooth: misspelt-filters
    if (meant !== undefined) throw unknownFieldError(path, meant);
    ignored.push(path);
  }
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    known.map((name) => [name, pickKnownFields(fields[name], properties[name]!, `${attr}__${name}`, ignored)]),
  );
}
