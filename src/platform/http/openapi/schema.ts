/** Schemas in the OpenAPI document: components for titled ones, and an example for every one. */
import type { TSchema } from '../../schema.ts';

type Json = Record<string, unknown>;
export type ObjectParts = { properties?: Record<string, { default?: unknown }>; required?: string[] };
type Parts = ObjectParts & {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  anyOf?: TSchema[];
  allOf?: TSchema[];
  items?: TSchema;
  minimum?: number;
  minItems?: number;
  minLength?: number;
  pattern?: string;
};

/**
 * Moves titled objects into the components and leaves references; a field with a default is not required.
 * @throws Error when two different schemas carry one title
 */
export function hoist(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Json = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]));
  if (copy['type'] !== 'object') return copy;
  const { title, properties = {}, required = [] } = copy as { title?: string } & ObjectParts;
  copy['required'] = required.filter((name) => properties[name]?.default === undefined);
  if (typeof title !== 'string') return copy;
  const known = components.get(title);
  if (known && JSON.stringify(known) !== JSON.stringify(copy)) throw new Error(`Two schemas are titled "${title}".`);
  components.set(title, copy);
  return { $ref: `#/components/schemas/${title}` };
}

const TEXTS: Readonly<Record<string, string>> = {
  uuid: '0198f3a0-0000-7000-8000-000000000001',
  'date-time': '2015-05-17T10:00:00Z',
  date: '2015-05-17',
  uri: 'https://example.com/',
  email: 'person@example.com',
};

/**
 * Returns a valid value: the schema's own example, else the smallest value.
 * @param includeOptional includes optional properties, as answers do
 */
export function exampleOf(schema: TSchema, includeOptional = false): unknown {
  const parts = schema as Parts;
  if (parts.examples) return parts.examples[0];
  if (parts.const !== undefined) return parts.const;
  if (parts.default !== undefined && parts.default !== null) return parts.default;
  if (parts.enum) return parts.enum[0];
  if (parts.anyOf)
    return exampleOf(parts.anyOf.find((part) => (part as Parts).type !== 'null') ?? parts.anyOf[0]!, includeOptional);
  if (parts.allOf) return Object.assign({}, ...parts.allOf.map((part) => exampleOf(part, includeOptional)));
  if (parts.type === 'object') return exampleOfObject(parts, includeOptional);
  if (parts.type === 'array')
    return parts.items && (includeOptional || parts.minItems) ? [exampleOf(parts.items, includeOptional)] : [];
  if (parts.type === 'integer' || parts.type === 'number') return parts.minimum ?? 1;
  if (parts.type === 'boolean') return true;
  if (parts.type === 'null') return null;
  if (parts.pattern !== undefined) return textLike(new RegExp(parts.pattern));
  if (parts.type === 'string') return TEXTS[parts.format ?? ''] ?? 'example'.padEnd(parts.minLength ?? 0, '.');
  return {};
}

/** Returns an id that the pattern matches; schemas with other patterns must have an example. */
function textLike(pattern: RegExp): string {
  return [...Object.values(TEXTS), '1', 'example', 'Example1'].find((text) => pattern.test(text)) ?? '';
}

function exampleOfObject({ properties = {}, required = [] }: Parts, includeOptional: boolean): Json {
  const names = includeOptional ? Object.keys(properties) : required;
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] as TSchema, includeOptional)]));
}
