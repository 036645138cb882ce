/**
 * The only module that imports TypeBox and ajv. A schema is written once with `Type` and read four times: as the TypeScript type
 * (`Static`), as a validator (`compile`), as an OpenAPI 3.1 component (it *is* JSON Schema 2020-12), as the console's form.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Type, type Static, type TObject, type TSchema } from 'typebox';

export { Type };
export type { ErrorObject, Static, TObject, TSchema };

const OPTIONS = {
  // `strict: true` refuses `discriminator` and union types; these are its checks that Sluice's schemas pass.
  strictSchema: true,
  strictNumbers: true,
  strictTypes: false,
  strictTuples: true,
  discriminator: true,
  useDefaults: true,
  verbose: true,
} as const;

/** Finds all errors; the client gets the one that comes first in the schema. */
const thorough = createAjv(true);
/** Ends at the first fault. */
const quick = createAjv(false);

/** Largest value for which all errors are collected, because an error takes several times as long as a valid value. */
const THOROUGH_VALUES = 2_000;

function createAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, allErrors });
  // ajv-formats is CommonJS whose default export is also its namespace.
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  // Without the prefix `urn:uuid:` that ajv-formats takes, and Postgres refuses.
  ajv.addFormat('uuid', /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  // Our own keywords: hints to what reads texts (`platform/http/parameters/parameters.ts`) and to forms, and nothing to a validator.
  ajv.addVocabulary(['x-lenient', 'x-group', 'x-when', 'x-required-when', 'x-credential']);
  return ajv;
}

/**
 * A validator that fills defaults in place and narrows to the schema's type; `errors` lists all errors,
 * or only the first one found in a value with more than 2,000 elements and properties.
 */
export type Validator<S extends TSchema> = {
  (value: unknown): value is Static<S>;
  errors?: ErrorObject[] | null;
};

/** Compiles once; call at module load, never per request. */
export function compile<S extends TSchema>(schema: S): Validator<S> {
  const findAll = thorough.compile(schema);
  let findFirst: ValidateFunction | undefined;
  const validate = ((value: unknown) => {
    const find = hasMoreParts(value, THOROUGH_VALUES) ? (findFirst ??= quick.compile(schema)) : findAll;
    const isValid = find(value);
    validate.errors = find.errors ?? null;
    return isValid;
  }) as Validator<S>;
  return validate;
}

/** Whether a value has more elements and properties than the limit, at all levels. */
function hasMoreParts(value: unknown, max: number): boolean {
  const queue: unknown[] = [value];
  let count = 0;
  for (let index = 0; index < queue.length; index += 1) {
    const entry = queue[index];
    if (typeof entry !== 'object' || entry === null) continue;
    const parts: unknown[] = Array.isArray(entry) ? entry : Object.values(entry);
    count += parts.length;
    if (count > max) return true;
    for (const part of parts) queue.push(part);
  }
  return false;
}

/** A string that is one of the given values. */
export function stringEnum<const V extends readonly string[]>(
  values: V,
  options: { title?: string; description?: string; default?: V[number] } = {},
) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}

/** The schema or null. */
export function nullable<S extends TSchema>(
  schema: S,
  options: { title?: string; description?: string; default?: Static<S> | null; readOnly?: boolean } = {},
) {
  return Type.Union([schema, Type.Null()], options);
}
