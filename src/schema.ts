/**
 * The only door to TypeBox and ajv. A schema is written once with `Type` and read four times: as the TypeScript type
 * (`Static`), as a validator (`compile`), as an OpenAPI 3.1 component (it *is* JSON Schema 2020-12), as the console's form.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Type, type Static, type TObject, type TSchema } from 'typebox';

export { Type };
export type { ErrorObject, Static, TObject, TSchema };

const ajv = new Ajv2020({
  allErrors: true,
  // `strict: true` refuses `discriminator` and union types; these are the parts of it that hold for us.
  strictSchema: true,
  strictNumbers: true,
  strictTypes: false,
  strictTuples: true,
  discriminator: true,
  useDefaults: true,
  verbose: true,
});
// ajv-formats is CommonJS whose default export is also its namespace.
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);

/** A validator that fills defaults in place and narrows to the schema's type; `errors` says what is wrong. */
export type Validator<S extends TSchema> = {
  (value: unknown): value is Static<S>;
  errors?: ErrorObject[] | null;
};

/** Compiles once; call at module load, never per request. */
export function compile<S extends TSchema>(schema: S): Validator<S> {
  return ajv.compile(schema) as ValidateFunction as Validator<S>;
}

/** A string that is one of the given values. */
export function stringEnum<const V extends readonly string[]>(
  values: V,
  options: { description?: string; default?: V[number] } = {},
) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}

/** The schema or null. */
export function nullable<S extends TSchema>(
  schema: S,
  options: { description?: string; default?: Static<S> | null } = {},
) {
  return Type.Union([schema, Type.Null()], options);
}
