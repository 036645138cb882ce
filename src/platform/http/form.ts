/** Requests that bring a file: as a form (RFC 7578) whose other fields are the body, or as the whole body. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { MalformedRequest, TooLarge, UnsupportedMedia } from '../errors.ts';
import type { TObject, TSchema } from '../schema.ts';
import { countValues } from '../wire/value-count.ts';
import { checkTextsAndDepth, MAX_FIELDS, MAX_VALUES } from './body.ts';
import { convert } from './parameters/parameters.ts';

/** A CSV file that a route accepts with its body, or instead of it. */
export type CsvFile<T> = {
  /** Name of the form's field. */
  field: string;
  /**
   * Called while the file arrives, at most once for a request, and before the other fields are checked: the handler gets
   * the result.
   */
  read(blocks: AsyncIterable<Uint8Array>): Promise<T>;
};

type Form = { fields: Record<string, unknown>; file: unknown };

const MAX_FILE_BYTES = 20 * 1024 * 1024;
const MAX_FIELD_BYTES = 1024 * 1024;

/** @returns whether `readForm` reads the content type */
export function isForm({ headers }: IncomingMessage): boolean {
  return ['multipart/form-data', 'text/csv'].includes(mediaTypeOf(headers['content-type']));
}

/**
 * @returns the fields as texts, and the result of reading the file; undefined: no file
 * @throws TooLarge for a file of more than 20 MiB, or other fields of more than 1 MiB
 * @throws MalformedRequest, UnsupportedMedia, InvalidInput, and what `file.read` throws
 */
export async function readForm(request: IncomingMessage, file: CsvFile<unknown>): Promise<Form> {
  const { headers } = request;
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new UnsupportedMedia('The body must not be compressed.');
  }
  const isFile = mediaTypeOf(headers['content-type']) === 'text/csv';
  const form = isFile ? { fields: {}, file: await file.read(limitFile(request)) } : await readMultipart(request, file);
  checkTextsAndDepth(form.fields);
  return form;
}

/**
 * Parses fields for objects, lists and any type as JSON, and keeps others as text. Text that does not fit the schema's type is kept,
 * so the schema refuses it.
 * @throws TooLarge, InvalidInput as `readJson` does of JSON
 */
export function fieldValues(schema: TSchema | undefined, fields: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = (schema ?? {}) as Partial<TObject>;
  let remainingValues = MAX_VALUES;
  for (const text of Object.values(fields)) remainingValues -= countValues(Buffer.from(String(text)), remainingValues);
  if (remainingValues < 0) throw new TooLarge(`The fields hold more than ${MAX_VALUES} values.`);
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [
      name,
      Object.hasOwn(properties, name) ? valueOf(name, properties[name] as TSchema, String(text)) : text,
    ]),
  );
}

type Property = TSchema & { type?: string; anyOf?: Property[] };

function valueOf(name: string, property: Property, text: string): unknown {
  const set = property.anyOf?.find((alternative) => alternative.type !== 'null') ?? property;
  if (set.type !== undefined && set.type !== 'object' && set.type !== 'array') return convert(set, text);
  const value = parseJsonOrText(text);
  checkTextsAndDepth({ [name]: value });
  return value;
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function mediaTypeOf(contentType = ''): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** Keeps the request usable when the reader stops early, because it must still be answered. */
async function* limitFile(stream: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const block of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    bytes += block.length;
    if (bytes > MAX_FILE_BYTES) throw new TooLarge(`The file is larger than ${MAX_FILE_BYTES} bytes.`);
    yield block;
  }
}

async function readMultipart(request: IncomingMessage, file: CsvFile<unknown>): Promise<Form> {
  const fields: Record<string, unknown> = {};
  let fieldBytes = 0;
  let reading: Promise<unknown> | undefined;
  const form = createFormParser(request);
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('field', (name, value) => {
        fieldBytes += Buffer.byteLength(value);
        if (fieldBytes > MAX_FIELD_BYTES) reject(new TooLarge(`The fields are larger than ${MAX_FIELD_BYTES} bytes.`));
        else fields[name] = value;
      });
      form.on('file', (name, stream) => {
        if (name !== file.field || reading) return void stream.resume();
        reading = file.read(limitFile(stream));
        reading.catch(reject);
      });
      form.on('fieldsLimit', () => reject(new TooLarge(`The form has more than ${MAX_FIELDS} fields.`)));
      form.once('finish', resolve);
      form.once('error', () => reject(brokenFormError()));
      request.once('close', () => request.complete || reject(brokenFormError()));
      request.pipe(form);
    });
    return { fields, file: await reading };
  } finally {
    request.unpipe(form);
    // Reads and drops the rest of the body, because clients read the answer only after they have sent it.
    request.resume();
  }
}

function createFormParser({ headers }: IncomingMessage) {
  const limits = { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES + 1, parts: MAX_FIELDS + 1, headerPairs: 20 };
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits });
  } catch {
    // The content type has no boundary.
    throw brokenFormError();
  }
}

function brokenFormError(): MalformedRequest {
  return new MalformedRequest('The body is not a whole form.');
}
