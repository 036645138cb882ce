/** What is misspelt is not what was meant: a percentage that nobody reads gives a flag to everybody. */
import { InvalidInput } from '../../errors.ts';
import type { TSchema } from '../../schema.ts';

type Shape = TSchema & { properties?: Record<string, Shape>; anyOf?: Shape[]; items?: Shape };

const MAX_NAME = 100;

/**
 * @param value valid by the schema, which says nothing of members that it does not list
 * @param attr where the value stands; members are joined to it by `__`
 * @throws InvalidInput for the first member, in any depth, that the schema does not list, with those that it does
 */
export function refuseUnknownMembers(value: unknown, schema: TSchema, attr: string): void {
  if (typeof value !== 'object' || value === null) return;
  const { anyOf, items, properties } = schema as Shape;
  for (const branch of anyOf ?? []) refuseUnknownMembers(value, branch, attr);
  if (items && Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnknownMembers(item, items, `${attr}__${index}`);
  }
  if (!properties) return;
  for (const [name, member] of Object.entries(value)) {
    const place = `${attr}__${name.slice(0, MAX_NAME)}`;
    if (!Object.hasOwn(properties, name)) throw unknown(name, Object.keys(properties), place);
    refuseUnknownMembers(member, properties[name]!, place);
  }
}

function unknown(name: string, known: readonly string[], attr: string): InvalidInput {
  return new InvalidInput(`"${name.slice(0, MAX_NAME)}" is not known here. Known are: ${known.join(', ')}.`, attr);
}
