/** Inflates compressed bodies. Gzip is recognized by its first bytes, because browsers' SDKs send it without saying so. */
import { pipeline } from 'node:stream/promises';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { MalformedRequest, SluiceError, TooLarge, UnsupportedMedia } from '../errors.ts';
import { brotliLength } from './brotli-length.ts';
import { addressGroup, type ClientAddress, type From } from './client-address.ts';
import { createLine } from '../fairness/fair-queue.ts';
import { COPIES_HELD } from './read-bytes.ts';

/** Gzip bodies above this size are inflated in the thread pool; the output is up to about a thousand times as large. */
const SYNC_BYTES = 8 * 1024;

/** Size of pieces: with the default of 16 KiB the trip to the thread pool takes longer than the inflation. */
const CHUNKS = { chunkSize: 128 * 1024 };
/**
 * Base-2 logarithm of the largest zstd window: 32 MiB, enough for the largest body. Without this limit, the header of a frame could make the
 * decoder take four times as much.
 */
// tooth: body-zstd-window
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 25 } };
/**
 * Largest window of bodies that are inflated synchronously: 8 MiB, which every decoder must allow (RFC 8878, section 3.1.1.1.2). Frames with a
 * larger one are refused before memory is taken.
 */
const ZSTD_WINDOW_SYNC = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const WINDOW_TOO_LARGE = 'ZSTD_error_frameParameter_windowTooLarge';

type Inflating = ReturnType<typeof createGunzip>;

const gunzip = () => createGunzip(CHUNKS);

/** Encodings that released SDKs send; `deflate` with the head of zlib, as RFC 9110 has it. */
const DECODERS = new Map<string, () => Inflating>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', () => createInflate(CHUNKS)],
  ['br', () => createBrotliDecompress(CHUNKS)],
  ['zstd', () => createZstdDecompress({ ...CHUNKS, ...ZSTD_WINDOW })],
]);

export type InflateOptions = {
  /** Bytes after inflation; inflation stops there. */
  limit: number;
  /** Reserves memory for inflated bytes; if it throws, inflation ends. */
  hold(bytes: number): void;
  /** Waits in a queue until a body with a large window has its turn; resolves with a function that ends the turn (see `createInflationLine`). */
  enterLine(): Promise<() => void>;
};

/**
 * @param contentEncoding the header's value, if any
 * @returns the bytes themselves when they are not compressed
 * @throws UnsupportedMedia for other encodings than gzip, deflate, br and zstd, and for several
 * @throws MalformedRequest for a broken body, or one that is not compressed as announced
 * @throws TooLarge over the limit
 * @throws Unavailable when too many bodies with large windows are being inflated
 */
export function inflate(
  bytes: Buffer,
  contentEncoding: string | undefined,
  options: InflateOptions,
): Buffer | Promise<Buffer> {
  const namedEncoding = contentEncoding?.trim().toLowerCase() || 'identity';
  const encoding = namedEncoding === 'identity' && isGzip(bytes) ? 'gzip' : namedEncoding;
  if (encoding === 'identity') return bytes;
  const decoder = DECODERS.get(encoding);
  if (!decoder) {
    throw new UnsupportedMedia('The body may be compressed with gzip, deflate, br or zstd, once, or not at all.');
  }
  try {
    const inflated = inflateSmall(bytes, encoding, options.limit);
    if (inflated) {
      options.hold(inflated.length);
      return inflated;
    }
  } catch (error) {
    return rethrow(error, encoding, options.limit);
  }
  const grow = () => inflateInPieces(decoder(), bytes, options);
  // tooth: body-windows
  const inflating = WITH_WINDOWS.has(encoding) ? workInTurn(options, grow) : grow();
  return inflating.catch((error) => rethrow(error, encoding, options.limit));
}

/** Limits in bytes, before and after inflation, up to which brotli and zstd bodies are inflated synchronously. */
const SMALL_LIMITS = { packed: 64 * 1024, inflated: 256 * 1024 };

/**
 * Inflates small gzip, brotli and zstd bodies synchronously, so they do not wait behind large ones. The decoder is closed before the call
 * returns, so no body holds a window while it waits.
 * @returns undefined when this would take too long or too much memory
 */
function inflateSmall(bytes: Buffer, encoding: string, limit: number): Buffer | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') {
    return bytes.length <= SYNC_BYTES ? gunzipSync(bytes, { maxOutputLength: limit }) : undefined;
  }
  if (bytes.length > SMALL_LIMITS.packed) return undefined;
  const most = Math.min(limit, SMALL_LIMITS.inflated);
  // tooth: body-small-first
  if (encoding === 'br') return inflateSmallBrotli(bytes, most);
  if (encoding === 'zstd') return inflateSmallZstd(bytes, most);
  return undefined;
}

function inflateSmallBrotli(bytes: Buffer, max: number): Buffer | undefined {
  return brotliLength(bytes, max) === undefined ? undefined : brotliDecompressSync(bytes, { maxOutputLength: max });
}

function inflateSmallZstd(bytes: Buffer, max: number): Buffer | undefined {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: max, ...ZSTD_WINDOW_SYNC });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE' || code === WINDOW_TOO_LARGE) return undefined;
    throw error;
  }
}

/** Inflates in pieces and counts the memory while it grows, because a few bytes become megabytes, in many bodies at once. */
async function inflateInPieces(decoder: Inflating, bytes: Buffer, { limit, hold }: InflateOptions): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  await pipeline([bytes], decoder, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      length += chunk.length;
      // tooth: body-inflated-limit
      if (length > limit) throw tooLarge(limit);
      // tooth: body-inflated-held
      hold(COPIES_HELD * chunk.length);
      pieces.push(chunk);
    }
  });
  return Buffer.concat(pieces, length);
}

/** Encodings with windows of up to 16 and 32 MiB, which no limit of memory counts, so only few such bodies are inflated at a time. */
const WITH_WINDOWS = new Set(['br', 'zstd']);
/** Well below the ten seconds after which clients give up and resend. */
const LONGEST_WAIT_MS = 4_000;

/**
 * Creates a queue for one kind of request, so that large bodies of events do not delay requests for flags.
 * @returns a function that enters a request in the queue: the `enterLine` of its options. Clients take turns; an IPv6 network of one customer
 *   (/64) counts as one client
 */
export function createInflationLine(clientAddress: ClientAddress): (request: From) => Promise<() => void> {
  const enter = createLine({ capacity: 4, maxWaitMs: LONGEST_WAIT_MS });
  return (request) => enter(addressGroup(clientAddress(request)));
}

async function workInTurn<T>({ enterLine }: InflateOptions, work: () => Promise<T>): Promise<T> {
  const leave = await enterLine();
  try {
    return await work();
  } finally {
    leave();
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

function rethrow(error: unknown, encoding: string, limit: number): never {
  if (error instanceof SluiceError) throw error;
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
  throw new MalformedRequest(`The body is not valid ${encoding}.`);
}

function tooLarge(limit: number): TooLarge {
  return new TooLarge(`The body is larger than ${limit} bytes when it is inflated.`);
}
