/**
 * Credentials in a schema: fields with `writeOnly: true`, secrets that are accepted and never returned, and those with `x-credential: true`,
 * which are shown, but belong to a user's credentials all the same, such as the name of a role.
 */
import type { TSchema } from '../schema.ts';

type Property = TSchema & { writeOnly?: boolean; 'x-credential'?: boolean; properties?: Properties };
type Properties = Record<string, Property>;
type Values = Record<string, unknown>;

/** Names of a schema's secrets, except those in nested objects. */
export function secretFieldsOf({ properties }: { properties: unknown }): string[] {
  const entries = Object.entries(properties as Properties);
  return entries.flatMap(([name, { writeOnly }]) => (writeOnly ? name : []));
}

const isCredential = (property: Property) => property.writeOnly === true || property['x-credential'] === true;

/** Names of a schema's credentials, except those in nested objects. */
export function credentialFieldsOf({ properties }: { properties: unknown }): string[] {
  return Object.entries(properties as Properties).flatMap(([name, property]) => (isCredential(property) ? name : []));
}

/**
 * @returns a copy that holds only what the schema names and does not mark as secret; nested objects likewise. A key that the
 * schema does not know is left out: an undescribed value could be anything.
 */
export function withoutSecrets(schema: { properties: unknown }, value: Readonly<Values>): Values {
  const open: Values = {};
  for (const [name, property] of Object.entries(schema.properties as Properties)) {
    const present = value[name];
    if (present === undefined || property.writeOnly) continue;
    const isNested = property.properties !== undefined && isObject(present);
    open[name] = isNested ? withoutSecrets({ properties: property.properties }, present) : present;
  }
  return open;
}

/** @returns as `withoutSecrets`, without the credentials that are shown either */
export function withoutCredentials(schema: { properties: unknown }, value: Readonly<Values>): Values {
  const credentials = new Set(credentialFieldsOf(schema));
  return Object.fromEntries(Object.entries(withoutSecrets(schema, value)).filter(([name]) => !credentials.has(name)));
}

/** @returns `value` with those fields of `source` that the schema marks as credentials; nested objects likewise */
export function withCredentials(
  schema: { properties: unknown },
  value: Readonly<Values>,
  source: Readonly<Values>,
): Values {
  const merged: Values = { ...value };
  for (const [name, property] of Object.entries(schema.properties as Properties)) {
    const present = source[name];
    if (isCredential(property) && present !== undefined) merged[name] = present;
    else if (property.properties !== undefined && isObject(present)) {
      const before = isObject(merged[name]) ? merged[name] : {};
      merged[name] = withCredentials({ properties: property.properties }, before, present);
    }
  }
  return merged;
}

/** Merges a PATCH into the stored configuration, objects into objects; fields that the patch leaves out stay, secrets included. */
export function mergeConfig(stored: Readonly<Values>, patch: Readonly<Values>): Values {
  const changes = Object.entries(patch).map(([name, value]) => {
    const before = stored[name];
    return [name, isObject(before) && isObject(value) ? mergeConfig(before, value) : value] as const;
  });
  // Built without assignment, so that a field named `__proto__` stays an ordinary property.
  return Object.fromEntries([...Object.entries(stored), ...changes]);
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
