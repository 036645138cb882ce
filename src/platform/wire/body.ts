/**
 * Reads the body of a request in the formats that SDKs of the last ten years send: JSON, plain or gzipped, or the same as base64 or lz64. The
 * payload is the body itself, the field `data` of a form, or the query parameter `data`.
 *
 * The first bytes show the format. Content types do not, because browser SDKs choose those that need no preflight.
 */
import { unescape } from 'node:querystring';
import { MalformedRequest, TooLarge, UnsupportedMedia } from '../errors.ts';
import type { LaneRequest } from '../lane/request.ts';
import { fieldsOf, type Fields } from './fields.ts';
import { inflate } from './inflate.ts';
import { decompressLz64 } from './lz-string.ts';
import { receiveBytes, type WhenRead } from './read-bytes.ts';
import { replaceUnit } from './replace.ts';

export type BodyOptions = {
  /** The request's query: may hold `data`, and `compression` for encodings that the bytes do not show. */
  query: Fields;
  /** Limit in bytes for the body as sent, and for the output of each decoder. */
  limit: number;
  /** Reserves memory for bytes that are kept; if it throws, reading ends. */
  hold(bytes: number): void;
  /** Waits in a queue until a large body may be inflated; resolves with a function that leaves the queue (see `createInflationLine`). */
  enterLine(): Promise<() => void>;
};

/**
 * @returns bytes that should be JSON; empty for an empty request
 * @throws UnsupportedMedia for multipart bodies, and for other content encodings than gzip, deflate, br and zstd
 * @throws TooLarge over the limit
 * @throws MalformedRequest for a broken body
 * @throws Unavailable when too many bodies are being read
 */
export async function readBody(request: LaneRequest, options: BodyOptions): Promise<Buffer> {
  const take = await new Promise<() => DecodedBody>((done) => receiveBody(request, options, done));
  return take();
}

/** A promise for HTML forms, base64 and lz64, and for compressed bodies too large to be inflated synchronously. */
type DecodedBody = Buffer | Promise<Buffer>;

/** Callback form of `readBody`, without promises if the body arrived in one piece. @throws errors that are found before reading */
export function receiveBody(request: LaneRequest, options: BodyOptions, done: WhenRead<DecodedBody>): void {
  const { query, limit, hold } = options;
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  const hint = knownHint(query('compression'));
  const data = query('data');
  if (data !== undefined) return done(() => decodeText(data, hint, options));
  if (type?.startsWith('multipart/')) throw new UnsupportedMedia('Send JSON, plain or compressed.');
  receiveBytes(request, limit, hold, (take) => done(() => decodeBytes(take(), encoding, hint, options)));
}

function decodeBytes(
  compressed: Buffer,
  encoding: string | undefined,
  hint: Hint | undefined,
  options: BodyOptions,
): DecodedBody {
  const inflated = inflate(compressed, encoding, options);
  const decode = (bytes: Buffer) => jsonIn(bytes, hint, options);
  return Buffer.isBuffer(inflated) ? decode(inflated) : inflated.then(decode);
}

function jsonIn(bytes: Buffer, hint: Hint | undefined, options: BodyOptions): DecodedBody {
  if (startsJson(firstVisibleByte(bytes))) return bytes;
  // tooth: body-text-limit
  if (bytes.length > LONGEST_TEXT)
    throw new TooLarge(`A body that is not JSON may have at most ${LONGEST_TEXT} bytes.`);
  options.hold(bytes.length);
  const text = bytes.toString();
  const form = fieldsOf(text);
  return decodeText(form('data') ?? unescape(text), knownHint(form('compression')) ?? hint, options);
}

type Hint = 'detectable' | 'lz64';

/** Hints by name. Gzip and base64 are detectable: they are recognised without any hint. */
const HINTS = new Map<string, Hint>([
  ['gzip', 'detectable'],
  ['gzip-js', 'detectable'],
  ['base64', 'detectable'],
  ['b64', 'detectable'],
  ['lz64', 'lz64'],
  ['lz-string', 'lz64'],
]);

function knownHint(compression: string | undefined): Hint | undefined {
  if (compression === undefined) return undefined;
  const hint = HINTS.get(compression.toLowerCase());
  if (!hint) throw new MalformedRequest(`The compression must be one of ${[...HINTS.keys()].join(', ')}.`);
  return hint;
}

async function decodeText(text: string, hint: Hint | undefined, options: BodyOptions): Promise<Buffer> {
  const { limit, hold } = options;
  const trimmed = text.trim();
  if (startsJson(trimmed.charCodeAt(0))) return Buffer.from(trimmed);
  // A plus sign of base64 that a client did not escape in a form arrives as a space.
  const encodedText = replaceUnit(trimmed, ' ', '+');
  const bytes =
    hint === 'lz64' ? Buffer.from(decompressLz64(encodedText, Math.min(limit, LONGEST_TEXT))) : fromBase64(encodedText);
  if (bytes.length > limit) throw new TooLarge(`The body is larger than ${limit} bytes when it is inflated.`);
  hold(bytes.length);
  const inflated = await inflate(bytes, undefined, options);
  // Many plain words are valid base64, so an error about the decoded bytes would not help the sender.
  if (encodedText !== '' && !startsJson(firstVisibleByte(inflated))) throw notJsonError(hint);
  return inflated;
}

function notJsonError(hint: Hint | undefined): MalformedRequest {
  return new MalformedRequest(`The body is neither JSON nor ${hint === 'lz64' ? 'lz64' : 'base64'} of JSON.`);
}

const BASE64 = /^[\w+/-]*={0,2}$/;

/** Decodes either alphabet, padded or not. */
function fromBase64(text: string): Buffer {
  if (!BASE64.test(text)) throw notJsonError('detectable');
  return Buffer.from(text, 'base64');
}

/** Uses a loop, because a callback for each byte of 20 MiB of spaces takes a quarter of a second. */
function firstVisibleByte(bytes: Buffer): number | undefined {
  let position = 0;
  while (position < bytes.length && bytes[position]! <= SPACE) position += 1;
  return bytes[position];
}

/** Limit in bytes for a form, base64 and lz64, because each takes several passes over its characters. */
const LONGEST_TEXT = 4 * 1024 * 1024;

const SPACE = 0x20;
const BYTE_ORDER_MARK = 0xef;

/** Whether the text begins an object or an array; SDKs send no other JSON. */
function startsJson(byte: number | undefined): boolean {
  return byte === 0x7b || byte === 0x5b || byte === BYTE_ORDER_MARK;
}
