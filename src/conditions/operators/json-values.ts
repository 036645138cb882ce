/**
 * JSON values that keep the notation of numbers. For operators `323` and `323.0` differ, as do integers beyond 2^53 that JSON.parse would
 * round to the same number; `parseJson` keeps them apart.
 */

/** A number that is written as a float but is whole (`323.0`, `1e+16`), or an integer too large for 64 bits. */
export class JsonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export type Json =
  null | boolean | number | bigint | JsonFloat | string | readonly Json[] | { readonly [key: string]: Json };
export type Properties = { readonly [key: string]: Json };

const MAX_INTEGER = 2n ** 64n;
const MIN_INTEGER = -(2n ** 63n);
/** Length of a 64-bit integer with its sign. */
const MAX_DIGITS = 20;

/**
 * Finds numbers that JavaScript does not keep exactly: with a fraction of zeros, an exponent, or many digits. It misses none, but may match
 * inside of strings. Takes linear time, and saves parsing with a reviver, which takes several times as long. The lookbehind is twice as fast
 * as `(?:^|[:,[\s])` in front, because a match must begin with a digit or a sign.
 */
const SPECIAL_NUMBER = /(?<![^:,[\s])-?\d(?:\d{15}|[\d.]{16}|\d{0,14}(?:\.0|(?:\.\d{1,15})?[eE]))/;

/** UTF-16 units of the longest text that is parsed exactly, because that takes up to ten times as long and blocks other requests. */
const MAX_EXACT = 128 * 1024;

/** `parseJson` for untrusted texts; beyond 128 Ki characters, numbers are read as in JavaScript. @throws SyntaxError */
export function parseBoundedJson(text: string): Json {
  return text.length > MAX_EXACT ? (JSON.parse(text) as Json) : parseJson(text);
}

/** @throws SyntaxError */
export function parseJson(text: string): Json {
  if (!SPECIAL_NUMBER.test(text)) return JSON.parse(text) as Json;
  // TypeScript's library does not declare the reviver's third argument yet, which has the source text.
  return JSON.parse(text, reviveNumber as (key: string, value: unknown) => unknown) as Json;
}

function reviveNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined ? numberAsWritten(value, context.source) : value;
}

function numberAsWritten(value: number, source: string): Json {
  if (Number.isSafeInteger(value)) return /[.e]/i.test(source) && !Object.is(value, -0) ? new JsonFloat(value) : value;
  if (/[.e]/i.test(source)) return Number.isInteger(value) ? new JsonFloat(value) : value;
  return source.length <= MAX_DIGITS && fitsSixtyFourBits(BigInt(source)) ? BigInt(source) : new JsonFloat(value);
}

function fitsSixtyFourBits(integer: bigint): boolean {
  return integer >= MIN_INTEGER && integer < MAX_INTEGER;
}

/**
 * The text that operators compare: a string itself, else compact JSON with sorted keys and floats in the notation of upstream's server
 * (serde_json): `null`, `true`, `3`, `323.0`, `1e-7`, `[1,2]`, `{"a":1,"b":2}`.
 */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : jsonOf(value);
}

function jsonOf(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return numberText(value);
  if (value instanceof JsonFloat) return floatText(value.value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return `[${value.map(jsonOf).join(',')}]`;
  const entries = sortedKeys(value).map((key) => `${JSON.stringify(key)}:${jsonOf(value[key]!)}`);
  return `{${entries.join(',')}}`;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Sorts by code point, like UTF-8. JavaScript sorts by UTF-16 units, which differs only for surrogates and beyond. */
function sortedKeys(value: { readonly [key: string]: Json }): string[] {
  const keys = Object.keys(value);
  if (!keys.some((key) => FROM_SURROGATES_ON.test(key))) return keys.sort();
  const encoded = keys.map((key) => ({ key, bytes: Buffer.from(key) }));
  return encoded.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ key }) => key);
}

const FROM_SURROGATES_ON = /[\ud800-\uffff]/;

function numberText(value: number): string {
  if (!Number.isInteger(value) || Object.is(value, -0)) return floatText(value);
  return fitsSixtyFourBits(BigInt(value)) ? String(BigInt(value)) : floatText(value);
}

/** The shortest digits that read back as the same float; an exponent from 1e16 on and below 1e-5. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const [mantissa = '', exponentText = ''] = Math.abs(value).toExponential().split('e');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const exponent = Number(exponentText);
  const digits = mantissa.replace('.', '');
  if (exponent >= 16) return `${sign}${mantissa}e+${exponent}`;
  if (exponent < -5) return `${sign}${mantissa}e${exponent}`;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** A decimal in the form that upstream's servers and SDKs read: no spaces, no separators, no hexadecimal, no infinity. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** Characters of a number; a float in full has 316. Longer texts are not numbers. */
export const MAX_NUMBER_LENGTH = 400;

/** Returns a number, also from text; undefined for other values and beyond the range of a float. */
export function numberOf(value: Json): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'bigint') {
    return value instanceof JsonFloat && Number.isFinite(value.value) ? value.value : undefined;
  }
  // tooth: number-length
  if (typeof value === 'string' && (value.length > MAX_NUMBER_LENGTH || !DECIMAL.test(value))) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
