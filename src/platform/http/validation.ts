/**
 * Failures that ajv found, in the words of the contract: Django REST framework's codes and messages, the first failure in the order in
 * which the schema lists its properties, nested names joined by `__`.
 */
import { InvalidInput } from '../errors.ts';
import type { ErrorObject, TSchema } from '../schema.ts';
import { WRONG_DATETIME } from './parameters/datetime.ts';

type Schema = TSchema & { properties?: Record<string, Schema>; anyOf?: Schema[]; items?: Schema };
type Failure = { path: string[]; code: string; detail: string; nested?: boolean };

/**
 * @param errors of a validator compiled from `schema`; at least one
 * @returns the one failure that the client is told
 */
export function invalidInput(errors: readonly ErrorObject[], schema: TSchema): InvalidInput {
  const error = findFirstError(errors, schema);
  if (!error) return new InvalidInput('Invalid input.');
  const first = describe(error);
  // DRF puts an error about a nested object as a whole under its `non_field_errors`.
  const path = first.nested && first.path.length > 0 ? [...first.path, 'non_field_errors'] : first.path;
  return new InvalidInput(first.detail, path.length > 0 ? path.join('__') : null, first.code);
}

/** Finds the first error in one pass, because there may be as many as a body has values. */
function findFirstError(errors: readonly ErrorObject[], schema: TSchema): ErrorObject | undefined {
  const isNoise = branchNoiseOf(errors);
  let first: ErrorObject | undefined;
  let firstRank: number[] = [];
  for (const error of errors) {
    if (isNoise(error)) continue;
    const rank = rankOf(pathOf(error), schema);
    if (first && compareRanks(firstRank, rank) <= 0) continue;
    [first, firstRank] = [error, rank];
  }
  return first;
}

/** Noise is what `anyOf` reports about its `null` branch, and about itself if it also reports about a branch. */
function branchNoiseOf(errors: readonly ErrorObject[]): (error: ErrorObject) => boolean {
  // Few paths, because a schema is small even if many values fail.
  const schemaPaths = [...new Set(errors.map(({ schemaPath }) => schemaPath))];
  const hasPartsByPath = new Map<string, boolean>();
  const hasParts = (schemaPath: string) => {
    let result = hasPartsByPath.get(schemaPath);
    if (result === undefined)
      hasPartsByPath.set(schemaPath, (result = schemaPaths.some((other) => other.startsWith(`${schemaPath}/`))));
    return result;
  };
  return ({ keyword, params, schemaPath }) =>
    (keyword === 'type' && params['type'] === 'null') || (keyword === 'anyOf' && hasParts(schemaPath));
}

/** Path of the invalid value, or of the missing property. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  return keyword === 'required' ? [...path, String(params['missingProperty'])] : path;
}

function describe(error: ErrorObject): Failure {
  const { keyword, params, data, message } = error;
  const path = pathOf(error);
  const limit = String(params['limit']);
  switch (keyword) {
    case 'required':
      return { path, code: 'required', detail: 'This field is required.' };
    case 'type':
      if (data === null) return { path, code: 'null', detail: NOT_NULL };
      return wrongType(path, String(params['type']), data);
    case 'enum':
    case 'const':
    case 'anyOf':
      if (data === null) return { path, code: 'null', detail: NOT_NULL };
      return { path, code: 'invalid_choice', detail: `"${excerpt(data)}" is not a valid choice.` };
    case 'minLength':
      if (data === '') return { path, code: 'blank', detail: 'This field may not be blank.' };
      return { path, code: 'min_length', detail: `Ensure this field has at least ${limit} characters.` };
    case 'maxLength':
      return { path, code: 'max_length', detail: `Ensure this field has no more than ${limit} characters.` };
    case 'minItems':
      return { path, code: 'min_length', detail: `Ensure this field has at least ${limit} elements.` };
    case 'maxItems':
      return { path, code: 'max_length', detail: `Ensure this field has no more than ${limit} elements.` };
    case 'minimum':
      return { path, code: 'min_value', detail: `Ensure this value is greater than or equal to ${limit}.` };
    case 'maximum':
      return { path, code: 'max_value', detail: `Ensure this value is less than or equal to ${limit}.` };
    case 'pattern':
      return { path, code: 'invalid_input', detail: wrongPattern(error) };
    case 'format':
      return { path, code: 'invalid_input', detail: FORMATS[String(params['format'])] ?? 'Wrong format.' };
    default:
      return { path, code: 'invalid_input', detail: `This value ${message ?? 'is not valid'}.` };
  }
}

const NOT_NULL = 'This field may not be null.';

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': WRONG_DATETIME,
  email: 'Enter a valid email address.',
  uri: 'Enter a valid URL.',
  uuid: 'Must be a valid UUID.',
};

/** Quotes the field's description of the form, because a regular expression helps few. */
function wrongPattern({ parentSchema }: ErrorObject): string {
  const { description } = (parentSchema ?? {}) as { description?: string };
  return `This value does not match the required pattern${description === undefined ? '.' : `: ${description}`}`;
}

function wrongType(path: string[], expected: string, data: unknown): Failure {
  const givenType = pythonName(data);
  switch (expected) {
    case 'array':
      return { path, code: 'not_a_list', detail: `Expected a list of items but got type "${givenType}".` };
    case 'object':
      return {
        path,
        code: 'invalid_input',
        detail: `Invalid data. Expected a dictionary, but got ${givenType}.`,
        nested: true,
      };
    case 'boolean':
      return { path, code: 'invalid_input', detail: 'Must be a valid boolean.' };
    case 'integer':
    case 'number': {
      const article = expected === 'integer' ? 'A valid integer' : 'A valid number';
      return { path, code: 'invalid_input', detail: `${article} is required.` };
    }
    default:
      return { path, code: 'invalid_input', detail: 'Not a valid string.' };
  }
}

/** The name that Python gives to the type of a JSON value: part of the contract's messages. */
export function pythonName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return { string: 'str', boolean: 'bool', object: 'dict' }[typeof value as string] ?? typeof value;
}

function excerpt(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Position of each name of the path among its siblings in the schema. */
function rankOf(path: readonly string[], root: TSchema): number[] {
  let schema: Schema | undefined = root;
  return path.map((name) => {
    const parent: Schema | undefined = objectOf(schema);
    const index = Object.keys(parent?.properties ?? {}).indexOf(name);
    schema = parent?.properties?.[name] ?? parent?.items;
    return index >= 0 ? index : /^\d+$/.test(name) ? Number(name) : Number.MAX_SAFE_INTEGER;
  });
}

function objectOf(schema: Schema | undefined): Schema | undefined {
  return schema?.anyOf?.find((branch) => branch.properties ?? branch.items) ?? schema;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (rank !== other) return rank - other;
  }
  return a.length - b.length;
}
