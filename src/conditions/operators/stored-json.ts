/** Reads JSON that was stored without a schema; values of an unexpected type count as absent. */
import { isList, numberOf, type Json } from './json-values.ts';

export type Fields = { readonly [key: string]: Json | undefined };

const NO_FIELDS: Fields = {};

export function isFields(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value);
}

export function fieldsOf(value: Json | undefined): Fields {
  return isFields(value) ? value : NO_FIELDS;
}

/** Returns an own field, not an inherited one such as `constructor`. */
export function fieldAt(fields: Fields, key: string): Json | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

export function elementsOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}

export function integerOf(value: Json | undefined): number | undefined {
  const number = value === undefined ? undefined : numberOf(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the default for absent and null, and NaN, which matches no comparison, for other values that are not numbers. */
export function percentageOf(value: Json | undefined, byDefault: number): number {
  return value === undefined || value === null ? byDefault : (numberOf(value) ?? NaN);
}
