/** Parses JSON from strangers, within limits, and makes it storable in Postgres. */
import { isUtf8 } from 'node:buffer';
import { MalformedRequest, TooLarge } from '../errors.ts';
import { withoutNonFinite } from './non-finite.ts';
import { replaceUnit } from './replace.ts';
import { hasMoreValuesThan } from './value-count.ts';

const ESCAPE = Buffer.from('\\u');

export type ParsedJson = {
  value: unknown;
  /** Whether the body holds `\u` escapes; without them no text can hold a NUL or half a surrogate pair. */
  escapes: boolean;
};

/** @throws MalformedRequest, TooLarge as `readJson` */
export function parseJson(bytes: Buffer, maxValues: number): ParsedJson {
  return { value: readJson(bytes, { maxValues, read: JSON.parse }), escapes: hasEscapes(bytes) };
}

/** Whether bytes hold `\u` escapes (see `ParsedJson`). */
export function hasEscapes(bytes: Buffer): boolean {
  return bytes.includes(ESCAPE);
}

export type ReadOptions<Value> = {
  /** Makes values of JSON text. */
  read(text: string): Value;
  /** Limit of elements, properties, lists and objects, because creating them takes far longer than reading their bytes. */
  maxValues: number;
};

/**
 * @param bytes UTF-8; a byte order mark and Python's NaN and Infinity, which become null, are accepted
 * @throws TooLarge for more values
 * @throws MalformedRequest for bytes that are not JSON
 */
export function readJson<Value>(bytes: Buffer, { read, maxValues }: ReadOptions<Value>): Value {
  if (bytes.length === 0) throw new MalformedRequest('The body is empty.');
  if (hasMoreValuesThan(bytes, maxValues))
    throw new TooLarge(`The body holds more than ${Math.floor(maxValues)} values.`);
  if (!isUtf8(bytes)) throw new MalformedRequest('The body is not valid UTF-8.');
  const steps = parseInTurns(withoutByteOrderMark(bytes), read);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/**
 * Yields between steps that take long for large texts.
 * @param json UTF-8
 * @param read as in `ReadOptions`
 * @throws MalformedRequest for invalid JSON
 */
export function* parseInTurns<Value>(json: Buffer, read: (text: string) => Value): Generator<void, Value, void> {
  const value = parse(json, read);
  if (value !== undefined) return value;
  yield;
  const finite = withoutNonFinite(json);
  yield;
  const valueWithNulls = parse(finite, read);
  if (valueWithNulls === undefined) throw new MalformedRequest('The body is not valid JSON.');
  return valueWithNulls;
}

/** Removes U+FEFF, which some editors put before a text. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function parse<Value>(json: Buffer | undefined, read: (text: string) => Value): Value | undefined {
  try {
    return json && read(json.toString());
  } catch {
    return undefined;
  }
}

/** Whether a value has more levels. Recurses no deeper than the limit, because `JSON.parse` accepts a million levels. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  return excessOf(value, { levels, values: Infinity }) !== undefined;
}

/**
 * Compares a value with limits of its depth and of its number of values, counted as in `value-count.ts`. Stops at the first excess.
 * @returns the limit that it exceeds; undefined: none
 */
export function excessOf(value: unknown, limits: { levels: number; values: number }): 'levels' | 'values' | undefined {
  const remaining = valuesLeft(value, limits.levels, limits.values);
  if (remaining >= 0) return undefined;
  return remaining === TOO_DEEP ? 'levels' : 'values';
}

const TOO_DEEP = -Infinity;

/** @returns the rest of `values`, or TOO_DEEP; below 0 when the value exceeds a limit */
function valuesLeft(value: unknown, levels: number, values: number): number {
  if (typeof value !== 'object' || value === null) return values;
  if (levels === 0) return TOO_DEEP;
  let remaining = values;
  if (Array.isArray(value)) {
    // An empty list or object counts as well.
    remaining -= Math.max(1, value.length);
    for (let index = 0; index < value.length && remaining >= 0; index += 1)
      remaining = valuesLeft(value[index], levels - 1, remaining);
    return remaining;
  }
  for (const name in value) {
    if (remaining < 0) return remaining;
    remaining = valuesLeft((value as Record<string, unknown>)[name], levels - 1, remaining - 1);
  }
  return remaining === values ? remaining - 1 : remaining;
}

/** Characters that neither `text` nor `jsonb` stores (U+0000, half a surrogate pair) become U+FFFD. */
export function storableText(text: string): string {
  return replaceUnit(text, '\0', '\ufffd').toWellFormed();
}

/** Escapes as JSON.stringify writes them. A few harmless texts match too, which only costs another check. */
const NOT_STORABLE = /\\u(?:0000|d[89a-f])/;

/**
 * @param value from `parseJson`, of bounded depth
 * @param escapes as `parseJson` returned it for the body of the value
 * @returns JSON text that `jsonb` accepts, and the object that it was made of; numbers are IEEE doubles, those beyond their range null
 */
export function storableJson<T extends object>(value: T, escapes: boolean): { text: string; object: T } {
  const text = JSON.stringify(value);
  if (!escapes || !NOT_STORABLE.test(text)) return { text, object: value };
  const object = storable(value) as T;
  return { text: JSON.stringify(object), object };
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(storable);
  // fromEntries defines properties, so a name like `__proto__` has no special effect.
  return Object.fromEntries(
    Object.entries(value).map(([name, fieldValue]) => [storableText(name), storable(fieldValue)]),
  );
}
