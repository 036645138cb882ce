/** The body of a request as it was sent, within bounds. */
import type { IncomingMessage } from 'node:http';
import { MalformedRequest, TooLarge } from '../errors.ts';

/**
 * @param limit bytes; reading stops there
 * @param onChunk told of each chunk's length before it is kept; what it throws ends the reading
 * @throws TooLarge over the limit, before anything is read when the length is announced
 * @throws MalformedRequest when the connection ends too early
 */
export function readBytes(request: IncomingMessage, limit: number, onChunk: (bytes: number) => void): Promise<Buffer> {
  const tooLarge = () => new TooLarge(`The body is larger than ${limit} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge());

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: unknown) => {
      request.off('data', keep).pause();
      reject(error);
    };
    function keep(chunk: Buffer): void {
      length += chunk.length;
      if (length > limit) return fail(tooLarge());
      try {
        onChunk(chunk.length);
      } catch (error) {
        return fail(error);
      }
      chunks.push(chunk);
    }
    request.on('data', keep);
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    request.on('error', () => reject(new MalformedRequest('The body ended before its announced length.')));
  });
}
