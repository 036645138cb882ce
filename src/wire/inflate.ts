/** Compressed bodies: gzip is known by its first bytes, because browsers' SDKs send it without saying so. */
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzipSync,
} from 'node:zlib';
import { MalformedRequest, SluiceError, TooLarge, UnsupportedMedia } from '../errors.ts';
import { createLine } from './fair-queue.ts';

/** Above this the thread pool inflates: at most about a thousand times as much comes out. */
const SYNC_BYTES = 8 * 1024;

/** Each piece goes to the thread pool and back: with the default of 16 KiB that takes longer than to inflate it. */
const PIECES = { chunkSize: 128 * 1024 };
/** A window of zstd, in bits: what the largest body takes. A head may ask for four times as much. */
// tooth: body-zstd-window
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 25 } };

type Inflating = ReturnType<typeof createGunzip>;

const gunzip = () => createGunzip(PIECES);

/** Encodings that released SDKs send; `deflate` with the head of zlib, as RFC 9110 has it. */
const DECODERS = new Map<string, () => Inflating>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', () => createInflate(PIECES)],
  ['br', () => createBrotliDecompress(PIECES)],
  ['zstd', () => createZstdDecompress({ ...PIECES, ...ZSTD_WINDOW })],
]);

export type InflateOptions = {
  /** Bytes after inflation; inflation stops there. */
  limit: number;
  /** Counts bytes before more are made; an error that it throws ends the inflation. */
  hold(bytes: number): void;
  /** Names the client: bodies that wait take turns client by client. */
  sender(): string;
};

/**
 * @param contentEncoding the header's value, if any
 * @returns the bytes themselves when they are not compressed
 * @throws UnsupportedMedia for other encodings than gzip, deflate, br and zstd, and for several
 * @throws MalformedRequest for what is broken, or only claims to be compressed
 * @throws TooLarge over the limit
 * @throws Unavailable when too many bodies with large windows are under way
 */
export function inflate(
  bytes: Buffer,
  contentEncoding: string | undefined,
  options: InflateOptions,
): Buffer | Promise<Buffer> {
  const named = contentEncoding?.trim().toLowerCase() || 'identity';
  const encoding = named === 'identity' && isGzip(bytes) ? 'gzip' : named;
  if (encoding === 'identity') return bytes;
  const decoder = DECODERS.get(encoding);
  if (!decoder) {
    throw new UnsupportedMedia('The body may be compressed with gzip, deflate, br or zstd, once, or not at all.');
  }
  if (decoder !== gunzip || bytes.length > SYNC_BYTES) {
    const grow = () => inPieces(decoder(), bytes, options);
    // tooth: body-windows
    const growing = WITH_WINDOWS.has(encoding) ? inLine(options.sender(), grow) : grow();
    return growing.catch((error) => rethrow(error, encoding, options.limit));
  }
  const inflated = atOnce(bytes, options.limit);
  options.hold(inflated.length);
  return inflated;
}

function atOnce(bytes: Buffer, limit: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    return rethrow(error, 'gzip', limit);
  }
}

/** A few bytes become megabytes, and the thread pool has many bodies under way: what all of them hold is counted while it grows. */
async function inPieces(decoder: Inflating, bytes: Buffer, { limit, hold }: InflateOptions): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  await pipeline([bytes], decoder, async (made: AsyncIterable<Buffer>) => {
    for await (const piece of made) {
      length += piece.length;
      // tooth: body-inflated-limit
      if (length > limit) throw tooLarge(limit);
      // tooth: body-inflated-held
      hold(piece.length);
      pieces.push(piece);
    }
  });
  return Buffer.concat(pieces, length);
}

/** Encodings whose windows, up to 16 and 32 MiB, are in no account: few bodies fill theirs at a time. */
const WITH_WINDOWS = new Set(['br', 'zstd']);
/** Clients give up after ten seconds and send again. */
const LONGEST_WAIT_MS = 4_000;
const enter = createLine({ places: 4, longestWaitMs: LONGEST_WAIT_MS });

async function inLine<T>(sender: string, work: () => Promise<T>): Promise<T> {
  const leave = await enter(sender);
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
