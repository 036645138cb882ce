/** The JSON body of a request: bounded, well formed, and without texts that Postgres cannot store. */
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { InvalidInput, MalformedRequest, TooLarge, UnsupportedMedia } from '../errors.ts';
import { hasMoreValuesThan } from '../wire/value-count.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;
/** Limit of elements, properties, lists and objects, because each takes microseconds to parse and check. */
export const MAX_VALUES = 50_000;
/** Limit of the fields of a form. */
export const MAX_FIELDS = 100;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * @returns the parsed body; `{}` when there is none, so that the schema says what is missing
 * @throws UnsupportedMedia when it is not plain UTF-8 JSON
 * @throws TooLarge over 1 MiB, 50,000 values or 64 levels
 * @throws MalformedRequest when it does not parse
 * @throws InvalidInput for texts that hold a NUL or half a surrogate pair
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const declaredLength = request.headers['content-length'];
  const isEmpty =
    declaredLength === '0' || (declaredLength === undefined && request.headers['transfer-encoding'] === undefined);
  if (isEmpty) return {};
  requireJson(request);
  const bytes = await readBytes(request);
  if (bytes.length === 0) return {};
  const body = parse(bytes);
  checkTextsAndDepth(body);
  return body;
}

/** Whether the body is a plain HTML form without files. */
export function isUrlEncoded({ headers }: IncomingMessage): boolean {
  return mediaTypeOf(headers).type === 'application/x-www-form-urlencoded';
}

/**
 * @returns the form's fields as texts; of fields with the same name, the last
 * @throws as `readJson` does
 */
export async function readUrlEncoded(request: IncomingMessage): Promise<Record<string, string>> {
  requireUncompressed(request);
  const form = (await readBytes(request)).toString();
  if (form.split('&', MAX_FIELDS + 1).length > MAX_FIELDS)
    throw new TooLarge(`The form has more than ${MAX_FIELDS} fields.`);
  const fields = Object.fromEntries(new URLSearchParams(form));
  checkTextsAndDepth(fields);
  return fields;
}

function requireJson(request: IncomingMessage): void {
  const { type, isUtf8 } = mediaTypeOf(request.headers);
  const isJson = type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
  if (!isJson) throw new UnsupportedMedia(`Unsupported media type "${type}" in request.`);
  if (!isUtf8) throw new UnsupportedMedia('The body must be in UTF-8.');
  requireUncompressed(request);
}

function requireUncompressed({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new UnsupportedMedia('The body must not be compressed.');
}

function mediaTypeOf({ 'content-type': text = '' }: IncomingMessage['headers']): { type: string; isUtf8: boolean } {
  const [type = '', ...parameters] = text.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return { type: type.trim(), isUtf8: charset === undefined || /^charset="?utf-?8"?$/.test(charset) };
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  try {
    // tooth: json-size
    return await getRawBody(request, { limit: MAX_BYTES, length: request.headers['content-length'] ?? null });
  } catch (error) {
    const { type } = error as { type?: string };
    if (type === 'entity.too.large') throw new TooLarge(`The body is larger than ${MAX_BYTES} bytes.`);
    throw new MalformedRequest('The body ended before it was complete.');
  }
}

function parse(bytes: Buffer): unknown {
  if (hasMoreValuesThan(bytes, MAX_VALUES)) throw new TooLarge(`The body holds more than ${MAX_VALUES} values.`);
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'not valid JSON' : 'not valid UTF-8';
    throw new MalformedRequest(`JSON parse error - the body is ${reason}.`);
  }
}

/**
 * Checks texts and depth without recursion, because JSON.parse accepts a depth at which recursion overflows the stack.
 * @throws TooLarge, InvalidInput as `readJson` does
 */
export function checkTextsAndDepth(body: unknown): void {
  const stack: TextPosition[] = [{ value: body, name: '', depth: 0, parent: undefined }];
  for (let position = stack.pop(); position; position = stack.pop()) {
    const { value, depth } = position;
    // tooth: json-depth
    if (depth > MAX_DEPTH) throw new TooLarge(`The body is nested deeper than ${MAX_DEPTH} levels.`);
    if (typeof value === 'string') checkText(value, position);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, fieldValue] of Object.entries(value)) {
      checkText(name, position);
      stack.push({ value: fieldValue, name, depth: depth + 1, parent: position });
    }
  }
}

/** A value and its position; the full name is built only for an error. */
type TextPosition = { value: unknown; name: string; depth: number; parent: TextPosition | undefined };

function checkText(text: string, position: TextPosition): void {
  // tooth: json-null
  if (text.includes('\0')) {
    throw new InvalidInput('Null characters are not allowed.', attrOf(position), 'null_characters_not_allowed');
  }
  if (!text.isWellFormed()) throw new InvalidInput('The text is not valid Unicode.', attrOf(position));
}

function attrOf(position: TextPosition): string | null {
  const names: string[] = [];
  for (let inner = position; inner.parent; inner = inner.parent) names.unshift(inner.name);
  return names.length > 0 ? names.join('__').replaceAll('\0', '') : null;
}
