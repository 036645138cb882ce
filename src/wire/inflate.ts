/** Compressed bodies: gzip is known by its first bytes, because browsers' SDKs send it without saying so. */
import { gunzip, gunzipSync } from 'node:zlib';
import { promisify } from 'node:util';
import { MalformedRequest, TooLarge, UnsupportedMedia } from '../errors.ts';

/** Above this the thread pool inflates: at most about a thousand times as much comes out. */
const SYNC_BYTES = 8 * 1024;
const gunzipOffLoop = promisify(gunzip);

/**
 * @param contentEncoding the header's value, if any
 * @param limit bytes after inflation; inflation stops there
 * @returns the bytes themselves when they are not compressed
 * @throws UnsupportedMedia for other encodings than gzip, and for several
 * @throws MalformedRequest for broken gzip, or bytes that only claim to be gzip
 * @throws TooLarge over the limit
 */
export function inflate(bytes: Buffer, contentEncoding: string | undefined, limit: number): Buffer | Promise<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new UnsupportedMedia('The body may be compressed with gzip, once, or not at all.');
  }
  if (!isGzip(bytes)) {
    if (encoding === 'identity') return bytes;
    throw new MalformedRequest('The body is not gzip, as its Content-Encoding says.');
  }
  // tooth: body-inflated-limit
  const options = { maxOutputLength: limit };
  if (bytes.length > SYNC_BYTES) return gunzipOffLoop(bytes, options).catch((error) => rethrow(error, limit));
  try {
    return gunzipSync(bytes, options);
  } catch (error) {
    return rethrow(error, limit);
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

function rethrow(error: unknown, limit: number): never {
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
    throw new TooLarge(`The body is larger than ${limit} bytes when it is inflated.`);
  }
  throw new MalformedRequest('The body is not valid gzip.');
}
