/** Checks a destination's `config` from a request against the destination's schema, with upstream's messages. */
import type { Destination } from '../destinations/contract.ts';
import { InvalidInput } from '../../platform/errors.ts';
import { compile, type TObject, type TSchema, type Validator } from '../../platform/schema.ts';

type Config = Record<string, unknown>;
type Property = TSchema & { type?: string; anyOf?: Property[]; default?: unknown };

const validators = new Map<TObject, Validator<TObject>>();

/** Python's name of a value's type, as in upstream's messages. */
function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  const names: Record<string, string> = { string: 'str', boolean: 'bool' };
  return names[typeof value] ?? (Array.isArray(value) ? 'list' : 'dict');
}

const TYPE_PHRASES: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
};

/** Converts strings of whole numbers or booleans to such values, as upstream does. */
function coerce(property: Property, value: unknown): unknown {
  const types = property.anyOf?.map((schema) => schema.type) ?? [property.type];
  if (typeof value !== 'string') return value;
  if (types.includes('integer') && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (types.includes('boolean') && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
}

function checkType(property: Property, value: unknown): void {
  const expected = property.type && TYPE_PHRASES[property.type];
  const givenType = typeName(value);
  if (!expected || givenType === expected || (expected === 'float' && givenType === 'int')) return;
  throw new InvalidInput(`Configuration has invalid type: got '${givenType}', expected '${expected}'`, 'destination');
}

/**
 * @returns the configuration with defaults and derived fields filled in
 * @throws InvalidInput for unknown or missing fields, wrong types and values that the schema refuses
 */
export function validateConfig(
  {
    config: schema,
    checkBeforeSchema,
    checkCredentials,
    derive,
  }: Pick<Destination, 'config' | 'checkBeforeSchema' | 'checkCredentials' | 'derive'>,
  config: Readonly<Config>,
): Config {
  const properties = schema.properties as Record<string, Property>;
  const unknown = Object.keys(config)
    .filter((name) => !Object.hasOwn(properties, name))
    .sort();
  if (unknown.length > 0) {
    const quoted = unknown.map((name) => `'${name}'`).join(', ');
    throw new InvalidInput(`Configuration has unknown field/s: ${quoted}`, 'destination');
  }
  const missing = ((schema as { required?: string[] }).required ?? []).find(
    (name) => config[name] === undefined && properties[name]?.default === undefined,
  );
  if (missing) throw new InvalidInput(`Configuration missing required field: '${missing}'`, 'destination');

  const result: Config = {};
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const property = properties[name]!;
    result[name] = coerce(property, value);
    checkType(property, result[name]);
  }
  checkBeforeSchema?.(result);
  const valid = validatorOf(schema);
  if (valid(result)) {
    const derived = withConfigPath(() => {
      checkCredentials?.(result);
      return derive?.(result);
    });
    return { ...result, ...derived };
  }
  const [error] = valid.errors ?? [];
  const field = error?.instancePath.split('/')[1] ?? '';
  throw new InvalidInput(`${field}: ${sentenceOf(error)}`, `destination__config__${field}`);
}

function withConfigPath<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.message, `destination__config__${error.attr}`, error.code);
  }
}

function validatorOf(schema: TObject): Validator<TObject> {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = compile(schema)));
  return validator;
}

type AjvError = NonNullable<Validator<TObject>['errors']>[number];

function sentenceOf(error: AjvError | undefined): string {
  const { description } = (error?.parentSchema ?? {}) as { description?: string };
  if (error?.keyword === 'enum') {
    const allowed = (error.params as { allowedValues: unknown[] }).allowedValues;
    return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (error?.keyword === 'minLength' && error.data === '') return 'may not be blank';
  // The field's description of the form, because a regular expression helps few.
  if (error?.keyword === 'pattern' && description) return `does not have the required form. ${description}`;
  return error?.message ?? 'is not valid';
}
